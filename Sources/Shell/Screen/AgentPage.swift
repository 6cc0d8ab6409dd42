import Chat
import Store
import Text
import Wire

/// What is known of agents, for people. Most of it is in the agents' words.
enum AgentPage {
  struct Row {
    var server: Server
    /// nil for one that was not needed in this run.
    var state: AgentState?
    var isInFront: Bool
    /// In milliseconds since 1970.
    var usedAt: Int?
  }

  static func listing(_ agents: [Row], now: Int) -> Listing {
    Listing(
      columns: [
        Listing.Column("AGENT", "name"), Listing.Column("STATE", "state"),
        Listing.Column("USED") { row in row["usedAt"]?.int.map { "\(age(of: $0, at: now))" } ?? "" },
        Listing.Column("COMMAND", "command"),
        Listing.Column("") { $0["current"] == true ? "current" : "" },
      ],
      rows: agents.map { agent in
        [
          "name": .string(agent.server.name), "state": .string(words(agent.state?.connection, of: agent.server)),
          "command": .string(command(agent.server)), "title": (agent.state?.title).map(JSON.string) ?? .null,
          "version": (agent.state?.version).map(JSON.string) ?? .null, "usedAt": agent.usedAt.map(JSON.int) ?? .null,
          "current": .bool(agent.isInFront),
        ]
      },
      whenEmpty: "no agents yet: /agent run COMMAND starts one and keeps it, /pair reaches one elsewhere")
  }

  private static func words(_ connection: AgentState.Connection?) -> String {
    switch connection {
    case .connected: "connected"
    case .reconnecting: "reconnecting"
    case .ended: "disconnected"
    case .some(.none), nil: "not connected"
    }
  }

  /// Of a program of this machine it is said whether it runs.
  private static func words(_ connection: AgentState.Connection?, of server: Server) -> String {
    guard server.isProgram else { return words(connection) }
    return switch connection {
    case .connected, .reconnecting: "running"
    case .ended: "ended"
    case .some(.none), nil: "not running"
    }
  }

  /// As it was typed.
  static func command(_ server: Server) -> String {
    server.isProgram ? String(server.url.dropFirst(4)) : server.url
  }

  /// - Parameter messages: of our session with it; nil where it is none of this agent's.
  static func text(
    _ server: Server, _ state: AgentState, _ session: Session, messages: Int?, columns: Int?
  ) -> StyledText {
    var tokens = state.used.map { "\($0)" } ?? ""
    if let size = state.size, !tokens.isEmpty { tokens += " of \(size)" }
    return DetailLines.text(
      [
        ("name", "\(server.name)"), (server.isProgram ? "command" : "address", "\(command(server))"),
        ("state", "\(words(state.connection, of: server))"),
        ("program", "\([state.title ?? state.name, state.version].compactMap(\.self).joined(separator: " "))"),
        ("protocol", state.protocolVersion.map { "Agent Client Protocol \($0)" } ?? ""),
        ("able to", "\(state.capabilities.joined(separator: ", "))"), ("folder", "\(state.folder ?? "")"),
        ("session", "\(state.conversation ?? (messages == nil ? nil : session.remote) ?? "")"),
        ("title", "\(state.conversationTitle ?? "")"),
        ("began", messages != nil && session.createdAt > 0 ? "\(Moments.day(session.createdAt / 1000))" : ""),
        ("messages", messages.map { "\($0)" } ?? ""), ("context", "\(tokens)"),
        ("settings", "\(state.options.map { "\($0.key) \($0.value)" }.joined(separator: ", "))"),
        ("commands", "\(state.commands.map { "/" + $0.name }.joined(separator: " "))"),
        ("sign-ins", "\(state.signIns.map(\.id).joined(separator: ", "))"),
      ], columns: columns)
  }

  static func options(_ options: [AgentOption]) -> Listing {
    Listing(
      columns: [
        Listing.Column("SETTING", "key"), Listing.Column("VALUE", "value"), Listing.Column("CHOICES", "shown"),
      ],
      rows: options.map { option in
        [
          "key": .string(option.key), "name": .string(option.name), "value": .string(option.value),
          "shown": .string(option.choices.map(\.value).joined(separator: " ")),
          "choices": .array(option.choices.map { .string($0.value) }),
        ]
      }, whenEmpty: "the agent has no settings")
  }

  static func choices(of option: AgentOption) -> Listing {
    Listing(
      columns: [
        Listing.Column("VALUE", "value"), Listing.Column("NAME", "name"), Listing.Column("", "summary"),
        Listing.Column("") { $0["current"] == true ? "current" : "" },
      ],
      rows: option.choices.map { choice in
        [
          "value": .string(choice.value), "name": .string(choice.name), "summary": .string(choice.summary ?? ""),
          "current": .bool(choice.value == option.value),
        ]
      }, whenEmpty: "it has no choices")
  }

  static func conversations(_ found: [AgentConversation], current: String?) -> Listing {
    Listing(
      columns: [
        Listing.Column("SESSION", "id"), Listing.Column("TITLE", "title"), Listing.Column("FOLDER", "folder"),
        Listing.Column("UPDATED", "updatedAt"), Listing.Column("") { $0["current"] == true ? "current" : "" },
      ],
      rows: found.map { conversation in
        [
          "id": .string(conversation.id), "title": .string(conversation.title ?? ""),
          "folder": .string(conversation.folder ?? ""), "updatedAt": .string(conversation.updatedAt ?? ""),
          "current": .bool(conversation.id == current),
        ]
      }, whenEmpty: "the agent keeps no sessions")
  }

  /// A program of the agent's that the person is about to start, word for word (docs/rules.md A4).
  static func program(_ words: [String]) -> StyledText {
    // As `env` reads them.
    let variables = words.prefix { $0.contains("=") }
    return variables.flatMap { StyledText.text("set      ", .dim) + .text(VisibleText.oneLine($0) + "\n") }
      + ToolPage.program(Array(words.dropFirst(variables.count)), [])
  }

  static func signIns(_ ways: [AgentSignIn]) -> Listing {
    Listing(
      columns: [Listing.Column("WAY", "id"), Listing.Column("NAME", "name"), Listing.Column("", "summary")],
      rows: ways.map { ["id": .string($0.id), "name": .string($0.name), "summary": .string($0.summary ?? "")] },
      whenEmpty: "the agent offers no way to sign in")
  }
}

extension AgentOption {
  /// What it is typed as.
  var key: String {
    switch id {
    case .config(let id): id
    case .mode: "mode"
    case .model: "model"
    }
  }

  func isCalled(_ word: String) -> Bool { key == word || name.lowercased() == word.lowercased() }

  /// The value of a choice by it, its name or the start of only one.
  func choice(called word: String) -> String? {
    if let exact = choices.first(where: { $0.value == word }) { return exact.value }
    let lower = word.lowercased()
    if isFlag, let flag = ["on": "true", "off": "false", "yes": "true", "no": "false"][lower] { return flag }
    if let named = choices.first(where: { $0.name.lowercased() == lower }) { return named.value }
    let begun = choices.filter { $0.value.lowercased().hasPrefix(lower) }
    return begun.count == 1 ? begun[0].value : nil
  }
}

extension Server {
  /// Whether it is an agent that is started here.
  var isProgram: Bool { url.hasPrefix("acp:") }
}

extension Wording {
  /// Said of an agent that was not asked anything.
  static func ended(_ server: Server) -> SafeText {
    server.isProgram
      ? "agent \(server.name) has ended; the next message starts it again"
      : "the connection to \(server.name) is lost; the next message connects again"
  }

  /// ` (ACP test peer 1.0)`.
  static func agent(_ state: AgentState) -> SafeText {
    let words = [state.title ?? state.name, state.version].compactMap(\.self).joined(separator: " ")
    return words.isEmpty ? "" : " (" + VisibleText.oneLine(words).cut(to: 60) + ")"
  }
}

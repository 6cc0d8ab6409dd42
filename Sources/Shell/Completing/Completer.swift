package import Chat
package import Store

/// What Tab offers on a line; a snapshot, because the line editor asks from a thread of its own.
package struct Completer: Sendable {
  package var commands: [Command]
  package var models: [Model]
  package var currentModel: String?
  package var servers: [Server]
  package var currentServer: String?
  /// Those that what is typed may mean; asked only when a session is completed.
  package var sessions: @Sendable (_ typed: String) -> SessionNames
  /// Key, summary, values to choose from, the value now.
  package var settings: [(key: String, summary: String, values: [String], current: String)]
  package var listFolder: @Sendable (String) -> [String]
  /// The kinds of server.
  package var kinds: [String] = []
  /// Names of what was last seen of a topic to browse; asked only when one is completed.
  package var browsed: @Sendable (BrowseTopic) -> [String] = { _ in [] }
  /// Terminals of servers as they were last seen; asked only when one is completed.
  package var keptTerminals: @Sendable () -> [(name: String, about: String)] = { [] }
  /// Those of the person, in their order; asked only when one is completed.
  package var snippets: @Sendable () -> [Snippet] = { [] }
  /// What is known of tools without asking anybody.
  var tools = KnownTools()

  /// What was last seen on the server in use.
  var remote = RemoteNames()

  /// What is known of the agent in use; nil where there is none.
  var agent: AgentState?

  /// The same once a server has told its lists, while the line is typed.
  func knowing(_ overview: Overview?) -> Completer {
    guard let overview else { return self }
    var completer = self
    completer.remote.take(overview)
    if let models = overview.models, !models.isEmpty { completer.models = models }
    return completer
  }

  /// What can stand at the cursor, counted in Unicode scalars.
  package func complete(_ line: String, _ cursor: Int) -> Completion {
    let before = String(String.UnicodeScalarView(line.unicodeScalars.prefix(cursor)))
    guard before.hasPrefix("/"), !before.hasPrefix("//") else { return files(atEndOf: before, cursor) }
    let name = before.dropFirst().prefix { !$0.isWhitespace }
    if name.count == before.count - 1 {
      let commands = commandNames(startingWith: String(name))
      guard commands.isEmpty else { return Completion(replaced: 0..<cursor, candidates: commands) }
      return files(atEndOf: before, cursor)
    }
    guard let command = command(called: String(name)) else { return files(atEndOf: before, cursor) }
    return arguments(of: command, before, nameLength: name.unicodeScalars.count, cursor)
  }

  private func command(called name: String) -> Command? {
    if let exact = commands.first(where: { $0.name == name || $0.aliases.contains(name) }) { return exact }
    let matches = commands.filter { $0.name.hasPrefix(name) }
    return matches.count == 1 ? matches.first : nil
  }

  private func commandNames(startingWith prefix: String) -> [Candidate] {
    let own = commands.filter { $0.name.hasPrefix(prefix) }
      .map { Candidate("/\($0.name)", summary: $0.summary, isWhole: true) }
    let agents = agentCommands.filter { $0.name.hasPrefix(prefix) }
      .map { Candidate("/\($0.name)", summary: $0.summary, isWhole: true) }
    return (own + agents).sorted { $0.text < $1.text }
  }

  /// The agent's own, but for those that have the name of one of ours, or one that nobody would type.
  private var agentCommands: [AgentSlashCommand] {
    (agent?.commands ?? []).filter { own in
      !commands.contains { $0.name == own.name || $0.aliases.contains(own.name) }
        && own.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
  }

  private func arguments(of command: Command, _ before: String, nameLength: Int, _ cursor: Int) -> Completion {
    let offset = nameLength + 2
    let text = String(String.UnicodeScalarView(before.unicodeScalars.dropFirst(offset)))
    let split = Words(splitting: text)
    let isNewWord = split.lastWordStart >= text.unicodeScalars.count && split.openQuote == nil
    let earlier = isNewWord ? split.words : Array(split.words.dropLast())
    let typed = isNewWord ? "" : split.words.last ?? ""
    let start = offset + (isNewWord ? text.unicodeScalars.count : split.lastWordStart)
    var found: [Candidate] = []
    var asked: SessionNames?
    for form in command.forms {
      guard let part = form.part(after: earlier) else { continue }
      let fitting: [Candidate]
      if part.parameter == .session {
        // Asked once, for several forms may take one.
        let names = asked ?? sessions(typed)
        asked = names
        fitting = containing(typed, names.found.map { ($0.title, String($0.id.prefix(8))) })
      } else {
        fitting = candidates(for: part, typed: typed, earlier: earlier)
      }
      for candidate in fitting where !found.contains(candidate) { found.append(candidate) }
    }
    for candidate in flags(of: command, typed: typed, after: earlier) where !found.contains(candidate) {
      found.append(candidate)
    }
    return Completion(replaced: start..<cursor, candidates: found, more: asked?.more ?? 0)
  }

  /// A flag's value behind it; flags where one is begun.
  private func flags(of command: Command, typed: String, after earlier: [String]) -> [Candidate] {
    if let flag = command.flags.first(where: { $0.name == earlier.last }), let value = flag.value {
      return values(of: value, typed, earlier)
    }
    guard typed.hasPrefix("-") else { return [] }
    return matching(typed, command.flags.filter { !earlier.contains($0.name) }.map { ($0.name, $0.summary) })
  }

  private func candidates(for part: Form.Part, typed: String, earlier: [String]) -> [Candidate] {
    switch part {
    case .word(let word): matching(typed, [(word, "")])
    case .choice(let words): matching(typed, words.map { ($0, "") })
    case .required(let parameter), .optional(let parameter): values(of: parameter, typed, earlier)
    }
  }

  private func values(of parameter: Parameter, _ typed: String, _ earlier: [String]) -> [Candidate] {
    switch parameter {
    case .model:
      containing(typed, models.map { ($0.id, modelSummary($0)) })
    case .server, .name:
      containing(typed, servers.map { ($0.name, $0.name == currentServer ? "current, \($0.url)" : $0.url) })
    case .settingKey:
      containing(typed, settings.map { ($0.key, $0.summary) })
    case .settingValue:
      settings.first { $0.key == earlier.last }.map { setting in
        matching(typed, setting.values.map { ($0, $0 == setting.current ? "current" : "") })
      } ?? []
    case .agent:
      containing(
        typed, servers.filter { $0.kind == "acp" }.map { ($0.name, $0.name == currentServer ? "current" : "") })
    case .agentSetting: matching(typed, (agent?.options ?? []).map { ($0.key, $0.value) })
    case .agentValue:
      matching(
        typed, (agent?.options.first { $0.isCalled(earlier.last ?? "") }?.choices ?? []).map { ($0.value, $0.name) })
    // Only the agent knows them.
    case .agentSession: []
    case .signInWay:
      matching(
        typed,
        // One that nobody would type is chosen by its number.
        (agent?.signIns ?? []).filter { $0.id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }.map { ($0.id, $0.name) })
    case .helpTopic:
      matching(
        typed,
        commands.map { ($0.name, $0.summary) } + Topics.all.map { ($0.name, $0.summary) }
          + settings.map { ($0.key, $0.summary) })
    case .terminal: containing(typed, terminals())
    case .file, .folder, .fingerprintOrFile, .pairingCode: paths(startingWith: typed)
    case .kind: matching(typed, kinds.map { ($0, "") })
    case .item:
      containing(typed, earlier.last.flatMap(BrowseTopic.init(rawValue:)).map(browsed)?.map { ($0, "") } ?? [])
    case .tool: containing(typed, tools.names)
    case .tools: containing(typed, tools.names.filter { !earlier.contains($0.name) }.map { ($0.name, $0.about) })
    case .toolServer: containing(typed, tools.servers)
    case .prompt: containing(typed, tools.prompts)
    case .resource: containing(typed, tools.resources)
    case .remoteSession:
      containing(
        typed, remote.sessions.map { $0.title.isEmpty ? ($0.id, "") : ($0.title, String($0.id.prefix(8))) })
    case .remoteSetting: containing(typed, remote.settings.map { ($0.key, $0.value) })
    case .project: containing(typed, remote.projects.map { ($0.name, $0.about) })
    case .remoteTools:
      containing(typed, remote.tools.filter { !earlier.contains($0.name) }.map { ($0.name, $0.about) })
    case .servers: containing(typed, servers.map { ("@" + $0.name, $0.url) })
    case .snippet: containing(typed, snippetNames(earlier))
    case .category: containing(typed, snippetCategories().map { ($0, "") })
    case .snippetKind: matching(typed, Snippet.Kind.allCases.map { ($0.rawValue, "") })
    case .dates: matching(typed, SnippetDates.allCases.map { ($0.rawValue, "") })
    case .place:
      matching(
        typed, Snippet.Kind.allCases.map { ($0.rawValue, "") } + terminals().map { ("@" + $0.name, $0.about) })
        + beginnings(typed, snippetPlaces(earlier))
    case .placeValues: beginnings(typed, snippetPlaces(earlier))
    case .session, .path, .text, .title, .words, .number, .handle, .url, .origin, .newName, .provider, .userName,
      .program, .variable, .clientID, .promptValues, .bridge, .code, .color, .icon:
      []
    }
  }

  /// What was seen in this run, and of servers that were not asked in it what was seen before.
  private func terminals() -> [(name: String, about: String)] {
    let seen = remote.terminals.map { (name: $0.name, about: $0.about) }
    let asked = Set(remote.terminals.filter(\.isElsewhere).compactMap { $0.name.split(separator: "/").first })
    return seen + keptTerminals().filter { kept in kept.name.split(separator: "/").first.map(asked.contains) != true }
  }

  private func modelSummary(_ model: Model) -> String {
    [
      model.id == currentModel ? "current" : nil, model.state,
      model.contextWindow.map { "\($0) tokens" },
    ].compactMap { $0 }.joined(separator: ", ")
  }

  private func matching(_ typed: String, _ words: [(String, String)]) -> [Candidate] {
    words.filter { $0.0.hasPrefix(typed) }.map { Candidate(Words.quoted($0.0), summary: $0.1) }
  }

  /// What goes on behind its `=`.
  private func beginnings(_ typed: String, _ words: [(name: String, about: String)]) -> [Candidate] {
    words.filter { $0.name.hasPrefix(typed) }.map { Candidate($0.name, summary: $0.about, isWhole: false) }
  }

  /// Those that start with what was typed; without any, those that contain it, or its letters in this order.
  private func containing(_ typed: String, _ words: [(String, String)]) -> [Candidate] {
    let starting = matching(typed, words)
    guard starting.isEmpty else { return starting }
    let wanted = typed.lowercased()
    let within = words.filter { $0.0.lowercased().contains(wanted) }
    return (within.isEmpty ? words.filter { $0.0.lowercased().contains(inOrder: wanted) } : within)
      .map { Candidate(Words.quoted($0.0), summary: $0.1) }
  }

  private func files(atEndOf before: String, _ cursor: Int) -> Completion {
    let word = before.unicodeScalars.reversed().prefix { !$0.properties.isWhitespace }.reversed()
    let typed = String(String.UnicodeScalarView(word))
    if typed.hasPrefix("@") {
      let found = tools.resources.filter { $0.name.hasPrefix(typed.dropFirst()) }
        .map { Candidate("@" + $0.name, summary: $0.about) }
      return Completion(replaced: (cursor - word.count)..<cursor, candidates: found + mentions(startingWith: typed))
    }
    guard typed.contains("/") || typed.hasPrefix("~") else { return .none }
    return Completion(replaced: (cursor - word.count)..<cursor, candidates: paths(startingWith: typed))
  }

  /// Files that a message to an agent can name.
  private func mentions(startingWith typed: String) -> [Candidate] {
    guard agent != nil else { return [] }
    return paths(startingWith: String(typed.dropFirst())).filter { !$0.text.hasPrefix("'") }
      .map { Candidate("@" + $0.text, isWhole: $0.isWhole) }
  }

  private func paths(startingWith typed: String) -> [Candidate] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let start = typed.dropFirst(folder.count)
    return listFolder(folder.isEmpty ? "." : folder)
      .filter { $0.hasPrefix(start) && (start.hasPrefix(".") || !$0.hasPrefix(".")) }
      .sorted()
      .map { Candidate(Words.quoted(folder + $0), isWhole: !$0.hasSuffix("/")) }
  }
}

extension Form {
  /// What stands after these words; nil when they are not this form's, or are all it takes.
  func part(after words: [String]) -> Part? {
    let reading = reading(of: words)
    guard reading.stranger == nil else { return nil }
    let repeats: [Form.Part?] = [.required(.tools), .required(.remoteTools), .optional(.placeValues)]
    return reading.next.first ?? (repeats.contains(parts.last) ? parts.last : nil)
  }
}

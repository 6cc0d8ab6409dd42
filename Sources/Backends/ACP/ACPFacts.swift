import Chat
import Wire

/// What an agent says of itself in its answer to `initialize`; all of it may be missing (docs/acp.md 2).
struct ACPFacts: Sendable, Equatable {
  /// The only version that is spoken here.
  static let spoken = 1

  /// nil when it is missing or no whole number.
  var protocolVersion: Int?
  var name: String?
  var title: String?
  var version: String?
  var canLoad: Bool
  var canList: Bool
  var canResume: Bool
  var canFork: Bool
  var canClose: Bool
  var canDelete: Bool
  var takesMoreFolders: Bool
  var canLogOut: Bool
  var takesImages: Bool
  var takesAudio: Bool
  /// Whether a prompt may hold files.
  var takesEmbedded: Bool
  /// Which tool servers it can be told of, besides programs.
  var takesHTTPServers: Bool
  var takesSSEServers: Bool
  var signIns: [SignIn]

  init(_ result: JSON) {
    protocolVersion = result["protocolVersion"]?.int ?? result.text("protocolVersion").flatMap { Int($0) }
    let info = result["agentInfo"]
    name = info?.text("name")
    title = info?.text("title")
    version = info?.text("version")
    let all = result["agentCapabilities"] ?? .null
    let session = all["sessionCapabilities"] ?? .null
    let prompt = all["promptCapabilities"] ?? .null
    let servers = all["mcpCapabilities"] ?? .null
    canLoad = all.marks("loadSession")
    canList = session.marks("list")
    canResume = session.marks("resume")
    canFork = session.marks("fork")
    canClose = session.marks("close")
    canDelete = session.marks("delete")
    takesMoreFolders = session.marks("additionalDirectories")
    canLogOut = all["auth"]?.marks("logout") ?? false
    takesImages = prompt.marks("image")
    takesAudio = prompt.marks("audio")
    takesEmbedded = prompt.marks("embeddedContext")
    takesHTTPServers = servers.marks("http")
    takesSSEServers = servers.marks("sse")
    signIns = (result["authMethods"]?.array ?? []).compactMap { SignIn($0) }
  }

  /// The version that it speaks, in a word.
  var theirs: String { protocolVersion.map { "\($0)" } ?? "none that can be read" }

  /// For people, in the words of the protocol.
  var capabilities: [String] {
    let words = [
      (canLoad, "load"), (canList, "list"), (canResume, "resume"), (canFork, "fork"), (canClose, "close"),
      (canDelete, "delete"),
      (takesMoreFolders, "additionalDirectories"), (takesImages, "image"), (takesAudio, "audio"),
      (takesEmbedded, "embeddedContext"), (takesHTTPServers, "mcp-http"), (takesSSEServers, "mcp-sse"),
      (canLogOut, "logout"),
    ]
    return words.compactMap { $0.0 ? $0.1 : nil }
  }

  /// The parameters of `initialize`.
  static func question(_ offer: ACPOffer, version: String) -> JSON {
    [
      "protocolVersion": .int(spoken), "clientCapabilities": offer.json,
      "clientInfo": ["name": .string(Program.name), "title": .string(Program.name), "version": .string(version)],
    ]
  }
}

extension ACPFacts {
  /// A way to sign in to an agent (docs/acp.md 8).
  struct SignIn: Sendable, Equatable {
    var id: String
    var name: String
    var summary: String?
    /// `agent` when it is asked to and does the rest, `terminal` when its own command is run again in the person's
    /// terminal, or a word that this program does not know.
    var type: String
    /// What the command is given besides, in a terminal.
    var arguments: [String]
    var variables: [AgentCommand.Variable]

    var isOfAgent: Bool { type == "agent" }
    var isOfTerminal: Bool { type == "terminal" }
  }
}

extension ACPFacts.SignIn {
  /// nil without an id. What `_meta` holds is not looked at: some agents put a whole command line there.
  init?(_ json: JSON) {
    guard let id = json.text("id") else { return nil }
    self.id = id
    name = json.text("name") ?? id
    summary = json.text("description")
    type = json.text("type") ?? "agent"
    arguments = (json["args"]?.array ?? []).compactMap(\.string)
    variables = Self.variables(json["env"] ?? .null)
  }

  /// A map, or a list of names and values as elsewhere in the protocol.
  private static func variables(_ json: JSON) -> [AgentCommand.Variable] {
    if let members = json.object {
      return members.compactMap { member in
        member.value.string.map { AgentCommand.Variable(name: member.key, value: $0) }
      }
    }
    return (json.array ?? []).compactMap { entry in
      guard let name = entry.text("name"), let value = entry["value"]?.string else { return nil }
      return AgentCommand.Variable(name: name, value: value)
    }
  }
}

extension JSON {
  /// Whether something is supported: said by an object or by `true`; absent, null and `false` are no.
  fileprivate func marks(_ key: String) -> Bool { self[key]?.object != nil || self[key] == .bool(true) }
}

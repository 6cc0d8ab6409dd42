import Chat
import Wire

/// What `session/request_permission` asks, and how it is answered (docs/acp.md 5).
struct ACPPermission: Sendable, Equatable {
  /// Empty when it names none.
  var session: String
  /// What is known of the call. The question may hold its id alone, or be of a call that was never announced.
  var activity: Activity
  /// In the agent's order. Kinds repeat, and ids say nothing.
  var options: [PermissionOption]

  init(_ params: JSON, _ fold: ACPFold) {
    session = params.idText("sessionId") ?? ""
    activity = fold.patched(params["toolCall"] ?? .null)
    let all = (params["options"]?.array ?? []).compactMap { PermissionOption($0) }
    // Two of one id cannot be told apart by whom they are sent to: a no could be a yes.
    let counts = Dictionary(all.map { ($0.id, 1) }, uniquingKeysWith: +)
    options = all.filter { counts[$0.id] == 1 }
  }

  /// The result for what the person said. An answer that is none of the agent's options is not one.
  static func answer(_ reply: AgentQuestion.Reply) -> JSON {
    guard case .option(let option) = reply else { return ["outcome": ["outcome": "cancelled"]] }
    return ["outcome": ["outcome": "selected", "optionId": .string(option.id)]]
  }

  /// The result of `elicitation/create`.
  static func words(_ reply: AgentQuestion.Reply) -> JSON {
    switch reply {
    case .words(let words): words.json
    case .refuse: ToolQuestion.Reply.decline.json
    case .option, .allow, .cancel: ToolQuestion.Reply.cancel.json
    }
  }
}

extension PermissionOption {
  /// nil without an id: it could not be chosen.
  fileprivate init?(_ json: JSON) {
    guard let id = json.text("optionId") else { return nil }
    self.init(id: id, name: json.text("name") ?? id, kind: json.text("kind").flatMap { Kind(rawValue: $0) })
  }
}

extension PermissionOption {
  var allows: Bool { kind == .allowOnce || kind == .allowAlways }
}

import Wire

/// The forms of gateways that there are (docs/gateway.md 1).
enum GatewayForm: Sendable, CaseIterable {
  /// claude-code-api: runs a program for each question, which is given one text and remembers nothing.
  case program
  /// The backend of claude-code-monorepo: hands a conversation on to the model's own API.
  case relay
  /// claude-code-openai-wrapper: keeps the conversation of each session, and adds to it whatever is sent.
  case keeper
  /// As a document for its clients describes it.
  case documented

  /// Whether it is given the conversation as one text.
  var foldsHistory: Bool { self == .program }
  /// Whether it knows what was said before in a session.
  var keepsHistory: Bool { self == .keeper }
  /// Whether a session begins with a call of its own.
  var opensSessions: Bool { self == .documented }
  var takesProject: Bool { self == .program || self == .documented }
  /// The project where none is chosen: this form would make a folder that is called by the person's key
  /// (docs/gateway.md 11).
  var project: String? { self == .program ? "default" : nil }
  /// Whether the system prompt has a field of its own.
  var hasSystemField: Bool { self == .program || self == .documented }
  var takesSampling: Bool { self == .relay || self == .keeper }
  /// Whether what it runs goes on when nobody listens, until it is told to stop (docs/gateway.md 3.4).
  var runsOn: Bool { self == .program || self == .documented }
  /// Whether a chunk of its stream is a whole message, trimmed (docs/gateway.md 3.2).
  var sendsWholeMessages: Bool { self == .program }
  /// Whether it can be told which tools its model may use.
  var takesToolChoice: Bool { self == .documented }
}

/// What a server says of itself at its root (docs/gateway.md 2).
enum GatewayGreeting: Equatable {
  case form(GatewayForm)
  /// Another page has to be seen before that is certain.
  case mayBe(GatewayForm)
  case other

  /// The bytes of a page that are looked at.
  static let limit = 64 << 10

  init(_ document: Document) {
    if let json = document.json {
      switch json["name"]?.string {
      case "Claude Code API Gateway": self = .form(.program)
      case "Claude Code Backend API": self = .form(.relay)
      default:
        let error = json["error"]
        let isDocumented = error?["code"]?.string != nil && error?["status"]?.int == document.status
        self = isDocumented ? .mayBe(.documented) : .other
      }
    } else {
      self = HTMLPage(document.bytes) != nil && document.bytes.mentionsClaude ? .mayBe(.keeper) : .other
    }
  }
}

extension GatewayForm {
  /// Where a server of this form says what no other does, from the root on.
  var markPath: String { self == .keeper ? "/v1/auth/status" : "/health" }

  func isMarked(by document: Document) -> Bool {
    // Who asks too often is told so by the same server.
    if self == .keeper { return document.json?["claude_code_auth"] != nil || document.status == 429 }
    return document.json?["ok"]?.bool != nil
  }

  /// The form that a report of health is of; nil when it is none.
  init?(health json: JSON) {
    guard json["ok"]?.bool != nil || json["status"]?.string != nil else { return nil }
    if json["ok"]?.bool != nil {
      self = .documented
    } else if json["service"]?.string?.contains("wrapper") == true {
      self = .keeper
    } else {
      self = json["claude_version"] != nil || json["active_sessions"] != nil ? .program : .relay
    }
  }
}

extension [UInt8] {
  /// Whether the beginning of a page has the name in it.
  fileprivate var mentionsClaude: Bool {
    let lowered = prefix(GatewayGreeting.limit).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    return lowered.firstRange(of: Array("claude".utf8)) != nil
  }
}

import Wire

extension ACPCode {
  /// What a code stands for, where the agent says nothing itself.
  static func meaning(of code: Int) -> String {
    switch code {
    case -32700: "parse error"
    case -32600: "invalid request"
    case -32601: "method not found"
    case -32602: "invalid parameters"
    case -32603: "internal error"
    case authRequired: "authentication required"
    case notFound: "not found"
    case cancelled: "cancelled"
    default: "error \(code)"
    }
  }
}

/// An agent's error: what it says, and what that means for what to do next (docs/acp.md 9).
extension RPCFailure {
  /// What the agent says, message and data: never empty, and not to be trusted.
  var words: String {
    var parts: [String] = []
    for part in [message] + RPCFailure.texts(in: data ?? .null) {
      let part = part.trimmingBlanks
      guard !part.isEmpty, !parts.contains(where: { $0.contains(part) }) else { continue }
      // Some say all of the message again in the data.
      parts.removeAll { part.contains($0) }
      parts.append(part)
    }
    return parts.isEmpty ? ACPCode.meaning(of: code) : parts.joined(separator: ": ")
  }

  /// Of an answer to `session/load` or `session/resume`: whether the agent does not have that session any more. There is
  /// a code for it, and few agents use it.
  var isSessionGone: Bool {
    switch code {
    case ACPCode.notFound: return true
    case -32001, -32602, -32603, -32600:
      let words = words.lowercased()
      return RPCFailure.subjects.contains { words.contains($0) } && RPCFailure.losses.contains { words.contains($0) }
    default: return false
    }
  }

  private static let subjects = ["session", "conversation", "thread"]
  private static let losses = [
    "not found", "no such", "unknown", "not exist", "n't exist", "invalid session", "expired", "no longer",
    "could not find", "cannot find", "can't find", "missing session", "no session", "no conversation", "not known",
  ]

  /// The texts in `data`, which may be a text itself.
  private static func texts(in data: JSON, depth: Int = 0) -> [String] {
    switch data {
    case .string(let text): [text]
    case .array(let entries) where depth < 4: entries.prefix(3).flatMap { texts(in: $0, depth: depth + 1) }
    case .object where depth < 4:
      ["message", "msg", "reason", "details", "detail", "error", "errors"].flatMap { key in
        data[key].map { texts(in: $0, depth: depth + 1) } ?? []
      }
    default: []
    }
  }
}

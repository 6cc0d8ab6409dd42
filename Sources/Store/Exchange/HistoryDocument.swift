import Wire

/// How sessions stand in a file of ours (docs/export.md 1).
package enum HistoryDocument: Sendable {
  /// One object, with a session in each line.
  case json
  /// A line that says what the file is, and for each session one of its own and one for each turn.
  case jsonl

  /// The version of what is written; a later one is refused.
  static let version = 1

  private static let mark: [JSON.Member] = [.init("parley", "history"), .init("version", .int(version))]

  /// What stands before the first session.
  package var begin: String {
    let mark = JSON.object(Self.mark).serialized()
    return self == .json ? mark.dropLast() + ",\"sessions\":[" : mark + "\n"
  }

  /// What stands behind the last.
  package var end: String { self == .json ? "\n]}\n" : "" }

  /// - Parameter isFirst: whether it is the first of the document.
  package func pieces(of session: KeptSession, isFirst: Bool) -> [String] {
    if self == .json { return [(isFirst ? "\n" : ",\n") + session.json.serialized()] }
    let id = JSON.Member("session", .string(session.session.id.text))
    let head = JSON.object([.init("type", "session")] + session.header)
    return [head.serialized() + "\n"]
      + session.turns.map { JSON.object([.init("type", "turn"), id] + $0.members).serialized() + "\n" }
  }
}

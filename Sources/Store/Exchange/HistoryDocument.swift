import Wire

/// How sessions stand in a file of ours (docs/export.md).
package enum HistoryDocument {
  /// The version of what is written; a later one is refused.
  static let version = 1

  static let mark: [JSON.Member] = [.init("parley", "history"), .init("version", .int(version))]

  /// What stands before the first session, between two, and behind the last one, in a document of JSON.
  package enum JSONFrame {
    package static let begin = "{\"parley\":\"history\",\"version\":\(version),\"sessions\":["
    package static let end = "\n]}\n"

    /// - Parameter isFirst: whether it is the first of the document.
    package static func element(_ session: KeptSession, isFirst: Bool) -> String {
      (isFirst ? "\n" : ",\n") + session.json.serialized()
    }
  }

  /// Lines of JSON: one that says what the file is, and for each session one of its own and one for each turn.
  package enum JSONLFrame {
    package static let begin = JSON.object(mark).serialized() + "\n"

    package static func lines(_ session: KeptSession) -> [String] {
      let id = JSON.Member("session", .string(session.session.id.text))
      let head = JSON.object([.init("type", "session")] + session.header)
      return [head.serialized() + "\n"]
        + session.turns.map { turn in
          JSON.object([.init("type", "turn"), id] + turn.members).serialized() + "\n"
        }
    }
  }
}

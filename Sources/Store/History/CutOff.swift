import GRDB

/// Sessions whose last answer was being written when its program died, until a person was told. A run of a script may
/// be the first to find one, and has nobody to tell.
enum CutOff {
  private static let prefix = "cut_off:"

  static func note(_ session: SessionID, in db: Database) throws {
    try db.execute(sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, 1)", arguments: [prefix + session.text])
  }

  /// Names of `meta` that are such notes, by its index: each start looks for them.
  static let notes = "name >= 'cut_off:' AND name < 'cut_off;'"

  /// Those that there still are, and that nobody has gone on with.
  static func sessions(_ db: Database) throws -> [SessionID] {
    try String.fetchAll(
      db,
      sql: """
        SELECT id FROM session WHERE id IN (SELECT substr(name, ?) FROM meta WHERE \(notes))
          AND EXISTS (SELECT 1 FROM message WHERE turn = head AND role = 'assistant' AND status = 'interrupted')
        ORDER BY updated_at DESC
        """, arguments: [prefix.count + 1]
    ).map(SessionID.init)
  }

  static func forget(in db: Database) throws { try db.execute(sql: "DELETE FROM meta WHERE \(notes)") }
}

extension History {
  /// The session's answer was cut off by the end of its terminal: nobody saw how it ended.
  package func noteCutOff(_ session: SessionID) async throws(HistoryError) {
    try await change { db in try CutOff.note(session, in: db) }
  }

  /// The person was told of the sessions in `cutOff`.
  package func forgetCutOff() async throws(HistoryError) {
    guard !cutOff.isEmpty else { return }
    try await change { db in try CutOff.forget(in: db) }
  }
}

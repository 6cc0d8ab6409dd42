import Foundation
import GRDB

extension History {
  /// One that is archived is in no list of the last sessions until it is gone on with; it is found by its name and by a
  /// search.
  package func setArchived(_ isArchived: Bool, of session: SessionID) async throws(HistoryError) {
    try await update(session, "archived = ?", [isArchived])
  }

  /// One that is pinned stands before all others in lists, and is not forgotten for its age.
  package func setPinned(_ isPinned: Bool, of session: SessionID) async throws(HistoryError) {
    try await update(session, "pinned = ?", [isPinned])
  }

  /// Puts words to a session, and takes others away.
  /// - Returns: all that it has then, in their order.
  package func tag(
    _ session: SessionID, adding added: [String], removing removed: [String]
  ) async throws(HistoryError) -> [String] {
    try await change { db in
      guard let key = try Int64.fetchOne(db, sql: "SELECT key FROM session WHERE id = ?", arguments: [session.text])
      else { throw HistoryError.noSession(session.text) }
      for word in removed {
        try db.execute(sql: "DELETE FROM tag WHERE session = ? AND word = ?", arguments: [key, word])
      }
      for word in added {
        try db.execute(sql: "INSERT OR IGNORE INTO tag (session, word) VALUES (?, ?)", arguments: [key, word])
      }
      return try String.fetchAll(db, sql: "SELECT word FROM tag WHERE session = ? ORDER BY word", arguments: [key])
    }
  }

  /// Every word that some session has, with how many have it.
  package func tags() async throws(HistoryError) -> [(word: String, sessions: Int)] {
    try await read { db in try db.tags() }
  }
}

extension Database {
  func tags() throws -> [(word: String, sessions: Int)] {
    try Row.fetchAll(self, sql: "SELECT word, count(*) AS sessions FROM tag GROUP BY word ORDER BY word").map {
      ($0.value("word") ?? "", $0.value("sessions") ?? 0)
    }
  }
}

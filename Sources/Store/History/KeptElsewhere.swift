import GRDB

extension History {
  /// The sessions that a server keeps too, by its names for them.
  package func remoteSessions(of url: String) async throws(HistoryError) -> [String: SessionSummary] {
    try await read { db in
      let rows = try Row.fetchAll(
        db, sql: SessionSummary.select + " WHERE remote IS NOT NULL AND server_url = ? ORDER BY updated_at",
        arguments: [url])
      return Dictionary(
        rows.map { ($0.value("remote") ?? "", SessionSummary($0)) }, uniquingKeysWith: { _, newer in newer })
    }
  }
}

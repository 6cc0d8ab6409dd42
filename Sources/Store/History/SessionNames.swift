import GRDB

extension History {
  /// Ids and names of the last sessions, newest first, for a completion that must neither wait nor write: empty when
  /// the file is not there, in use, or not readable.
  package static func names(at path: String, limit: Int = 50) -> [(id: String, title: String)] {
    guard HistoryFile(path).size() ?? 0 > 0 else { return [] }
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(0.05)
    // Tab has no place to say why nothing is offered.
    let queue = try? DatabaseQueue(path: path, configuration: configuration)
    let rows = try? queue?.read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT id, coalesce(title, opening) AS name FROM session WHERE archived = 0 "
          + "ORDER BY updated_at DESC, key DESC LIMIT ?", arguments: [limit])
    }
    return (rows ?? []).map { row in (id: row["id"] ?? "", title: row["name"] ?? "") }
  }
}

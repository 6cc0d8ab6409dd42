import GRDB

extension History {
  /// Of fewer letters a word is no beginning of an id: it is a slip, such as the number of a row.
  private static let shortestID = 4
  /// What lists print of an id. One that another program made may read like a word.
  private static let printedID = 8

  /// The session that these words stand for: the beginning of its id, else its exact title, else the titles that contain all
  /// the words. Nothing looser: a slip must not go on with the wrong session.
  package func session(matching typed: String) async throws(HistoryError) -> SessionMatch {
    let words = typed.lowercased()
    return try await read { db in
      let isOurs = words.utf8.allSatisfy { $0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isHexDigit }
      if words.utf8.count >= (isOurs ? History.shortestID : History.printedID) {
        let beginnings = [words, typed, typed.uppercased()]
        let range = " WHERE " + beginnings.map { _ in "id >= ? AND id < ?" }.joined(separator: " OR ")
        let bounds = StatementArguments(beginnings.flatMap { [$0, $0 + "\u{10FFFF}"] })
        let found = try db.summaries(range + " ORDER BY updated_at DESC LIMIT 20", bounds)
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM session" + range, arguments: bounds)
        if !found.isEmpty { return SessionMatch(found, count: count ?? found.count) }
      }
      let wanted = words.split(separator: " ").map(String.init)
      guard !wanted.isEmpty else { return .none }
      var exact: [Int64] = []
      var within: [Int64] = []
      // SQLite knows the two forms of a letter for English alone; of most names that is enough to leave them out.
      let known = wanted.filter { $0.utf8.allSatisfy { $0 < 0x80 } }.prefix(32)
      let names = try Row.fetchCursor(
        db,
        sql: """
          SELECT key, coalesce(title, opening) AS name FROM session
          WHERE 1\(String(repeating: " AND instr(lower(coalesce(title, opening)), ?) > 0", count: known.count))
          ORDER BY archived, updated_at DESC
          """, arguments: StatementArguments(known))
      while let row = try names.next() {
        let key: Int64 = row.value("key") ?? 0
        let name = (row.value("name") as String? ?? "").lowercased()
        if name == words {
          exact.append(key)
        } else if wanted.allSatisfy({ name.contains($0) }) {
          within.append(key)
        }
      }
      let best = [exact, within].first { !$0.isEmpty } ?? []
      let found = try best.prefix(20).flatMap { key in try db.summaries(" WHERE session.key = ?", [key]) }
      return SessionMatch(found, count: best.count)
    }
  }
}

extension SessionMatch {
  fileprivate init(_ found: [SessionSummary], count: Int) {
    switch found.count {
    case 0: self = .none
    case 1: self = .one(found[0])
    default: self = .several(found, count: count)
    }
  }
}

extension Database {
  fileprivate func summaries(_ conditions: String, _ arguments: StatementArguments) throws -> [SessionSummary] {
    try Row.fetchAll(self, sql: SessionSummary.select + conditions, arguments: arguments).map(SessionSummary.init)
  }
}

import Chat
import GRDB

extension History {
  /// Sessions by their last message, newest first, the pinned ones before all others.
  /// - Parameter archived: whether those that are archived are wanted, or the others.
  package func recent(
    _ limit: Int = 20, offset: Int = 0, archived: Bool = false
  ) async throws(HistoryError) -> [SessionSummary] {
    let isIn = " WHERE archived = ? AND pinned "
    return try await read { db in
      // In two steps, each in the order of an index.
      func sessions(_ isPinned: String, _ limit: Int, _ offset: Int) throws -> [SessionSummary] {
        try Row.fetchAll(
          db,
          sql: SessionSummary.select + isIn + isPinned + " ORDER BY updated_at DESC, key DESC LIMIT ? OFFSET ?",
          arguments: [archived, limit, offset]
        ).map(SessionSummary.init)
      }
      let pinned = try sessions("= 1", limit, offset)
      guard pinned.count < limit else { return pinned }
      let before =
        try Int.fetchOne(db, sql: "SELECT count(*) FROM session" + isIn + "= 1", arguments: [archived]) ?? 0
      return try pinned + sessions("IS NOT 1", limit - pinned.count, max(0, offset - before))
    }
  }

  /// Sessions that are not archived by their last message, newest first, pinned or not.
  package func newest(_ limit: Int) async throws(HistoryError) -> [SessionSummary] {
    try await read { db in
      try Row.fetchAll(
        db, sql: SessionSummary.select + " WHERE archived = 0 ORDER BY updated_at DESC, key DESC LIMIT ?",
        arguments: [limit]
      ).map(SessionSummary.init)
    }
  }

  /// How many sessions `recent` has to give.
  package func count(archived: Bool = false) async throws(HistoryError) -> Int {
    try await read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM session WHERE archived = ?", arguments: [archived]) ?? 0
    }
  }

  /// When each server was last talked with, by its address, in milliseconds since 1970.
  package func lastUses() async throws(HistoryError) -> [String: Int] {
    try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql:
          "SELECT server_url AS url, max(updated_at) AS moment FROM session WHERE url IS NOT NULL GROUP BY server_url")
      return Dictionary(
        rows.map { ($0.value("url") ?? "", $0.moment("moment")) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The session of the last message.
  package func latest() async throws(HistoryError) -> Session? {
    let now = now()
    return try await read { db in
      // A date that far in the future comes from a clock that was wrong: any session that was used since is newer. A day
      // is the most that clocks of machines in use differ.
      try db.latestSession(" AND updated_at <= ?", [now + 86_400_000]) ?? db.latestSession()
    }
  }

  package func session(_ id: SessionID) async throws(HistoryError) -> Session? {
    try await read { db in
      try Row.fetchOne(db, sql: Session.select + " WHERE id = ?", arguments: [id.text]).map(Session.init)
    }
  }

  /// The turns from the first to the session's head.
  package func path(of session: SessionID) async throws(HistoryError) -> [Turn] {
    try await read { db in
      let head = try Int64.fetchOne(db, sql: "SELECT head FROM session WHERE id = ?", arguments: [session.text])
      return try head.map { try db.path(to: TurnID(key: $0)) } ?? []
    }
  }

  /// The turns from the first to this one, whatever branch it is on; the session's head stays where it is. Throws
  /// `noTurn` when there is no such turn.
  package func path(to turn: TurnID) async throws(HistoryError) -> [Turn] {
    try await read { db in
      let path = try db.path(to: turn)
      guard !path.isEmpty else { throw HistoryError.noTurn }
      return path
    }
  }

  package func turn(_ id: TurnID) async throws(HistoryError) -> Turn? {
    try await read { db in try db.turn(id) }
  }

  /// Those of these turns that are not there any more: another process may have forgotten them.
  package func gone(of turns: [TurnID]) async throws(HistoryError) -> Set<TurnID> {
    guard !turns.isEmpty else { return [] }
    return try await read { db in
      let places = turns.map { _ in "?" }.joined(separator: ",")
      let kept = try Int64.fetchAll(
        db, sql: "SELECT key FROM turn WHERE key IN (\(places))", arguments: StatementArguments(turns.map(\.key)))
      return Set(turns).subtracting(kept.map { TurnID(key: $0) })
    }
  }

  /// A turn by its number within its session, on whatever branch it is.
  package func turn(number: Int, of session: SessionID) async throws(HistoryError) -> Turn? {
    try await read { db in
      try db.turns(
        Turn.select + " WHERE turn.session = (SELECT key FROM session WHERE id = ?) AND turn.number = ?",
        [session.text, number]
      ).first
    }
  }

  /// The turns with the same parent, this one among them, in order of creation.
  package func siblings(of turn: TurnID) async throws(HistoryError) -> [Turn] {
    try await read { db in
      try db.turns(
        Turn.select + """
           JOIN turn AS this ON this.key = ? WHERE turn.session = this.session AND turn.parent IS this.parent
          ORDER BY turn.number
          """, [turn.key])
    }
  }

  /// The newest turn below this one, itself when there is none: where a switched-to branch goes on.
  package func tip(of turn: TurnID) async throws(HistoryError) -> TurnID {
    try await read { db in
      let key = try Int64.fetchOne(
        db,
        sql: """
          WITH RECURSIVE below(key) AS (VALUES (?) UNION SELECT turn.key FROM below JOIN turn ON turn.parent = below.key)
          SELECT max(key) FROM below
          """, arguments: [turn.key])
      return key.map(TurnID.init) ?? turn
    }
  }

  /// The last turn of the latest session when its answer is not there or not whole, for `/continue` to be offered.
  package func unfinished() async throws(HistoryError) -> (session: Session, turn: Turn)? {
    try await read { db in
      guard let session = try db.latestSession(), let head = session.head, let turn = try db.turn(head) else {
        return nil
      }
      // Another process may be at its tools, with no answer yet.
      if try LastWriter(of: head, in: db)?.isWritingElsewhere == true { return nil }
      if let answer = turn.answer {
        guard let status = answer.status, status.isUnfinished else { return nil }
      }
      return (session, turn)
    }
  }
}

extension Database {
  fileprivate func latestSession(_ condition: String = "", _ arguments: StatementArguments = []) throws -> Session? {
    try Row.fetchOne(
      self, sql: Session.select + " WHERE archived = 0\(condition) ORDER BY updated_at DESC, key DESC LIMIT 1",
      arguments: arguments
    ).map(Session.init)
  }

  func path(to turn: TurnID) throws -> [Turn] {
    try turns(
      """
      WITH RECURSIVE line(turn, parent, depth) AS (
        SELECT key, parent, 0 FROM turn WHERE key = ?
        UNION ALL SELECT turn.key, turn.parent, depth + 1 FROM line JOIN turn ON turn.key = line.parent
          WHERE turn.key < line.turn  -- a parent is older: a line that another program bent into a circle ends
      )
      """ + Turn.select + " JOIN line ON line.turn = turn.key ORDER BY line.depth DESC", [turn.key])
  }

  func turn(_ id: TurnID) throws -> Turn? {
    try turns(Turn.select + " WHERE turn.key = ?", [id.key]).first
  }
}

import Chat
import GRDB

extension History {
  /// Messages with all the words, best first; without words the newest that the filter leaves. Words are found whole,
  /// else as beginnings, else anywhere; one that ends in `*` is a beginning; signs in a word, as in `c++`, count as typed.
  /// Nothing that is typed is a syntax error.
  package func search(
    _ words: [String], _ filter: SearchFilter = SearchFilter(), limit: Int = 20
  ) async throws(HistoryError) -> [SearchHit] {
    guard limit > 0 else { return [] }
    return try await read { db in try Search(db, words, filter, self.suspectDamage)?.hits(limit: limit) ?? [] }
  }

  /// The sessions of all messages that a search finds.
  package func sessions(
    with words: [String], _ filter: SearchFilter = SearchFilter()
  ) async throws(HistoryError) -> Set<SessionID> {
    try await read { db in try Search(db, words, filter, self.suspectDamage)?.sessions() ?? [] }
  }
}

private struct Search {
  let db: Database
  let words: [SearchWord]
  let excluded: [SearchWord]
  let filter: SearchFilter
  /// Told where the index cannot be used.
  let suspectDamage: () -> Void

  /// Of more messages the newest are ranked: a word that is in so many says little of any.
  private static let mostRanked = 5_000

  /// nil where nothing is asked for.
  init?(_ db: Database, _ words: [String], _ filter: SearchFilter, _ suspectDamage: @escaping () -> Void) {
    func usable(_ words: [String]) -> [SearchWord] {
      words.map { $0.replacing("\0", with: " ") }.filter { !$0.allSatisfy(\.isWhitespace) }.prefix(32).map(
        SearchWord.init)
    }
    self.db = db
    self.words = usable(words)
    excluded = usable(filter.excluded)
    self.filter = filter
    self.suspectDamage = suspectDamage
    if self.words.isEmpty, filter == SearchFilter() { return nil }
  }

  func hits(limit: Int) throws -> [SearchHit] {
    try indexed { try ranked($0, limit) } ?? scanned { try hits($0, limit) }
  }

  func sessions() throws -> Set<SessionID> {
    func sessions(_ query: (sql: String, arguments: Arguments)) throws -> Set<SessionID> {
      let rows = try String.fetchAll(
        db, sql: "SELECT id FROM session WHERE key IN (SELECT turn.session" + query.sql + ")",
        arguments: StatementArguments(query.arguments))
      return Set(rows.map { SessionID($0) })
    }
    return try indexed { try sessions(matching($0, joined: true)) } ?? scanned(sessions)
  }

  /// What the index has for the words as whole ones, else as beginnings; nil where it is no help.
  private func indexed<T: Collection>(_ find: (_ expression: String) throws -> T) throws -> T? {
    let indexed = words.filter(\.isIndexed)
    guard !indexed.isEmpty else { return nil }
    let whole = indexed.map { $0.expression() }.joined(separator: " ")
    let begun = indexed.map { $0.expression(asPrefix: true) }.joined(separator: " ")
    do {
      let found = try find(whole)
      if !found.isEmpty || words.contains(where: \.isPrefix) { return found }
      guard begun != whole else { return nil }
      let more = try find(begun)
      return more.isEmpty ? nil : more
    } catch let error as DatabaseError where error.isDamage {
      suspectDamage()
      return nil  // looking at every message still works
    }
  }

  // With the index.

  private func ranked(_ expression: String, _ limit: Int) throws -> [SearchHit] {
    let query = matching(expression)
    guard
      let oldest = try Int64.fetchOne(
        db,
        sql: """
          SELECT min(found) FROM
            (SELECT message_index.rowid AS found\(query.sql) ORDER BY message_index.rowid DESC LIMIT ?)
          """, arguments: StatementArguments(query.arguments + [Search.mostRanked]))
    else { return [] }
    let rows = try Row.fetchAll(
      db,
      sql: Search.select + """
         FROM (SELECT message_index.rowid AS found, bm25(message_index, 1.0, 0.5) AS score\(query.sql)
          AND message_index.rowid >= ? ORDER BY score, found DESC LIMIT ?)
        JOIN message ON message.key = found JOIN turn ON turn.key = message.turn JOIN session ON session.key = turn.session
        ORDER BY score, found DESC
        """, arguments: StatementArguments(query.arguments + [oldest, limit]))
    let marks = SearchHit.Marks()
    let marked = try marked(rows.compactMap { $0.value("key") }, expression, marks)
    return rows.map { row in hit(row, SearchHit.pieces(of: marked[row.value("key") ?? 0] ?? "", between: marks)) }
  }

  /// From `FROM` on.
  /// - Parameter joined: whether tables are wanted that are joined where there is something to limit.
  private func matching(_ expression: String, joined: Bool = false) -> (sql: String, arguments: Arguments) {
    let inIndex = excluded.filter { $0.isPlain && $0.isOfSpacedScript }
    let match = inIndex.reduce("(\(expression))") { $0 + " NOT " + $1.expression() }
    var (conditions, arguments) = limits()
    for word in words where !word.isPlain { require(word, &conditions, &arguments) }
    for word in excluded where !(word.isPlain && word.isOfSpacedScript) { exclude(word, &conditions, &arguments) }
    let tables =
      conditions.isEmpty && !joined
      ? ""
      : """
       CROSS JOIN message ON message.key = message_index.rowid CROSS JOIN turn ON turn.key = message.turn
      CROSS JOIN session ON session.key = turn.session
      """
    return (" FROM message_index" + tables + " WHERE message_index MATCH ?" + conditions, [match] + arguments)
  }

  /// Cuts snippets for the rows that are shown, for it reads their whole texts; all in one go, since words that begin so
  /// are looked up anew each time.
  private func marked(_ keys: [Int64], _ expression: String, _ marks: SearchHit.Marks) throws -> [Int64: String] {
    guard let first = keys.min(), let last = keys.max() else { return [:] }
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT rowid AS key, snippet(message_index, -1, ?, ?, '…', 16) AS text FROM message_index
        WHERE message_index MATCH ? AND rowid >= ? AND rowid <= ?
          AND +rowid IN (\(keys.map(String.init).joined(separator: ",")))
        """, arguments: [marks.begin, marks.end, expression, first, last])
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.value("key") ?? 0, $0.value("text") ?? "") })
  }

  // Without it.

  private func scanned<T>(_ find: ((sql: String, arguments: Arguments)) throws -> T) throws -> T {
    do { return try find(scanning(withIndex: true)) } catch let error as DatabaseError where error.isDamage {
      suspectDamage()
      return try find(scanning(withIndex: false))
    }
  }

  private func hits(_ query: (sql: String, arguments: Arguments), _ limit: Int) throws -> [SearchHit] {
    let rows = try Row.fetchAll(
      db,
      sql: Search.select + ", message.content, message.reasoning" + query.sql + " ORDER BY message.key DESC LIMIT ?",
      arguments: StatementArguments(query.arguments + [limit]))
    return rows.map { row in
      let text: String = row.value("content") ?? ""
      let inText = SearchHit.excerpt(of: text, around: words.map(\.text))
      let beside = SearchHit.excerpt(of: row.value("reasoning") ?? "", around: words.map(\.text))
      return hit(row, inText ?? beside ?? SearchHit.beginning(of: text))
    }
  }

  /// - Parameter withIndex: whether it may say which messages to leave out.
  private func scanning(withIndex: Bool) -> (sql: String, arguments: Arguments) {
    var (conditions, arguments) = limits()
    for word in words { require(word, &conditions, &arguments) }
    for word in excluded { exclude(word, &conditions, &arguments, withIndex: withIndex) }
    return (
      """
       FROM message JOIN turn ON turn.key = message.turn JOIN session ON session.key = turn.session
      WHERE message.status IS NOT 'streaming'\(conditions)
      """, arguments
    )
  }

  // Conditions.

  private typealias Arguments = [any DatabaseValueConvertible]

  private func require(_ word: SearchWord, _ conditions: inout String, _ arguments: inout Arguments) {
    let pattern = Search.pattern(word)
    conditions += " AND (message.content LIKE ? ESCAPE '\\' OR message.reasoning LIKE ? ESCAPE '\\')"
    arguments += [pattern, pattern]
  }

  /// A word by the index, as with it, so that `-car` leaves `cars` in; what it does not have by its signs.
  private func exclude(
    _ word: SearchWord, _ conditions: inout String, _ arguments: inout Arguments, withIndex: Bool = true
  ) {
    if withIndex, word.isPlain, word.isOfSpacedScript {
      conditions += " AND message.key NOT IN (SELECT rowid FROM message_index WHERE message_index MATCH ?)"
      return arguments.append(word.expression())
    }
    let pattern = Search.pattern(word)
    conditions += " AND message.content NOT LIKE ? ESCAPE '\\' AND message.reasoning NOT LIKE ? ESCAPE '\\'"
    arguments += [pattern, pattern]
  }

  /// Nobody types a longer word, and SQLite takes no pattern without end.
  private static func pattern(_ word: SearchWord) -> String {
    let text = String(word.text.prefix(2_000).unicodeScalars.prefix(10_000))
    return "%" + text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_") + "%"
  }

  private static let select = """
    SELECT message.key, message.role, message.created_at, message.model, message.turn, turn.number, session.id AS session,
      coalesce(session.title, session.opening) AS name
    """

  private func limits() -> (String, Arguments) {
    var conditions = ""
    var arguments: Arguments = []
    func limit(_ condition: String, _ values: (any DatabaseValueConvertible)?...) {
      let values = values.compactMap { $0 }
      guard !values.isEmpty else { return }
      conditions += " AND " + condition
      arguments += values
    }
    limit("instr(lower(coalesce(message.model, session.model)), lower(?)) > 0", filter.model)
    limit("instr(lower(coalesce(message.server, session.server_name)), lower(?)) > 0", filter.server)
    limit("message.created_at >= ?", filter.since)
    limit("message.created_at < ?", filter.until)
    limit("message.role = ?", filter.role?.rawValue)
    limit("message.status = ?", filter.status?.rawValue)
    // The sessions once, and not for each message.
    limit(
      """
      turn.session IN (SELECT key FROM session WHERE substr(id, 1, length(?)) = lower(?)
        OR instr(lower(coalesce(title, opening)), lower(?)) > 0)
      """, filter.session, filter.session, filter.session)
    limit("turn.session IN (SELECT session FROM tag WHERE word = ?)", filter.tag)
    return (conditions, arguments)
  }

  private func hit(_ row: Row, _ snippet: [SearchHit.Piece]) -> SearchHit {
    SearchHit(
      session: SessionID(row.value("session") ?? ""), name: row.value("name") ?? "",
      turn: TurnID(key: row.value("turn") ?? 0),
      number: row.value("number") ?? 0, role: (row.value("role") as String?).flatMap(Role.init) ?? .user,
      createdAt: row.moment("created_at"), model: row.value("model"), snippet: snippet)
  }
}

extension DatabaseError {
  /// Whether something is missing or damaged, which may be the index alone.
  fileprivate var isDamage: Bool { if case .damaged = HistoryError(self, path: "") { true } else { false } }
}

import Chat
import Foundation
import GRDB

extension History {
  /// Messages with all the words, best first; without words the newest that the filter leaves. Words are found whole,
  /// else as beginnings, else anywhere; one that ends in `*` is a beginning; signs in a word, as in `c++`, count as typed.
  /// Nothing that is typed is a syntax error.
  package func search(
    _ words: [String], _ filter: SearchFilter = SearchFilter(), limit: Int = 20
  ) async throws(HistoryError) -> [SearchHit] {
    func usable(_ words: [String]) -> [SearchWord] {
      words.map { $0.replacing("\0", with: " ") }.filter { !$0.allSatisfy(\.isWhitespace) }.prefix(32).map(
        SearchWord.init)
    }
    let (words, without) = (usable(words), usable(filter.without))
    guard limit > 0, !words.isEmpty || filter != SearchFilter() else { return [] }
    return try await read { db in
      try Search(db: db, words: words, without: without, filter: filter, limit: limit).run()
    }
  }
}

private struct Search {
  let db: Database
  let words: [SearchWord]
  let without: [SearchWord]
  let filter: SearchFilter
  let limit: Int

  private static let (begin, end) = ("\u{E000}", "\u{E001}")

  /// Of more messages the newest are ranked: a word that is in so many says little of any.
  private static let mostRanked = 5_000

  func run() throws -> [SearchHit] {
    let indexed = words.filter(\.isIndexed)
    if !indexed.isEmpty {
      let whole = indexed.map { $0.expression(asBeginning: false) }.joined(separator: " ")
      let begun = indexed.map { $0.expression(asBeginning: true) }.joined(separator: " ")
      for expression in begun == whole ? [whole] : [whole, begun] {
        let hits = try? matches(expression)  // the index is missing or drifted: looking at every message still works
        guard let hits else { break }
        if !hits.isEmpty { return hits }
      }
    }
    return try scan()
  }

  private func matches(_ expression: String) throws -> [SearchHit] {
    var (conditions, arguments) = filters()
    for word in words where !word.isPlain { require(word, &conditions, &arguments) }
    let excluded = without.filter { $0.isPlain && $0.isIndexed }
    for word in without where !(word.isPlain && word.isIndexed) { refuse(word, &conditions, &arguments) }
    let expression = excluded.reduce("(\(expression))") { $0 + " NOT " + $1.expression(asBeginning: false) }
    // What is not limited needs no more than the index.
    let source =
      " FROM message_index"
      + (conditions.isEmpty
        ? ""
        : """
         CROSS JOIN message ON message.key = message_index.rowid CROSS JOIN turn ON turn.key = message.turn
        CROSS JOIN session ON session.key = turn.session
        """) + " WHERE message_index MATCH ?" + conditions
    guard
      let oldest = try Int64.fetchOne(
        db,
        sql: """
          SELECT min(found) FROM (SELECT message_index.rowid AS found\(source) ORDER BY message_index.rowid DESC LIMIT ?)
          """, arguments: StatementArguments([expression] + arguments + [Search.mostRanked]))
    else { return [] }
    let rows = try Row.fetchAll(
      db,
      sql: Search.select + """
         FROM (SELECT message_index.rowid AS found, bm25(message_index, 1.0, 0.5) AS score\(source)
          AND message_index.rowid >= ? ORDER BY score, found DESC LIMIT ?)
        JOIN message ON message.key = found JOIN turn ON turn.key = message.turn JOIN session ON session.key = turn.session
        ORDER BY score, found DESC
        """, arguments: StatementArguments([expression] + arguments + [oldest, limit]))
    let marked = try marked(rows.compactMap { $0.value("key") }, expression)
    return rows.map { row in hit(row, Search.pieces(of: marked[row.value("key") ?? 0] ?? "")) }
  }

  /// Cuts snippets for the rows that are shown, for it reads their whole texts; all in one go, since words that begin so
  /// are looked up anew each time.
  private func marked(_ keys: [Int64], _ expression: String) throws -> [Int64: String] {
    guard let first = keys.min(), let last = keys.max() else { return [:] }
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT rowid AS key, snippet(message_index, -1, ?, ?, '…', 16) AS text FROM message_index
        WHERE message_index MATCH ? AND rowid >= ? AND rowid <= ?
          AND +rowid IN (\(keys.map(String.init).joined(separator: ",")))
        """, arguments: [Search.begin, Search.end, expression, first, last])
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.value("key") ?? 0, $0.value("text") ?? "") })
  }

  private func scan() throws -> [SearchHit] {
    var (conditions, arguments) = filters()
    for word in words { require(word, &conditions, &arguments) }
    for word in without { refuse(word, &conditions, &arguments) }
    let rows = try Row.fetchAll(
      db,
      sql: Search.select + """
        , message.content, message.reasoning FROM message JOIN turn ON turn.key = message.turn
        JOIN session ON session.key = turn.session
        WHERE message.status IS NOT 'streaming'\(conditions) ORDER BY message.key DESC LIMIT ?
        """, arguments: StatementArguments(arguments + [limit]))
    return rows.map { row in
      let text: String = row.value("content") ?? ""
      let inText = Search.excerpt(of: text, around: words.map(\.text))
      let beside = Search.excerpt(of: row.value("reasoning") ?? "", around: words.map(\.text))
      return hit(row, inText ?? beside ?? Search.beginning(of: text))
    }
  }

  private typealias Arguments = [any DatabaseValueConvertible]

  private func require(_ word: SearchWord, _ conditions: inout String, _ arguments: inout Arguments) {
    let pattern = Search.pattern(word)
    conditions += " AND (message.content LIKE ? ESCAPE '\\' OR message.reasoning LIKE ? ESCAPE '\\')"
    arguments += [pattern, pattern]
  }

  private func refuse(_ word: SearchWord, _ conditions: inout String, _ arguments: inout Arguments) {
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

  private func filters() -> (String, Arguments) {
    var conditions = ""
    var arguments: Arguments = []
    func require(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions += " AND " + condition
      arguments.append(value)
    }
    require("instr(lower(coalesce(message.model, session.model)), lower(?)) > 0", filter.model)
    require("instr(lower(coalesce(message.server, session.server_name)), lower(?)) > 0", filter.server)
    require("message.created_at >= ?", filter.since)
    require("message.created_at < ?", filter.until)
    require("message.role = ?", filter.role?.rawValue)
    require("message.status = ?", filter.status?.rawValue)
    if let session = filter.session {
      conditions += """
         AND (substr(session.id, 1, length(?)) = lower(?)
          OR instr(lower(coalesce(session.title, session.opening)), lower(?)) > 0)
        """
      arguments += [session, session, session]
    }
    require("EXISTS (SELECT 1 FROM tag WHERE tag.session = session.key AND word = ?)", filter.tag)
    return (conditions, arguments)
  }

  private func hit(_ row: Row, _ snippet: [SearchHit.Piece]) -> SearchHit {
    SearchHit(
      session: SessionID(row.value("session") ?? ""), name: row.value("name") ?? "",
      turn: TurnID(key: row.value("turn") ?? 0),
      number: row.value("number") ?? 0, role: (row.value("role") as String?).flatMap(Role.init) ?? .user,
      createdAt: row.moment("created_at"), model: row.value("model"), snippet: snippet)
  }

  private static func pieces(of marked: String) -> [SearchHit.Piece] {
    var pieces: [SearchHit.Piece] = []
    var isMatch = false
    for part in marked.unicodeScalars.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\u{E000}" || $0 == "\u{E001}" })
    {
      if !part.isEmpty { pieces.append(.init(text: String(part), isMatch: isMatch)) }
      isMatch.toggle()
    }
    return pieces
  }

  /// Some 60 characters on either side of the first word that is found.
  private static func excerpt(of text: String, around words: [String]) -> [SearchHit.Piece]? {
    for word in words {
      guard let found = text.range(of: word, options: .caseInsensitive) else { continue }
      let start = text.index(found.lowerBound, offsetBy: -60, limitedBy: text.startIndex) ?? text.startIndex
      let end = text.index(found.upperBound, offsetBy: 60, limitedBy: text.endIndex) ?? text.endIndex
      return [
        .init(text: (start > text.startIndex ? "…" : "") + text[start..<found.lowerBound], isMatch: false),
        .init(text: String(text[found]), isMatch: true),
        .init(text: text[found.upperBound..<end] + (end < text.endIndex ? "…" : ""), isMatch: false),
      ].filter { !$0.text.isEmpty }
    }
    return nil
  }

  private static func beginning(of text: String) -> [SearchHit.Piece] {
    let head = text.prefix(120)
    return head.isEmpty ? [] : [.init(text: head + (head.endIndex < text.endIndex ? "…" : ""), isMatch: false)]
  }
}

package import Chat
import Foundation
import GRDB

/// What a search is limited to.
package struct SearchFilter: Sendable, Equatable {
  /// Parts of their names.
  package var model: String?
  package var server: String?
  /// Milliseconds since 1970.
  package var since: Int?
  package var role: Role?
  package var status: AnswerStatus?
  package var session: SessionID?
  /// Of the session.
  package var tag: String?

  package init() {}
}

/// A message that was found.
package struct SearchHit: Sendable, Equatable {
  package var session: SessionID
  /// The session's title, or the beginning of its first message.
  package var name: String
  package var turn: TurnID
  package var number: Int
  package var role: Role
  package var createdAt: Int
  package var model: String?
  package var snippet: [Piece]

  /// A stretch of the snippet, found or around it.
  package struct Piece: Sendable, Equatable {
    package var text: String
    package var isMatch: Bool
  }
}

extension History {
  /// Messages with all the words, best first. Words are found whole, else as beginnings, else anywhere; signs in a
  /// word, as in `c++`, count as typed. Nothing that is typed is a syntax error.
  package func search(
    _ words: [String], _ filter: SearchFilter = SearchFilter(), limit: Int = 20
  ) async throws(HistoryError) -> [SearchHit] {
    let words = words.map { $0.replacing("\0", with: " ") }.filter { !$0.allSatisfy(\.isWhitespace) }.prefix(32)
    guard !words.isEmpty, limit > 0 else { return [] }
    return try await read { db in try Search(db: db, words: Array(words), filter: filter, limit: limit).run() }
  }
}

private struct Search {
  let db: Database
  let words: [String]
  let filter: SearchFilter
  let limit: Int

  private static let (begin, end) = ("\u{E000}", "\u{E001}")

  func run() throws -> [SearchHit] {
    let indexed = words.filter {
      $0.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }
    if !indexed.isEmpty {
      for suffix in ["", "*"] {
        let expression = indexed.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" + suffix }.joined(separator: " ")
        let hits = try? matches(expression)  // the index is missing or drifted: looking at every message still works
        guard let hits else { break }
        if !hits.isEmpty { return hits }
      }
    }
    return try scan()
  }

  private func matches(_ expression: String) throws -> [SearchHit] {
    var (conditions, arguments) = filters()
    for word in words where !word.allSatisfy({ $0.isLetter || $0.isNumber || $0 == " " }) {
      conditions += " AND instr(lower(message.content || char(10) || message.reasoning), lower(?)) > 0"
      arguments.append(word)
    }
    let rows = try Row.fetchAll(
      db,
      sql: Search.select + """
         FROM message_index JOIN message ON message.key = message_index.rowid JOIN turn ON turn.key = message.turn
        JOIN session ON session.key = turn.session
        WHERE message_index MATCH ?\(conditions) ORDER BY bm25(message_index, 1.0, 0.5), message.key DESC LIMIT ?
        """, arguments: StatementArguments([expression] + arguments + [limit]))
    return try rows.map { row in
      // Cut only for the rows that are shown: it reads the whole text.
      let marked = try String.fetchOne(
        db,
        sql: """
          SELECT snippet(message_index, -1, ?, ?, '…', 16) FROM message_index WHERE message_index MATCH ? AND rowid = ?
          """, arguments: [Search.begin, Search.end, expression, row.value("key") as Int64?])
      return hit(row, Search.pieces(of: marked ?? ""))
    }
  }

  private func scan() throws -> [SearchHit] {
    var (conditions, arguments) = filters()
    for word in words {
      conditions += " AND instr(lower(message.content || char(10) || message.reasoning), lower(?)) > 0"
      arguments.append(word)
    }
    let rows = try Row.fetchAll(
      db,
      sql: Search.select + """
        , message.content, message.reasoning FROM message JOIN turn ON turn.key = message.turn
        JOIN session ON session.key = turn.session
        WHERE message.status IS NOT 'streaming'\(conditions) ORDER BY message.key DESC LIMIT ?
        """, arguments: StatementArguments(arguments + [limit]))
    return rows.map { row in
      let text: String = row.value("content") ?? ""
      let inText = Search.excerpt(of: text, around: words)
      return hit(row, inText ?? Search.excerpt(of: row.value("reasoning") ?? "", around: words) ?? [])
    }
  }

  private static let select = """
    SELECT message.key, message.role, message.created_at, message.model, message.turn, turn.number, session.id AS session,
      coalesce(session.title, session.opening) AS name
    """

  private func filters() -> (String, [any DatabaseValueConvertible]) {
    var conditions = ""
    var arguments: [any DatabaseValueConvertible] = []
    func require(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions += " AND " + condition
      arguments.append(value)
    }
    require("instr(lower(coalesce(message.model, session.model)), lower(?)) > 0", filter.model)
    require("instr(lower(coalesce(message.server, session.server_name)), lower(?)) > 0", filter.server)
    require("message.created_at >= ?", filter.since)
    require("message.role = ?", filter.role?.rawValue)
    require("message.status = ?", filter.status?.rawValue)
    require("session.id = ?", filter.session?.text)
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
}

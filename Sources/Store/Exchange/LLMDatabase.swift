import Chat
import Foundation
import GRDB
import GRDBSQLite
import Waiting
import Wire

/// The `logs.db` of the program `llm` (docs/export.md 6): rows of `responses`, as it wrote them until its version 0.35, and
/// the messages of `threads` since.
struct LLMDatabase {
  private let queue: DatabaseQueue
  /// What reading the next part may cost, in millions of SQLite's steps: a file can ask for what never ends.
  private let effort = Locked(effortOfPart)
  private static let effortOfPart = 400
  private var left: ArraySlice<Place>
  /// Bytes of files and fragments that a session may have.
  static let mostOfSession = 512 << 20

  private enum Place {
    case thread(id: String, name: String?)
    case conversation(id: String, name: String?)
  }

  static func isDatabase(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("SQLite format 3\0".utf8)) }

  /// Throws `unknown` for a database of another program, and `damaged`.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    do {
      queue = try Self.opened(bytes, effort)
      left = try queue.read { db in
        let isNew = try db.hasTables(["threads", "turns", "messages", "parts", "fragments", "attachments"])
        let threads = isNew ? try Self.threads(db) : []
        let isOld = try db.hasTables(["responses", "conversations"])
        let conversations = isOld ? try Self.conversations(db, but: Set(threads.map(\.0))) : []
        guard isOld || isNew else { throw ImportProblem.unknown }
        return
          (conversations.map { .conversation(id: $0.0, name: $0.1) } + threads.map { .thread(id: $0.0, name: $0.1) })[
            ...]
      }
    } catch let problem as ImportProblem {
      throw problem
    } catch {
      throw .damaged
    }
  }

  /// The next session, the oldest first; nil behind the last one.
  mutating func session() throws(ImportProblem) -> KeptSession? {
    guard let place = left.popFirst() else { return nil }
    effort.withLock { $0 = Self.effortOfPart }
    do {
      return try queue.read { db in
        switch place {
        case .thread(let id, let name): try LLMThread(db, id).session(id, name)
        case .conversation(let id, let name): try LLMResponses(db, id).session(id, name)
        }
      }
    } catch {
      throw .damaged
    }
  }

  /// Nothing is read but these bytes: the file is another program's, which may be writing it.
  private static func opened(_ bytes: [UInt8], _ effort: Locked<Int>) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      let size = sqlite3_int64(bytes.count)
      guard let memory = sqlite3_malloc64(sqlite3_uint64(bytes.count)) else {
        throw DatabaseError(resultCode: .SQLITE_NOMEM)
      }
      memory.copyMemory(from: bytes, byteCount: bytes.count)
      let copy = memory.assumingMemoryBound(to: UInt8.self)
      // One in WAL mode cannot be read from memory; what it says there is how it is written.
      if bytes.count > 19, copy[18] == 2 { (copy[18], copy[19]) = (1, 1) }
      let code = sqlite3_deserialize(
        db.sqliteConnection, "main", copy, size, size,
        UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE))
      guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
      sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 256 << 20)
      sqlite3_progress_handler(
        db.sqliteConnection, 1_000_000,
        { effort in
          guard let effort else { return 1 }
          let left = Unmanaged<Locked<Int>>.fromOpaque(effort).takeUnretainedValue()
          return left.withLock { left in
            left -= 1
            return left > 0 ? 0 : 1
          }
        },
        // It lives as long as the queue does.
        Unmanaged.passUnretained(effort).toOpaque())
      try db.execute(sql: "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
      try? addIndexes(db)  // it is only slower without
    }
    return try DatabaseQueue(configuration: configuration)
  }

  /// `llm` looks for nothing by these, and has none.
  private static func addIndexes(_ db: Database) throws {
    for (table, column) in [
      ("responses", "conversation_id"), ("tool_calls", "response_id"), ("tool_results", "response_id"),
    ] where try db.tableExists(table) {
      try db.execute(sql: "CREATE INDEX parley_\(table) ON \(table)(\(column))")
    }
  }

  private static func threads(_ db: Database) throws -> [(String, String?)] {
    try Row.fetchAll(
      db, sql: "SELECT id, name FROM threads WHERE id IN (SELECT thread_id FROM turns) ORDER BY datetime_utc, id"
    ).compactMap { row in row.llmText("id").map { ($0, row.llmText("name")) } }
  }

  /// One that went on later is a thread of the same name, which holds what came before as well.
  private static func conversations(_ db: Database, but threads: Set<String>) throws -> [(String, String?)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT conversations.id, conversations.name FROM conversations
          JOIN responses ON responses.conversation_id = conversations.id
          GROUP BY conversations.id ORDER BY min(responses.datetime_utc), conversations.id
        """
    ).compactMap { row in row.llmText("id").map { ($0, row.llmText("name")) } }.filter { !threads.contains($0.0) }
  }
}

extension Row {
  /// In milliseconds since 1970.
  static let llmMoment = "CAST(round((julianday(datetime_utc) - 2440587.5) * 86400000) AS INTEGER) AS moment"

  /// nil for what is no text, or is not there. GRDB's own reading of a row ends the program for that.
  func llmText(_ column: String) -> String? { llmValue(column) { String.fromDatabaseValue($0) } }

  /// nil for what is no number that can be counted with.
  func llmNumber(_ column: String) -> Int? {
    llmValue(column) { Int.fromDatabaseValue($0) }.flatMap { (0...253_402_300_799_999).contains($0) ? $0 : nil }
  }

  /// A count or a duration.
  func llmCount(_ column: String) -> Int? { llmNumber(column).flatMap { $0 <= Int32.max ? $0 : nil } }

  private func llmValue<T>(_ column: String, _ read: (DatabaseValue) -> T?) -> T? {
    guard hasColumn(column) else { return nil }
    let value: DatabaseValue = self[column]
    return read(value)
  }

  var llmUsage: Usage {
    Usage(promptTokens: llmCount("input_tokens"), completionTokens: llmCount("output_tokens"))
  }

  /// The file of a row of `attachments`; nil where `llm` kept only where it was.
  func llmFile() -> AttachedFile? {
    guard let bytes = llmValue("content", { Data.fromDatabaseValue($0) }), !bytes.isEmpty else { return nil }
    return AttachedFile(path: "", name: llmFileName, bytes: Array(bytes))
  }

  /// Its own name, or else one by its type.
  var llmFileName: String {
    let place = llmText("path") ?? llmText("url")
    let type = llmText("type") ?? ""
    return place?.split(separator: "/").last.map(String.init)
      ?? "attachment.\(type.split(separator: "/").last ?? "bin")"
  }
}

extension Database {
  /// Whether these are tables: a view in the place of one may be a question without an end, and a column that is made
  /// up when it is read may be of any size.
  func hasTables(_ names: [String]) throws -> Bool {
    let listed = names.map { "'\($0)'" }.joined(separator: ",")
    return try Int.fetchOne(
      self,
      sql: """
        SELECT count(*) FROM sqlite_master AS listed WHERE type = 'table' AND name IN (\(listed))
          AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(listed.name) WHERE hidden IN (2, 3))
        """) == names.count
  }

  /// Takes what the rows of a query have as `content` from what a session may still take. Throws `damaged` where that is
  /// more: a few rows may be named by a million others.
  func take(from room: inout Int, _ query: String, _ arguments: StatementArguments) throws {
    // Of a text the length ends at a NUL; that of a file is known without reading it.
    let size = "CASE typeof(content) WHEN 'blob' THEN length(content) ELSE length(CAST(content AS BLOB)) END"
    let bytes = try Double.fetchOne(self, sql: "SELECT total(\(size)) " + query, arguments: arguments) ?? 0
    guard bytes <= Double(room) else { throw ImportProblem.damaged }
    room -= Int(bytes)
  }
}

extension KeptSession {
  /// One line of conversation: each node goes on from the one before.
  init(llm id: String, _ name: String?, system: String?, _ nodes: [MessageTree.Node]) {
    var tree = MessageTree()
    for (index, node) in nodes.enumerated() {
      tree.nodes[String(index)] = node
      if index > 0 { tree.nodes[String(index - 1)]?.children = [String(index)] }
    }
    tree.roots = nodes.isEmpty ? [] : ["0"]
    let turns = tree.turns().turns
    var session = Session(
      id: SessionID(Self.isName(id) ? id : randomID()), title: name, systemPrompt: system,
      model: nodes.last { $0.model != nil }?.model)
    session.titleIsManual = false
    session.createdAt = turns.first?.createdAt ?? 0
    session.updatedAt = nodes.map(\.moment).max() ?? session.createdAt
    self.init(
      session, opening: FirstWords.of(turns.first?.messages.first?.content ?? ""), head: turns.last?.number,
      turns: turns)
  }
}

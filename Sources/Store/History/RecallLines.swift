import GRDB
import Waiting

/// The lines typed, newest first, for the line editor: any thread may read, and reading waits for no writer.
package final class RecallLines: Sendable {
  private let writer: DatabaseQueue
  private let reader: Reader
  private let now: @Sendable () -> Int
  private let lines = Locked(Lines())
  /// The row of the line that is acted on. Set on the writer's queue, and so in step with what is stored.
  private let current = Locked<Int64?>(nil)

  private struct Lines {
    /// Of this run, oldest first.
    var added: [String] = []
    /// Of earlier runs and other shells, as they were when first read; newest first.
    var earlier: [String] = []
    /// The key below which the next page begins; nil when all is read.
    var next: Int64? = .max
  }

  init(writer: DatabaseQueue, reader: Reader, now: @escaping @Sendable () -> Int) {
    self.writer = writer
    self.reader = reader
    self.now = now
  }

  /// Keeps a line, unless it is the same as the one before it; saved in the background. What is asked until the next line
  /// came of it.
  package func add(_ line: String) {
    guard !line.isEmpty else { return }
    note(line)
    let moment = now()
    writer.asyncWriteWithoutTransaction { [current] db in
      // A line that is not kept is not worth a word.
      let key = try? RecallLines.insert(line, moment, db)
      current.withLock { $0 = key }
    }
  }

  /// A line that is not kept: what is asked until the next one came of none that is.
  package func leaveOut() {
    writer.asyncWriteWithoutTransaction { [current] _ in current.withLock { $0 = nil } }
  }

  /// Notes what the line that is acted on became, for both are forgotten together. The first counts: those that a line
  /// becomes beside it say the same.
  func tie(to turn: TurnID, in db: Database) throws {
    guard let key = current.withLock({ $0 }) else { return }
    try db.execute(sql: "UPDATE recall SET turn = ? WHERE key = ? AND turn IS NULL", arguments: [turn.key, key])
  }

  /// Keeps a line as `add` does; true once it is saved.
  package func save(_ line: String) async -> Bool {
    guard !line.isEmpty else { return false }
    let moment = now()
    let isSaved = (try? await writer.writeWithoutTransaction { try RecallLines.insert(line, moment, $0) }) != nil
    note(line)
    return isSaved
  }

  private func note(_ line: String) {
    guard line != self.line(0) else { return }
    lines.withLock { $0.added.append(line) }
  }

  /// Gives the line's row, which is the last one.
  @discardableResult private static func insert(_ line: String, _ moment: Int, _ db: Database) throws -> Int64? {
    try db.immediately {
      try db.execute(
        sql: """
          INSERT INTO recall (text, created_at) SELECT ?1, ?2
          WHERE ?1 IS NOT (SELECT text FROM recall ORDER BY key DESC LIMIT 1)
          """, arguments: [line, moment])
      return try Int64.fetchOne(db, sql: "SELECT max(key) FROM recall")
    }
  }

  /// Lines may have been forgotten.
  func readAnew() { lines.withLock { $0 = Lines() } }

  /// The line typed so many lines ago: 0 is the last; nil beyond the first.
  package func line(_ back: Int) -> String? {
    lines.withLock { lines in
      if back < lines.added.count { return lines.added[lines.added.count - 1 - back] }
      let index = back - lines.added.count
      while index >= lines.earlier.count, let next = lines.next { readPage(before: next, into: &lines) }
      return index < lines.earlier.count ? lines.earlier[index] : nil
    }
  }

  private func readPage(before key: Int64, into lines: inout Lines) {
    // The farther back, the more at a time: who looks for a line may go through all of them.
    let size = min(max(100, lines.earlier.count), 5000)
    let page = try? reader.queue().inDatabase { db in
      try Row.fetchAll(
        db, sql: "SELECT key, text FROM recall WHERE key < ? ORDER BY key DESC LIMIT ?", arguments: [key, size])
    }
    // What cannot be read ends the list; typing goes on.
    lines.next = page?.last?.value("key")
    lines.earlier += (page ?? []).map { row in row.value("text") ?? "" }
  }
}

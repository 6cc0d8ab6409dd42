import Chat
import Foundation
import GRDB
import Waiting

/// Every session, in one SQLite file. What a call has returned from is on disk.
///
/// Writes go through one connection in the order of the calls, and a started one is finished even when the calling
/// task is cancelled: Ctrl-C must not undo the answer it interrupts. Reads have a connection of their own, so that a
/// list need not wait for a lock that a write waits for.
package final class History: Sendable {
  /// What is worth saying about how it was opened.
  package let notices: [HistoryNotice]
  /// The sessions of answers that were being written when their program died, of which nobody was told yet; newest first.
  package let cutOff: [SessionID]
  /// nil when nothing is written to disk.
  package let path: String?
  /// The lines typed, of this run and of earlier ones.
  package let recall: RecallLines

  let writer: DatabaseQueue
  let reader: Reader
  /// Looks the whole file over, which takes as long as it is large; nil for one in memory.
  let checker: Reader?
  let growth = Growth()
  let now: @Sendable () -> Int
  private let life: FileLock?
  private let journal: JournalMode

  init(
    writer: DatabaseQueue, reader: Reader, checker: Reader? = nil, path: String?, life: FileLock?, journal: JournalMode,
    notices: [HistoryNotice], cutOff: [SessionID] = [], now: @escaping @Sendable () -> Int
  ) {
    self.cutOff = cutOff
    self.writer = writer
    self.reader = reader
    self.checker = checker
    self.path = path
    self.life = life
    self.journal = journal
    self.notices = notices
    self.now = now
    recall = RecallLines(writer: writer, reader: reader, now: now)
  }

  /// A history that writes nothing to disk and starts empty.
  package static func inMemory(
    now: @escaping @Sendable () -> Int = History.systemTime
  ) throws(HistoryError) -> History {
    try inMemory(because: [], now: now) { _ in }
  }

  static func inMemory(
    because notices: [HistoryNotice], now: @escaping @Sendable () -> Int, filling: (DatabaseQueue) throws -> Void
  ) throws(HistoryError) -> History {
    do {
      let memory = try DatabaseConnection.memory()
      try filling(memory)
      try memory.inDatabase { db in try Upgrade.run(Schema.migrations, on: db, now: now()) }
      return History(
        writer: memory, reader: Reader(memory), path: nil, life: nil, journal: .truncate, notices: notices, now: now)
    } catch {
      throw HistoryError(error, path: ":memory:")
    }
  }

  /// Milliseconds since 1970.
  package static let systemTime: @Sendable () -> Int = { Int(Date().timeIntervalSince1970 * 1000) }

  /// What `/doctor` shows: the loaded SQLite and how it keeps this file safe, such as `3.40.1` and `TRUNCATE`.
  package func engine() async throws(HistoryError) -> (version: String, journal: String) {
    try await write { db in
      (
        try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "",
        try String.fetchOne(db, sql: "PRAGMA journal_mode")?.uppercased() ?? ""
      )
    }
  }

  /// Ends it: what is still to be saved is saved, and another process finds a clean file. Later calls fail with
  /// `closed`; a second `close` does nothing.
  package func close() async {
    reader.interrupt()
    checker?.interrupt()
    await withCheckedContinuation { (closed: CheckedContinuation<Void, Never>) in
      writer.asyncWriteWithoutTransaction { db in
        // The file is sound without it; a failure here must not keep the program from leaving.
        try? db.execute(sql: "PRAGMA busy_timeout = 100")
        if self.journal == .wal { try? db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        closed.resume()
      }
    }
    reader.close()
    checker?.close()
    try? writer.close()  // only fails with statements still open; the process's end closes it then
    life?.release()
  }

  /// Runs `body` on the writing connection after everything asked of it before.
  func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(HistoryError) -> T {
    try await perform(on: writer, body)
  }

  /// Runs `body` in one transaction that takes the lock at its beginning: a later upgrade of a read lock could fail
  /// with "busy" at once, which no waiting cures.
  func change<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(HistoryError) -> T {
    try await write { db in try db.immediately { try body(db) } }
  }

  /// Runs `body` on a consistent state of the file.
  func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(HistoryError) -> T {
    let queue: DatabaseQueue
    do { queue = try reader.queue() } catch { throw failure(error) }
    return try await perform(on: queue) { db in
      var value: T?
      try db.inTransaction(.deferred) {
        value = try body(db)
        return .commit
      }
      guard let value else { throw HistoryError.closed }
      return value
    }
  }

  // GRDB's own async calls stop when the task is cancelled; these must not.
  private func perform<T: Sendable>(
    on queue: DatabaseQueue, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws(HistoryError) -> T {
    let result: Result<T, HistoryError> = await withCheckedContinuation { done in
      queue.asyncWriteWithoutTransaction { db in
        done.resume(returning: Result { try body(db) }.mapError { self.failure($0) })
      }
    }
    return try result.get()
  }

  /// The error as facts. Damage is remembered beside the file, so that the next start looks closely.
  private func failure(_ error: any Error) -> HistoryError {
    let error = HistoryError(error, path: path ?? ":memory:")
    if case .damaged = error, let path { HistoryFile(path).suspectDamage() }
    return error
  }
}

extension Database {
  func immediately<T>(_ body: () throws -> T) throws -> T {
    var value: T?
    try inTransaction(.immediate) {
      value = try body()
      return .commit
    }
    guard let value else { throw HistoryError.closed }
    return value
  }
}

/// The connection for reading, opened when first needed.
final class Reader: Sendable {
  private let state: Locked<State>
  private let open: @Sendable () throws -> DatabaseQueue

  private struct State {
    var opened: DatabaseQueue?
    var isClosed = false
  }

  init(_ open: @escaping @Sendable () throws -> DatabaseQueue) {
    state = Locked(State())
    self.open = open
  }

  /// Reads through a connection that is there already.
  init(_ queue: DatabaseQueue) {
    state = Locked(State(opened: queue))
    open = { queue }
  }

  func queue() throws -> DatabaseQueue {
    try state.withLock { state in
      if let opened = state.opened { return opened }
      if state.isClosed { throw HistoryError.closed }
      let queue = try open()
      state.opened = queue
      return queue
    }
  }

  func interrupt() { state.withLock { $0.opened }?.interrupt() }

  func close() {
    let opened = state.withLock { state in
      state.isClosed = true
      return state.opened
    }
    try? opened?.close()  // the process's end closes what is still in use
  }
}

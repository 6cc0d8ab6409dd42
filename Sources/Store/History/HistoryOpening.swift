import Chat
import GRDB
import GRDBSQLite
import Glibc

extension History {
  /// Opens the history, making it when it is not there. When the file cannot be used as it is, the history does
  /// without: see `notices`. It throws only when not even memory can be used.
  package static func open(
    at path: String, now: @escaping @Sendable () -> Int = History.systemTime
  ) throws(HistoryError) -> History {
    try open(at: path, migrations: Schema.migrations, now: now)
  }

  static func open(
    at path: String, migrations: [Migration], now: @escaping @Sendable () -> Int
  ) throws(HistoryError) -> History {
    let file = HistoryFile(path)
    do throws(HistoryError) {
      return try Opening(file: file, migrations: migrations, now: now).run()
    } catch {
      guard error.leavesReading, file.size() ?? 0 > 0,
        let history = try? inMemory(
          because: [.readOnly(error)], now: now,
          filling: { memory in
            try DatabaseConnection.openReadOnly(path).backup(to: memory)
            try memory.inDatabase { db in try db.requireHarmlessSchema() }
          })
      else { return try inMemory(because: [.inMemory(error)], now: now) { _ in } }
      return history
    }
  }
}

extension HistoryError {
  /// Whether only writing failed.
  fileprivate var leavesReading: Bool {
    switch self {
    case .unwritable, .full: true
    default: false
    }
  }
}

/// The steps from a path to an open history.
private struct Opening {
  let file: HistoryFile
  let migrations: [Migration]
  let now: @Sendable () -> Int
  /// The newest version.
  private var known: Int { migrations.last?.version ?? 0 }

  func run() throws(HistoryError) -> History {
    do {
      return try openFile()
    } catch {
      throw HistoryError(error, path: file.path)
    }
  }

  private func openFile() throws -> History {
    try AtomicFile.makeDirectory(file.directory)
    if name(of: file.directory) == "parley" { AtomicFile.restrict(file.directory, to: 0o700) }
    try file.requireTrusted()
    if file.size() != nil { try requireWritable() }
    let life = try FileLock(file.lock, .shared, waiting: Double(DatabaseConnection.patience))
    var notices: [HistoryNotice] = []
    let remote = FileSystem.remoteName(of: file.directory)
    if let remote { notices.append(.remote(fileSystem: remote)) }
    if let folder = PrivateFile.foreignFolder(leadingTo: file.directory) {
      notices.append(.foreignFolder(path: folder.path, owner: folder.owner))
    }

    if file.size() == nil { try create() }
    let writer: DatabaseQueue
    let journal = journalMode(isRemote: remote != nil)
    do {
      writer = try openSound(journal, life)
    } catch  where isDamage(error) && !isNewer() {
      file.suspectDamage()
      if let notice = try setAside(life) { notices.append(notice) }
      writer = try openSound(journal, life)
    }
    // The target of a link only now that it is known to be a history. One that is not was set aside by its name here.
    AtomicFile.restrict(try AtomicFile.resolved(file.path), to: 0o600)
    let version = try writer.inDatabase(Upgrade.version)
    if version > known { return try readNewer(found: version, notices) }
    // Another process's lock must not cost us the history: the next start recovers them then.
    let recovered = (try? writer.inDatabase(recoverInterrupted)) ?? 0
    if recovered > 0 { notices.append(.recovered(answers: recovered)) }
    let cutOff = (try? writer.inDatabase { try CutOff.sessions($0) }) ?? []

    let path = file.path
    func reader() -> Reader { Reader { try DatabaseConnection.open(path, writes: false, journal: journal) } }
    let history = History(
      writer: writer, reader: reader(), checker: reader(), path: path, life: life, journal: journal, notices: notices,
      cutOff: cutOff,
      now: now)
    history.checkWeekly(file)
    return history
  }

  /// One process at a time: of three that start at once, one makes a backup.
  private func upgrade(_ writer: DatabaseQueue) throws {
    guard try writer.inDatabase(Upgrade.version) < known else { return }
    let lock = try file.lockCopies()
    defer { lock.release() }
    guard try writer.inDatabase(Upgrade.version) < known else { return }
    _ = try writer.inDatabase { db in try file.backUp(db, at: now()) }
    try writer.inDatabase { db in try Upgrade.run(migrations, on: db, now: now()) }
  }

  private func requireWritable() throws(FileError) {
    // SQLite would open it for reading only, without a word.
    guard access(file.path, R_OK | W_OK) == 0 else { throw .readOnlyFile(path: file.path) }
    guard access(file.directory, W_OK) == 0 else { throw .readOnlyDirectory(path: file.directory) }
    AtomicFile.restrict(file.path, to: 0o600)
  }

  private func journalMode(isRemote: Bool) -> JournalMode {
    // Of the library that is loaded, which may not be the one this program was built with.
    JournalMode(sqliteVersion: String(cString: sqlite3_libversion()), isRemote: isRemote)
  }

  /// Built under another name, so that an empty file of this name is always damage and never a beginning.
  private func create() throws {
    let temporary = file.temporary
    try file.precreate(temporary)
    do {
      let queue = try DatabaseConnection.build(temporary)
      try queue.inDatabase { db in try Upgrade.run(migrations, on: db, now: now()) }
      try queue.close()
    } catch {
      file.removeAll(temporary)
      throw error
    }
    try file.install(temporary)
  }

  /// Of the newest version, or a later one, which is looked at no further.
  private func openSound(_ journal: JournalMode, _ life: FileLock) throws -> DatabaseQueue {
    guard let size = file.size(), size > 0 else {
      throw HistoryError.damaged(path: file.path, detail: "the file is empty")
    }
    let endedBadly = file.isSuspect || file.hasUnfinishedTransaction && isAlone(life)
    let writer = try DatabaseConnection.open(file.path, writes: true, journal: journal)
    let isNewer = try writer.inDatabase { db in
      let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      guard application == Schema.applicationID else {
        throw HistoryError.damaged(path: file.path, detail: "not a history of parley")
      }
      if try Upgrade.version(of: db) > known { return true }
      try requireHarmlessSchema(db)
      if try endedBadly || !deadAnswers(db).isEmpty { try requireSound(db) }
      return false
    }
    if isNewer { return writer }
    try upgrade(writer)
    if endedBadly { file.trust() }
    return writer
  }

  /// Whether no other process has the history open.
  private func isAlone(_ life: FileLock) -> Bool {
    let alone = life.become(.exclusive)
    _ = life.become(.shared, waiting: 1)
    return alone
  }

  /// Repairs the schema of a file that is to be repaired; where that is not enough, it counts as damaged.
  private func requireHarmlessSchema(_ db: Database) throws {
    guard file.isSuspect, try !SchemaCheck(db).harmfulProblems.isEmpty else { return try db.requireHarmlessSchema() }
    do { try db.immediately { try SchemaCheck(db).repair(db) } } catch let error as DatabaseError
      where error.resultCode == .SQLITE_ERROR
    {
      // SQLite cannot even parse or remove it: what is left is found below.
    }
    if let problem = try SchemaCheck(db).harmfulProblems.first {
      throw HistoryError.damaged(path: file.path, detail: problem)
    }
  }

  private func requireSound(_ db: Database) throws {
    try requireHarmlessSchema(db)
    let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? ""
    guard verdict == "ok" else { throw HistoryError.damaged(path: file.path, detail: verdict) }
    // What somebody stumbled over may be where a quick look does not go.
    if file.isSuspect, try !db.problems().isEmpty { try db.immediately { try db.rebuildIndexes(of: file.path) } }
  }

  /// Whether a later version of this program made the file, as far as that can be read: then it is that one's to mend.
  private func isNewer() -> Bool {
    let isNewer = try? DatabaseConnection.open(file.path, writes: false, journal: .truncate).inDatabase { db in
      try Int.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID && Upgrade.version(of: db) > known
    }
    return isNewer ?? false
  }

  private func isDamage(_ error: any Error) -> Bool {
    if case .damaged = HistoryError(error, path: file.path) { true } else { false }
  }

  /// nil where the file could be mended as it is.
  private func setAside(_ life: FileLock) throws -> HistoryNotice? {
    guard life.become(.exclusive, waiting: 1) else { throw HistoryError.damagedInUse(path: file.path) }
    defer { _ = life.become(.shared, waiting: 1) }
    // Another process may have mended it while we waited for the lock.
    if let writer = try? DatabaseConnection.open(file.path, writes: true, journal: .truncate),
      (try? writer.inDatabase({ db in try requireSound(db) })) != nil,
      (try? writer.inDatabase({ db in try Int.fetchOne(db, sql: "PRAGMA application_id") })) == Schema.applicationID,
      file.size() ?? 0 > 0
    {
      return nil
    }
    let (aside, saved) = try Salvage(file: file, migrations: migrations, now: now()).run()
    file.trust()
    return .quarantined(file: aside, saved: saved)
  }

  private func readNewer(found: Int, _ notices: [HistoryNotice]) throws -> History {
    let notices = notices + [.newer(found: found, known: known)]
    return try History.inMemory(because: notices, now: now) { memory in
      try memory.inDatabase { db in try Upgrade.run(migrations, on: db, now: now()) }
      _ = try RowCopy(from: DatabaseConnection.openReadOnly(file.path), to: memory).copy()
    }
  }

  /// The answers that were being written by processes that are gone.
  private func deadAnswers(_ db: Database) throws -> [(key: Int64, session: SessionID)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT message.key, message.owner, session.id FROM message JOIN turn ON turn.key = message.turn
        JOIN session ON session.key = turn.session WHERE message.status = 'streaming'
        """
    )
    .filter { row in (row.value("owner") as String?).flatMap { Owner($0) }?.isAlive != true }
    .map { row in (row.value("key") ?? 0, SessionID(row.value("id") ?? "")) }
  }

  private func recoverInterrupted(_ db: Database) throws -> Int {
    let dead = try deadAnswers(db)
    guard !dead.isEmpty else { return 0 }
    return try db.immediately {
      var count = 0
      for answer in dead {
        try db.execute(
          sql: "UPDATE message SET status = ?, owner = NULL WHERE key = ? AND status = 'streaming'",
          arguments: [AnswerStatus.interrupted.rawValue, answer.key])
        guard db.changesCount > 0 else { continue }
        count += 1
        try CutOff.note(answer.session, in: db)
      }
      return count
    }
  }
}

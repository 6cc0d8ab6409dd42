import GRDB
import GRDBSQLite
import Glibc

/// What the file of a history holds, and what is wrong with it.
package struct HistoryHealth: Sendable, Equatable {
  /// In SQLite's words; none when it is sound.
  package var problems: [String]
  package var sessions: Int
  package var messages: Int
  /// Of the file.
  package var bytes: Int
  /// Of these, what holds nothing any more.
  package var unusedBytes: Int
}

extension History {
  /// Looks all of the file over, which takes as long as it is large. Changes nothing.
  package func health() async throws(HistoryError) -> HistoryHealth {
    try await write { db in
      func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
      let problems = try db.problems()
      let page = try number("PRAGMA page_size")
      return HistoryHealth(
        problems: problems, sessions: (try? number("SELECT count(*) FROM session")) ?? 0,
        messages: (try? number("SELECT count(*) FROM message")) ?? 0, bytes: try page * number("PRAGMA page_count"),
        unusedBytes: try page * number("PRAGMA freelist_count"))
    }
  }

  /// Builds the indexes again, which are made of what the tables hold, where that mends all that is wrong; else it throws
  /// `damaged`, and the file stays as it was.
  package func rebuildIndexes() async throws(HistoryError) {
    let path = path ?? ""
    try await change { db in try db.rebuildIndexes(of: path) }
  }

  /// Writes a copy of all of it as it is at one moment, whoever writes meanwhile, readable by its owner alone.
  /// - Parameter copy: where nothing may be yet; nil is a name beside the history, of which the newest three are kept, and
  ///   which `forget` looks after.
  /// - Returns: where it is.
  package func backUp(to copy: String?) async throws(HistoryError) -> String {
    guard let path else { throw .noFile }
    let (file, now) = (HistoryFile(path), now())
    return try await write { db in
      let lock = try copy == nil ? file.lockCopies() : nil
      defer { lock?.release() }
      return try file.backUp(db, to: copy, at: now)
    }
  }

  /// Gives the disk back what holds nothing any more.
  package func vacuum() async throws(HistoryError) {
    guard path != nil else { throw .noFile }
    try await write { db in
      try db.execute(sql: "VACUUM")
      try db.emptyLog()
    }
  }

  /// Has the next opening of the file check all of it and repair what is wrong. A file that cannot be repaired is set aside.
  package static func repairWhenNextOpened(_ path: String) { HistoryFile(path).suspectDamage() }

  func suspectDamage() { if let path { HistoryFile(path).suspectDamage() } }
}

extension HistoryFile {
  /// Copies all of it to a new file; without a name to one beside it, of which the newest three are kept.
  /// - Returns: where the copy is.
  func backUp(_ db: Database, to copy: String? = nil, at moment: Int) throws -> String {
    let target = HistoryFile(copy ?? aside("backup", at: moment))
    // A copy has its name only when it is whole: a process that is killed before leaves nothing that looks like one.
    for file in [self, target] { file.removeTemporaries(before: time(nil) - 86_400) }
    let built = copy == nil ? temporary : target.temporary
    do { try precreate(built) } catch { throw HistoryError(error, path: target.path) }
    do {
      try db.execute(sql: "VACUUM INTO ?", arguments: [built])
      // SQLite does not sync what it copies to.
      try AtomicFile.sync(built)
      try target.install(built, mustBeNew: true)
    } catch {
      removeAll(built)
      // It is the copy that cannot be written; damage is in the history.
      switch HistoryError(error, path: path) {
      case .full: throw HistoryError.full(path: target.path)
      case .failed(let code, _) where code & 0xFF == SQLITE_IOERR:
        let cause = sqlite3_system_errno(db.sqliteConnection)
        if cause == EDQUOT { throw HistoryError.full(path: target.path) }
        throw HistoryError.unwritable(path: target.path, detail: FileError.reason(cause))
      default: throw error
      }
    }
    // Not the new one, should the clock have been ahead before.
    if copy == nil { for old in asides("backup").filter({ $0 != target.path }).dropLast(2) { removeAll(old) } }
    return target.path
  }
}

extension Database {
  /// Does the work of `History.rebuildIndexes`, in a transaction.
  func rebuildIndexes(of path: String) throws {
    // One of a format that FTS5 does not know cannot even be built again; 4 is what it makes, 5 with secure deletion.
    do {
      try SchemaCheck(self).repair(self)
      try execute(
        sql: """
          DELETE FROM meta WHERE \(Self.unknownMeta);
          DELETE FROM message_index_config WHERE \(Self.unknownIndexSettings);
          REINDEX;
          UPDATE message_index_config SET v = 4 WHERE k = 'version' AND v NOT IN (4, 5);
          INSERT INTO message_index(message_index) VALUES ('rebuild');
          """)
    } catch let error as DatabaseError
      where [.SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode)
    {
      throw HistoryError.damaged(path: path, detail: error.message ?? "its indexes cannot be built")
    }
    if let problem = try problems().first { throw HistoryError.damaged(path: path, detail: problem) }
  }

  /// Everything that is wrong in the file. The schema comes first: an index that is not ours would run in SQLite's own check.
  func problems() throws -> [String] {
    let strange = try SchemaCheck(self).problems
    guard strange.isEmpty else { return strange }
    let verdict = try String.fetchAll(self, sql: "PRAGMA integrity_check(20)")
    guard verdict == ["ok"] else { return verdict }
    return try rowProblems() + (indexMatches() ? [] : ["the search index does not match the messages"])
  }

  /// Rows that refer to missing rows, and settings that this program does not write.
  private func rowProblems() throws -> [String] {
    let orphans = try Row.fetchAll(
      self,
      sql: """
        SELECT "table" AS child, parent, count(*) AS rows FROM pragma_foreign_key_check GROUP BY 1, 2
        UNION ALL SELECT 'attachment', 'attached_bytes', count(*) FROM attachment
          WHERE digest NOT IN (SELECT digest FROM attached_bytes)
        """
    ).compactMap { row -> String? in
      let count: Int = row.value("rows") ?? 0
      let (child, parent): (String, String) = (row.value("child") ?? "", row.value("parent") ?? "")
      guard count > 0 else { return nil }
      return "\(child): \(count == 1 ? "1 row refers" : "\(count) rows refer") to missing rows of \(parent)"
    }
    let unknown = try [
      ("meta", Self.unknownMeta), ("message_index_config", Self.unknownIndexSettings),
      ("attached_bytes", "digest NOT IN (SELECT digest FROM attachment)"),
    ].compactMap { table, condition -> String? in
      let count = try Int.fetchOne(self, sql: "SELECT count(*) FROM \(table) WHERE \(condition)") ?? 0
      return count == 0 ? nil : "\(table): \(count == 1 ? "1 unknown row" : "\(count) unknown rows")"
    }
    return orphans + unknown
  }

  /// Which rows of `meta` this program does not write.
  private static let unknownMeta = """
    typeof(value) <> 'integer' OR name IS NULL OR NOT (name IN ('checked_at', 'last_turn') OR \(CutOff.notes))
    """
  /// Which settings of the search index this program does not make.
  private static let unknownIndexSettings = "k IS NOT 'version'"

  /// Whether the search index has what the messages say.
  func indexMatches() throws -> Bool {
    do {
      // Without the 1 one that does not match passes.
      try execute(sql: "INSERT INTO message_index(message_index, rank) VALUES ('integrity-check', 1)")
      return true
    } catch let error as DatabaseError
      where [.SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode)
    {
      return false
    }
  }
}

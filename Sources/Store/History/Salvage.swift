import Foundation
import GRDB
import Glibc

/// Sets a damaged history aside, never deleting it, and carries what is readable over into a new one.
struct Salvage {
  let file: HistoryFile
  let migrations: [Migration]
  let now: Int

  /// To be called with the file's lock held alone. Gives the damaged file's new name and what was saved.
  func run() throws -> (aside: String, saved: HistoryNotice.Salvaged) {
    file.removeTemporaries()
    let fresh = file.temporary
    let copy = file.temporary
    defer {
      file.removeAll(fresh)
      file.removeAll(copy)
    }
    try file.precreate(fresh)
    let target = try DatabaseConnection.build(fresh)
    try target.inDatabase { db in try Upgrade.run(migrations, on: db, now: now) }
    let saved = try fill(target, through: copy)
    try target.close()

    let aside = file.aside("corrupt", at: now)
    for companion in HistoryFile.companions.reversed() where file.size(companion) != nil {
      guard rename(file.path + companion, aside + companion) == 0 else {
        throw FileError.inDirectory(file.directory, "rename", errno)
      }
    }
    try file.install(fresh)
    return (aside, saved)
  }

  private func fill(_ target: DatabaseQueue, through copy: String) throws -> HistoryNotice.Salvaged {
    // A copy is read, because reading rolls an unfinished transaction back and so changes the file.
    for companion in ["", "-journal", "-wal"] where file.size(companion) ?? 0 > 0 {
      try FileManager.default.copyItem(atPath: file.path + companion, toPath: copy + companion)
    }
    var saved = HistoryNotice.Salvaged()
    // Damage at the very beginning leaves nothing that could be opened.
    if let source = try? openDamaged(copy) {
      let counts = try RowCopy(from: source, to: target).copy()
      saved.sessions = counts["session"] ?? 0
      saved.messages = counts["message"] ?? 0
      saved.recallLines = counts["recall"] ?? 0
      try? source.close()
    }
    // The newest that is one.
    if let source = file.asides("backup").reversed().lazy.compactMap({ try? openBackup($0) }).first {
      let counts = try RowCopy(from: source, to: target).copy()
      saved.sessions += counts["session"] ?? 0
      saved.messages += counts["message"] ?? 0
      saved.messagesFromBackup = counts["message"] ?? 0
      saved.recallLines += counts["recall"] ?? 0
    }
    return saved
  }

  private func openDamaged(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { db in
      // Otherwise SQLite refuses a file that is shorter than it says, as a whole.
      try db.execute(sql: "PRAGMA writable_schema = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try requireHistory(queue)
    return queue
  }

  private func openBackup(_ path: String) throws -> DatabaseQueue {
    try HistoryFile(path).requireTrusted()
    let queue = try DatabaseConnection.openReadOnly(path)
    try requireHistory(queue)
    return queue
  }

  private func requireHistory(_ queue: DatabaseQueue) throws {
    let application = try queue.inDatabase { db in try Int.fetchOne(db, sql: "PRAGMA application_id") }
    guard application == Schema.applicationID else {
      throw HistoryError.damaged(path: queue.path, detail: "not a history")
    }
  }
}

import GRDB
import Glibc

/// What came of forgetting.
package struct Forgotten: Sendable, Equatable {
  package var sessions = 0
  /// Copies of the history that could not be written anew, and are gone as a whole.
  package var removedCopies: [String] = []
  /// Files of ours that may still have it: they are damaged, or could not be removed.
  package var mayRemainIn: [String] = []
  /// Why the log of changes beside the history may still contain it.
  package var logError: HistoryError?

  package init() {}
}

/// What is to be forgotten, by names that are the same in the history and in each copy of it.
enum Doomed: Sendable {
  case sessions([String])
  /// By the id of its first message.
  case turn(message: String)

  var ids: [String] {
    switch self {
    case .sessions(let ids): ids
    case .turn(let message): [message]
    }
  }

  /// Which rows of `turn` go with one of the ids.
  var turns: String {
    switch self {
    case .sessions: "turn.session = (SELECT key FROM session WHERE id = ?)"
    case .turn: "turn.key = (SELECT turn FROM message WHERE id = ?)"
    }
  }
}

extension HistoryFile {
  /// Takes it, and these lines, out of the copies beside the history. One that cannot be written anew is removed.
  func forgetInCopies(_ doomed: Doomed, _ lines: [TypedLine]) -> Forgotten {
    var forgotten = Forgotten()
    for copy in asides("backup") {
      do { try rewrite(copy, without: doomed, lines) } catch {
        removeAll(copy)
        if access(copy, F_OK) == 0 { forgotten.mayRemainIn.append(copy) } else { forgotten.removedCopies.append(copy) }
      }
    }
    forgotten.mayRemainIn += damagedFiles
    return forgotten
  }

  /// Removes the copies beside the history, and what was set aside as damaged.
  func forgetAllAsides() -> Forgotten {
    var forgotten = Forgotten()
    for aside in asides("backup") + asides("corrupt") { removeAll(aside) }
    forgotten.mayRemainIn = asides("backup") + damagedFiles
    return forgotten
  }

  /// What was set aside as damaged, with what belongs to it.
  private var damagedFiles: [String] {
    asides("corrupt").flatMap { file in
      HistoryFile.companions.filter { HistoryFile(file).size($0) != nil }.map { file + $0 }
    }
  }

  private func rewrite(_ copy: String, without doomed: Doomed, _ lines: [TypedLine]) throws {
    try HistoryFile(copy).requireTrusted()
    let queue = try DatabaseConnection.openCopy(copy)
    defer { try? queue.close() }  // it is written by then
    try queue.inDatabase { db in
      let application = try Int.fetchOne(db, sql: "PRAGMA application_id")
      let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? ""
      // Nobody knows what is in a damaged one.
      guard application == Schema.applicationID, verdict == "ok" else {
        throw HistoryError.damaged(path: copy, detail: verdict)
      }
      try db.requireHarmlessSchema()
      let before = db.totalChangesCount
      try db.immediately { _ = try db.forget(doomed, lines + db.lines(of: doomed)) }
      if db.totalChangesCount > before { try db.execute(sql: "VACUUM") }
    }
  }
}

package import Chat
import GRDB

/// Why the history did not do what was asked. Cases carry facts; sentences are the shell's.
package enum HistoryError: Error, Sendable, Equatable {
  /// Another process held the lock for this long.
  case busy(seconds: Int)
  /// The disk is full: nothing was changed.
  case full(path: String)
  /// The file is not a sound database; it is set aside and saved from when it is next opened.
  case damaged(path: String, detail: String)
  case unwritable(path: String, detail: String)
  /// Its schema has parts that this program does not create and that can harm, in words: it is not used.
  case strangeSchema([String])
  /// Another user could have written the file: it is not opened.
  case exposed(Exposure)
  /// The file is damaged, and another process that has it open keeps it from being repaired.
  case damagedInUse(path: String)
  /// The history is in memory.
  case noFile
  case noSession(String)
  case noTurn
  /// The rows are deleted, but the log of changes beside the file could not be emptied.
  case deletedTextInLog(reason: String)
  /// Another process writes this answer, or wrote more of it than this one knew; it was not overwritten.
  case answeredElsewhere
  case closed
  case failed(code: Int, detail: String)

  init(_ error: any Error, path: String) {
    switch error {
    case let error as HistoryError: self = error
    case let error as DatabaseError: self.init(sqlite: error, path: path)
    case let error as FileError: self.init(file: error, path: path)
    default: self = .failed(code: 1, detail: "\(error)")
    }
  }

  private init(sqlite error: DatabaseError, path: String) {
    let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(seconds: DatabaseConnection.patience)
    case .SQLITE_FULL: self = .full(path: path)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, detail: detail)
    case .SQLITE_ERROR where Self.signsOfDamage.contains { detail.contains($0) }:
      self = .damaged(path: path, detail: detail)
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: self = .unwritable(path: path, detail: detail)
    case .SQLITE_MISUSE, .SQLITE_INTERRUPT: self = .closed
    default: self = .failed(code: Int(error.extendedResultCode.rawValue), detail: detail)
    }
  }

  /// What SQLite says of a format of its own that it cannot read ("unsupported file format", "invalid fts5 file format"),
  /// and of what all statements of this program find in a schema that is whole.
  private static let signsOfDamage = [
    "file format", "vtable constructor failed", "no such table", "no such column", "has no column named",
    "no such module", "no such trigger", "no such index", "no such view",
  ]

  private init(file error: FileError, path: String) {
    self =
      switch error {
      case .full: .full(path: path)
      case .exposed(let exposure): .exposed(exposure)
      case .danglingLink(_, let target):
        .unwritable(path: path, detail: "it is a link to \(target), which is not there")
      case .locked: .busy(seconds: DatabaseConnection.patience)
      case .readOnlyDirectory(let directory): .unwritable(path: path, detail: "\(directory) is read-only")
      case .readOnlyFile: .unwritable(path: path, detail: "the file is read-only")
      case .notAFile(let other): .unwritable(path: path, detail: "\(other) is in the way")
      case .failed(_, let operation, let code):
        .unwritable(path: path, detail: "\(operation): \(FileError.reason(code))")
      }
  }
}

/// What happened when the history was opened and is worth saying.
package enum HistoryNotice: Sendable, Equatable {
  /// So many answers were being written by processes that are gone; they are `interrupted` now.
  case recovered(answers: Int)
  /// The file was damaged: it is kept as `file`, and this much was carried over.
  case quarantined(file: String, saved: Salvaged)
  /// The file cannot be used, for this reason: earlier sessions cannot be read, and nothing of this run is kept.
  case inMemory(HistoryError)
  /// The file cannot be written, for this reason: earlier sessions can be read, and nothing of this run is kept.
  case readOnly(HistoryError)
  /// A later version of this program made the file: it is read, and nothing of this run is kept.
  case newer(found: Int, known: Int)
  /// The file is on such a file system: it must not be used from two hosts at once.
  case remote(fileSystem: String)
  /// Another user owns the folder or one above it; root uses it because it was mounted.
  case foreignFolder(path: String, owner: Int)

  /// Rows carried over from a damaged file, and from a backup where the file had lost them.
  package struct Salvaged: Sendable, Equatable {
    package var sessions = 0
    package var messages = 0
    /// Of the messages, those that only the backup had.
    package var messagesFromBackup = 0
    package var recallLines = 0
  }
}

import Foundation
import Glibc

/// The files around one history, by name.
struct HistoryFile {
  let path: String

  init(_ path: String) { self.path = path }

  var directory: String { Store.directory(of: path) }
  /// Held shared by every process that has the history open, and alone by one that sets a damaged file aside.
  var lock: String { path + ".lock" }
  /// There when a read or a write found damage; the next start then checks the whole file.
  private var suspicion: String { path + ".check" }

  /// The database and whatever SQLite keeps beside it. They belong together.
  static let companions = ["", "-journal", "-wal", "-shm"]

  /// In bytes; nil when there is no file. By name: closing a descriptor of our own would drop SQLite's locks.
  func size(_ companion: String = "") -> Int? {
    var facts = stat()
    return stat(path + companion, &facts) == 0 ? Int(facts.st_size) : nil
  }

  /// Throws if another user could have written the database, or what SQLite reads into it from beside it. In a sticky
  /// folder others could make a journal after the check.
  /// - Returns: where the database is, behind all links; nil if there is none.
  @discardableResult
  func requireTrusted() throws(FileError) -> String? {
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { return nil }  // SQLite cannot open it
    try PrivateFile.requireFolder(directory, of: path, allowsSticky: false)
    guard let place = try PrivateFile.check(path, followsLinks: true, allowsSticky: false) else { return nil }
    for companion in HistoryFile.companions where companion != "" { try PrivateFile.check(place + companion) }
    return place
  }

  /// Whether a transaction was under way when its process ended, or is in another process now.
  var hasUnfinishedTransaction: Bool { (size("-journal") ?? 0) > 0 || (size("-wal") ?? 0) > 0 }

  var isSuspect: Bool { access(suspicion, F_OK) == 0 }

  func suspectDamage() { Glibc.close(open(suspicion, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)) }

  func trust() { unlink(suspicion) }

  /// A name for what is kept beside the history, such as `corrupt` or `backup`.
  func aside(_ kind: String, at milliseconds: Int) -> String { AsideName.free(for: path, kind, at: milliseconds) }

  /// Files made by `aside`, oldest first.
  func asides(_ kind: String) -> [String] {
    AsideName.all(in: directory, for: path, kind).map { directory + "/" + $0 }
  }

  /// Held by who makes copies beside the history, or changes them.
  func lockCopies() throws(FileError) -> FileLock {
    try FileLock(path + ".upgrade", .exclusive, waiting: Double(DatabaseConnection.patience))
  }

  func removeAll(_ path: String) {
    for companion in HistoryFile.companions { unlink(path + companion) }
  }

  /// An empty file for SQLite to fill: what SQLite makes itself has the mode that umask leaves.
  func precreate(_ path: String) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .inDirectory(Store.directory(of: path), "create", errno) }
    Glibc.close(descriptor)
  }

  /// A name for a database that is being built.
  var temporary: String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 36)
    return "\(path).\(String(repeating: "0", count: 13 - digits.count))\(digits).new"
  }

  /// Whether a name in the same folder is that of a `temporary` or of what SQLite keeps beside one.
  private func isTemporary(_ other: String) -> Bool {
    let parts = other.dropFirst(name(of: path).count + 1).split(separator: ".", omittingEmptySubsequences: false)
    return other.hasPrefix(name(of: path) + ".") && parts.count == 2 && parts[0].utf8.count == 13
      && UInt64(parts[0], radix: 36) != nil && HistoryFile.companions.contains { parts[1] == "new" + $0 }
  }

  /// Removes what is left of databases whose building was ended; with all of them also what is being built.
  /// - Parameter moment: only what was last written before it, in seconds since 1970.
  func removeTemporaries(before moment: Int = .max) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []  // unreadable: none known
    for name in names where isTemporary(name) {
      var facts = stat()
      guard stat(directory + "/" + name, &facts) == 0, facts.st_mtim.tv_sec < moment else { continue }
      unlink(directory + "/" + name)
    }
  }

  /// Gives a finished database its name. An existing file is left alone.
  /// - Parameter mustBeNew: an existing file is an error; otherwise another process was first.
  func install(_ temporary: String, mustBeNew: Bool = false) throws(FileError) {
    defer { removeAll(temporary) }
    if link(temporary, path) != 0 {
      var (code, facts) = (errno, stat())
      if code != EEXIST, lstat(path, &facts) == 0 { code = EEXIST }
      // A file system without hard links.
      if code != EEXIST { code = rename(temporary, path) == 0 ? 0 : errno }
      guard code == 0 || code == EEXIST && !mustBeNew else { throw .inDirectory(directory, "create", code) }
    }
    AtomicFile.syncFolder(directory)
  }
}

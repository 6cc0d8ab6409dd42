import Glibc

/// An advisory lock (`flock`) on a file of its own, so that the file it guards can be replaced. It ends with this
/// value, or with the process.
package final class FileLock: Sendable {
  package enum Kind: Sendable { case shared, exclusive }

  private let descriptor: Int32

  /// Opens the lock file, making it when it is not there, and locks it.
  /// - Parameter seconds: how long to wait for another holder; 0 only tries.
  package init(_ path: String, _ kind: Kind, waiting seconds: Double = 5) throws(FileError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if [ELOOP, EISDIR].contains(errno) { throw .notAFile(path: path) }
      throw .inDirectory(directory(of: path), "open", errno)
    }
    guard lock(kind, waiting: seconds) else { throw .locked(path: path) }
  }

  deinit {
    // Closing alone would leave it to a child that was forked meanwhile, until that child begins its own program.
    release()
    close(descriptor)
  }

  /// Turns it into another kind; false when somebody else is in the way, and then nothing may be held.
  func become(_ kind: Kind, waiting seconds: Double = 0) -> Bool { lock(kind, waiting: seconds) }

  /// Ends it before its time.
  func release() { flock(descriptor, LOCK_UN) }

  private func lock(_ kind: Kind, waiting seconds: Double) -> Bool {
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    let deadline = ContinuousClock.now + .seconds(seconds)
    var pause = LockPause()
    // Polled, because a blocking flock can only be given a time limit by a signal.
    while true {
      if flock(descriptor, operation) == 0 { return true }
      if errno != EWOULDBLOCK && errno != EINTR { return true }  // a file system without locks: go on without
      let left = (deadline - .now) / .microseconds(1)
      guard left > 0 else { return false }
      usleep(UInt32(min(Double(pause.next()), left)))
    }
  }
}

/// How long to wait between looks at a lock. Short at first, as most are held for a moment; never in step with a holder
/// that locks again at once, and never so long that its short gaps are missed for good.
struct LockPause {
  static let first = 500
  static let longest = 4000

  private var limit = LockPause.first

  /// The next one, in microseconds.
  mutating func next() -> Int {
    defer { limit = min(limit * 5 / 4, LockPause.longest) }
    return Int.random(in: limit / 2...limit)
  }
}

/// The directory part of a path; `.` when it has none.
func directory(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The last part of a path.
func name(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return path }
  return String(path[path.index(after: slash)...])
}

import Glibc
import Shell

/// Standard input as a message, or as what follows one (docs/shell.md 1).
struct StandardInput: Sendable {
  enum Kind { case terminal, nothing, file, pipe }

  let kind: Kind

  init() {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else {
      kind = .nothing
      return
    }
    switch status.st_mode & S_IFMT {
    case _ where isatty(STDIN_FILENO) == 1: kind = .terminal
    case S_IFREG: kind = .file
    case S_IFIFO, S_IFSOCK: kind = .pipe
    case S_IFCHR: kind = .file  // such as /dev/null, which ends at once
    default: kind = .nothing
    }
  }

  /// Whether something comes within so many seconds: data, or the end.
  func isReady(within seconds: Int) -> Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, Int32(seconds * 1000)) > 0
  }

  /// Whether a pipe has delivered data that nothing has read. It stays there.
  var hasUnreadData: Bool {
    var count: Int32 = 0
    return kind == .pipe && ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
  }

  /// Reads to the end.
  func readAll() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes
  }
}

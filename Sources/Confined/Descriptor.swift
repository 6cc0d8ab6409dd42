import Glibc

/// A file that is open, or a place that is held; it closes itself.
final class Descriptor: Sendable {
  private let number: Int32

  private init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// - Parameter open: gives a descriptor, or less than 0 and `errno`.
  static func opened(_ open: () -> Int32) throws(ConfinedFailure) -> Descriptor {
    let number = open()
    guard number >= 0 else { throw ConfinedFailure(errno) }
    return Descriptor(number)
  }

  /// What a call says of this descriptor, held open until it has returned; less than 0 is thrown.
  @discardableResult
  func call<Count: SignedInteger>(_ body: (Int32) -> Count) throws(ConfinedFailure) -> Count {
    let (result, code) = withExtendedLifetime(self) {
      while true {
        let result = body(number)
        if result >= 0 || errno != EINTR { return (result, errno) }
      }
    }
    guard result >= 0 else { throw ConfinedFailure(code) }
    return result
  }

  /// Throws the error that closing the file would report. Network file systems report failed writes only at close. A
  /// duplicate of the descriptor is closed.
  func flush() throws(ConfinedFailure) {
    let other = try call { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    guard close(other) == 0 || errno == EINTR else { throw ConfinedFailure(errno) }
  }

  /// Opens something in this folder.
  func opening(_ open: (Int32) -> Int32) throws(ConfinedFailure) -> Descriptor { Descriptor(try call(open)) }

  /// The facts about what is open.
  func facts() throws(ConfinedFailure) -> stat {
    var facts = stat()
    try call { fstat($0, &facts) }
    return facts
  }

  /// The facts about a name in this folder, of a link itself; nil where there is nothing.
  func facts(of name: Name) throws(ConfinedFailure) -> stat? {
    var facts = stat()
    do throws(ConfinedFailure) {
      try call { folder in name.withCString { fstatat(folder, $0, &facts, AT_SYMLINK_NOFOLLOW) } }
    } catch .missing {
      return nil
    }
    return facts
  }

  /// Where a link in this folder points.
  func target(of name: Name) throws(ConfinedFailure) -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try call { folder in
      let count = name.withCString { readlinkat(folder, $0, &buffer, buffer.count) }
      // It was one a moment ago: what changes under our hands is not followed.
      if count < 0, errno == EINVAL { errno = ELOOP }
      return count
    }
    return buffer[..<count].map(UInt8.init(bitPattern:))
  }

  /// The real path of what is open, from the kernel; nil where `/proc` does not say.
  func realPath() -> Names? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try? call { readlink("/proc/self/fd/\($0)", &buffer, buffer.count) }  // no /proc is an answer
    guard let count, buffer.first == CChar(bitPattern: Name.slash) else { return nil }
    return Names(buffer[..<count].map(UInt8.init(bitPattern:)))
  }
}

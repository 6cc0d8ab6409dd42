import Foundation
import Shell
import Store
import Waiting

/// A file that has no name until it is whole, so that nothing is left of it however the process ends; where the file system
/// has none such, it has another name in its folder. Readable by its owner alone.
struct UnfinishedFile: Sendable {
  private let path: String
  private let place: String
  /// nil while it has no name.
  private let temporary: String?
  private let descriptor: Int32
  private let isClosed = Locked(false)

  /// open(2): a file without a name in a folder. Glibc's own constant is one that Swift does not import.
  private static let nameless = 0o20000000 | O_DIRECTORY

  /// Throws when a file of that name is there already.
  init(_ path: String) throws(FileProblem) {
    self.path = path
    place = Files.expanded(path)
    var status = stat()
    guard lstat(place, &status) != 0 else { throw Self.problem(path, EEXIST) }
    // By what stands there it gets its name.
    let hidden =
      access("/proc/self/fd", F_OK) == 0
      ? open(Self.folder(of: place), Self.nameless | O_RDWR | O_CLOEXEC, 0o600) : -1
    if hidden >= 0 {
      (descriptor, temporary) = (hidden, nil)
      return
    }
    let other = place + ".parley-" + String(getpid())
    unlink(other)  // of a process of this number that is gone
    temporary = other
    descriptor = open(other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.problem(path, errno) }
  }

  private static func folder(of place: String) -> String {
    guard let slash = place.lastIndex(of: "/") else { return "." }
    return slash == place.startIndex ? "/" : String(place[..<slash])
  }

  /// Creates a file with these bytes, complete or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws(FileProblem) {
    let file = try UnfinishedFile(path)
    do throws(FileProblem) {
      try file.write(bytes)
      try file.keep()
    } catch {
      file.discard()
      throw error
    }
  }

  var file: NewFile {
    NewFile(
      write: { bytes throws(FileProblem) in try write(bytes) }, keep: { () throws(FileProblem) in try keep() },
      discard: discard)
  }

  private func write(_ bytes: [UInt8]) throws(FileProblem) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.problem(path, errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Moves the file to its name once its data is on the disk.
  private func keep() throws(FileProblem) {
    if let temporary {
      // Errors of `close` count too, and must be known before the file gets its name.
      try finish(descriptor)
      try name(temporary)
    } else {
      guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.problem(path, errno) }
      try name()
      do throws(FileProblem) { try finish(descriptor) } catch {
        unlink(place)
        throw error
      }
    }
    AtomicFile.syncFolder(Self.folder(of: place))
  }

  /// Closes the file. A network file system may report only now that it is full.
  private func finish(_ number: Int32) throws(FileProblem) {
    if number == descriptor { isClosed.withLock { $0 = true } }
    let code = AtomicFile.finish(number)
    guard code == 0 else { throw Self.problem(path, code) }
  }

  /// `link` fails if the name is taken. On file systems without hard links, the file is renamed.
  private func name(_ temporary: String) throws(FileProblem) {
    if link(temporary, place) != 0 {
      let code = errno
      var status = stat()
      guard code != EEXIST, lstat(place, &status) != 0, rename(temporary, place) == 0 else {
        throw Self.problem(path, code)
      }
    }
    unlink(temporary)
  }

  /// Gives what has no name its own.
  private func name() throws(FileProblem) {
    if linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, place, AT_SYMLINK_FOLLOW) == 0 { return }
    guard errno != EEXIST else { throw Self.problem(path, EEXIST) }
    // Where that is not allowed it is copied: it is whole already.
    let copy = open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard copy >= 0 else { throw Self.problem(path, errno) }
    do throws(FileProblem) {
      do throws(FileProblem) { try fill(copy) } catch {
        close(copy)
        throw error
      }
      try finish(copy)
    } catch {
      unlink(place)
      throw error
    }
  }

  private func fill(_ copy: Int32) throws(FileProblem) {
    var offset: off_t = 0
    while true {
      let count = sendfile(copy, descriptor, &offset, 1 << 20)
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.problem(path, errno) }
    }
  }

  private func discard() {
    if let temporary { unlink(temporary) }
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    if !wasClosed { close(descriptor) }
  }

  private static func problem(_ path: String, _ code: Int32) -> FileProblem {
    FileProblem(path: path, reason: FileError.reason(code), isWritten: true)
  }
}

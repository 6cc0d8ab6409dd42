import Foundation
import Shell
import Store

/// A file that has no name until it is whole, so that nothing is left of it however the process ends; where the file system
/// has none such, it has another name in its folder. Readable by its owner alone.
struct UnfinishedFile: Sendable {
  private let path: String
  private let place: String
  /// nil while it has no name.
  private let temporary: String?
  private let descriptor: Int32

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

  private func keep() throws(FileProblem) {
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.problem(path, errno) }
    guard let temporary else {
      try name()
      close(descriptor)
      return
    }
    // A link fails where the name is taken; where there are no links, a new name is all there is.
    if link(temporary, place) != 0 {
      let code = errno
      var status = stat()
      guard code != EEXIST, lstat(place, &status) != 0, rename(temporary, place) == 0 else {
        throw Self.problem(path, code)
      }
    }
    discard()
  }

  /// Gives what has no name its own.
  private func name() throws(FileProblem) {
    if linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, place, AT_SYMLINK_FOLLOW) == 0 { return }
    guard errno != EEXIST else { throw Self.problem(path, EEXIST) }
    // Where that is not allowed it is copied: it is whole already.
    let copy = open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard copy >= 0 else { throw Self.problem(path, errno) }
    defer { close(copy) }
    var offset: off_t = 0
    while true {
      let count = sendfile(copy, descriptor, &offset, 1 << 20)
      if count == 0 { break }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        unlink(place)
        throw Self.problem(path, code)
      }
    }
    guard fsync(copy) == 0 else { throw Self.problem(path, errno) }
  }

  private func discard() {
    if let temporary { unlink(temporary) }
    close(descriptor)
  }

  private static func problem(_ path: String, _ code: Int32) -> FileProblem {
    FileProblem(path: path, reason: FileError.reason(code), isWritten: true)
  }
}

import Foundation
import Shell
import Store

/// A file that is written under another name in its folder until it is whole, readable by its owner alone.
struct UnfinishedFile: Sendable {
  private let path: String
  private let place: String
  private let temporary: String
  private let descriptor: Int32

  /// Throws when a file of that name is there already.
  init(_ path: String) throws(FileProblem) {
    self.path = path
    place = Files.expanded(path)
    var status = stat()
    guard lstat(place, &status) != 0 else { throw Self.problem(path, EEXIST) }
    temporary = place + ".parley-" + String(getpid())
    unlink(temporary)  // of a process of this number that is gone
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.problem(path, errno) }
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

  private func discard() {
    unlink(temporary)
    close(descriptor)
  }

  private static func problem(_ path: String, _ code: Int32) -> FileProblem {
    FileProblem(path: path, reason: FileError.reason(code), isWritten: true)
  }
}

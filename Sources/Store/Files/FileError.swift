package import Chat
import Glibc

/// Why a file could not be read or replaced. Cases carry facts; sentences are the shell's.
package enum FileError: Error, Sendable, Equatable {
  /// Nothing can be made in this directory.
  case readOnlyDirectory(path: String)
  /// The file is there and not ours to change: its owner or its mode says so.
  case readOnlyFile(path: String)
  /// A directory, a device, or a link where none may be.
  case notAFile(path: String)
  /// A link to a file that does not exist, such as on a disk that is not mounted. The target is not created.
  case danglingLink(path: String, target: String)
  case exposed(Exposure)
  case full(path: String)
  /// Somebody else held the lock for the whole time we waited.
  case locked(path: String)
  case failed(path: String, operation: String, code: Int32)

  /// The system's words for `failed`'s code.
  package static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// What `errno` says about changing something in `directory`.
  static func inDirectory(_ directory: String, _ operation: String, _ code: Int32) -> FileError {
    switch code {
    case EACCES, EROFS, EPERM: .readOnlyDirectory(path: directory)
    case ENOSPC, EDQUOT: .full(path: directory)
    default: .failed(path: directory, operation: operation, code: code)
    }
  }
}

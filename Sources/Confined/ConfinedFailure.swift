import Glibc

/// Why a file that somebody else named was not read or written (docs/rules.md A2). Nothing was changed then.
package enum ConfinedFailure: Error, Sendable, Equatable {
  /// The path does not begin with a slash.
  case notAbsolute
  /// The path is empty, has a NUL in it, or it or one of its names is longer than Linux takes.
  case malformed
  /// It leads out of the folder, by its words or by a link.
  case outside
  /// It leads to parley's own settings or data, which nobody gets (docs/rules.md A3).
  case own
  /// Its name, or the name of what it leads to, is one that the person has to allow (docs/rules.md A3).
  case protected
  /// The file is not there, or for reading a folder above it is not.
  case missing
  /// What should be a folder above the file is something else.
  case notAFolder
  /// It is no ordinary file.
  case notRegular(FileKind)
  /// A link that may not be followed, or that leads in a circle.
  case link
  /// The folder is not the one it was when it was granted.
  case moved
  /// More would have to be read than so many bytes (docs/rules.md A7).
  case tooLarge(limitBytes: Int)
  /// The file is not UTF-8.
  case notText
  /// The file has other names, perhaps outside, and the person did not allow it to be written (docs/rules.md A2).
  case hardLinked
  /// The rights of the file or its folder are against it, or the file system may not be written to.
  case denied
  /// The disk or the quota is full.
  case noSpace
  /// What else the system says, in its words.
  case other(String)

  /// What a file is that is no ordinary one.
  package enum FileKind: Sendable, Equatable { case folder, pipe, socket, device, other }

  /// - Parameter code: an error number of a call that opens, reads or writes.
  init(_ code: Int32) {
    self =
      switch code {
      case EXDEV: .outside
      case ENOENT: .missing
      case ENOTDIR: .notAFolder
      case EISDIR: .notRegular(.folder)
      case ENXIO: .notRegular(.socket)
      case ELOOP: .link
      case ENAMETOOLONG: .malformed
      case EACCES, EPERM, EROFS: .denied
      case ENOSPC, EDQUOT: .noSpace
      default: .other(String(cString: strerror(code)))
      }
  }

  /// Throws for what is no ordinary file.
  static func requireRegular(_ facts: stat) throws(ConfinedFailure) {
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw .notRegular(.folder)
    case S_IFIFO: throw .notRegular(.pipe)
    case S_IFSOCK: throw .notRegular(.socket)
    case S_IFCHR, S_IFBLK: throw .notRegular(.device)
    case S_IFLNK: throw .link
    default: throw .notRegular(.other)
    }
  }
}

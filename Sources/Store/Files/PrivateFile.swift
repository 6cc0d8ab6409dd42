import Glibc

/// A file that is believed only when nobody else could have written or, where it matters, read it (docs/rules.md C3).
enum PrivateFile {
  enum Refusal: Error, Equatable {
    /// - Parameter remedy: a command that mends it, when one does.
    case exposed(reason: String, remedy: String?)
    case file(FileError)
  }

  /// The whole content; nil when there is no such file. Links are never followed.
  /// - Parameter forbidden: the permission bits that it may not have.
  static func read(_ path: String, forbidding forbidden: UInt32) throws(Refusal) -> [UInt8]? {
    let bytes: [UInt8]?
    do {
      bytes = try AtomicFile.read(path, throughLinks: false) { facts in
        facts.st_uid == geteuid() && facts.st_mode & forbidden == 0
      }
    } catch {
      throw refusal(error, path, forbidden)
    }
    return bytes
  }

  private static func refusal(_ error: FileError, _ path: String, _ forbidden: UInt32) -> Refusal {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return .file(error) }
    switch error {
    case .notAFile where facts.st_mode & S_IFMT == S_IFLNK: return .exposed(reason: "a symbolic link", remedy: nil)
    case .notAFile: return .exposed(reason: "not a regular file", remedy: nil)
    case .readOnlyFile where facts.st_uid != geteuid(): return .exposed(reason: "another user's file", remedy: nil)
    case .readOnlyFile:
      let isReadable = facts.st_mode & forbidden & 0o044 != 0
      return .exposed(
        reason: isReadable ? "others can read it" : "others can write it", remedy: "chmod 600 \(shellQuoted(path))")
    default: return .file(error)
    }
  }

  /// As one word of a shell's command line.
  static func shellQuoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-+".utf8.contains(byte)
    }
    return plain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}

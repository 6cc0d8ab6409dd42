import Glibc
import Wire

/// The text of the preferences file, read and changed.
struct PreferenceFile {
  let path: String

  /// Of the format that this program writes.
  static let version = 1

  init(_ path: String) { self.path = path }

  /// nil for a file that is not there or has nothing in it.
  func read() throws(PreferenceError) -> CommentedJSON? {
    let bytes: [UInt8]
    do { bytes = try PrivateFile.read(path, followsLinks: true) ?? [] } catch { throw .file(error) }
    guard bytes.withoutByteOrderMark.contains(where: { !$0.isSpace }) else { return nil }
    do { return try CommentedJSON(bytes) } catch {
      let (line, column) = CommentedJSON.position(of: error.offset, in: bytes)
      throw .broken(line: line, column: column, reason: error.reason)
    }
  }

  /// Edits the newest text under a lock; does not write when nothing changes. A broken file is set aside first, and
  /// its new name given.
  func change(_ edit: (CommentedJSON) -> [UInt8]) throws(PreferenceError) -> String? {
    let lock: FileLock
    do throws(FileError) {
      try AtomicFile.makeDirectory(directory(of: path))
      lock = try FileLock(path + ".lock", .exclusive)
    } catch { throw .file(error) }
    defer { withExtendedLifetime(lock) {} }

    var aside: String?
    var json = PreferenceFile.fresh
    let target: String
    do { target = try AtomicFile.resolved(path) } catch { throw .file(error) }
    do throws(PreferenceError) {
      json = try read() ?? json
    } catch {
      guard case .broken = error else { throw error }
      aside = try setAside(target)
    }
    if let found = json.version, found > PreferenceFile.version {
      throw .newer(found: found, known: PreferenceFile.version)
    }
    let after = edit(json)
    guard after != json.bytes else { return aside }
    do { try AtomicFile.write(after, to: target) } catch { throw .file(error) }
    return aside
  }

  /// Where the path is a link, what it points at is renamed, and the link goes on to point at its successor.
  private func setAside(_ target: String) throws(PreferenceError) -> String {
    do throws(FileError) {
      let aside = AsideName.free(for: target, "broken", at: History.systemTime())
      guard rename(target, aside) == 0 else { throw .inDirectory(directory(of: target), "rename", errno) }
      return aside
    } catch { throw .file(error) }
  }

  private static let fresh: CommentedJSON = {
    do { return try CommentedJSON(Array("{\n  \"version\": \(version)\n}\n".utf8)) } catch {
      preconditionFailure("our own empty preferences cannot be read: \(error)")
    }
  }()
}

extension CommentedJSON {
  /// nil when it is not a whole number from 1 on; 1 when there is none.
  var version: Int? {
    guard let member = members.last(where: { $0.key == "version" }) else { return 1 }
    guard case .number(let text) = member.value, let version = Int(text), version > 0 else { return nil }
    return version
  }
}

/// Tells one state of a file from another.
struct FileStamp: Equatable {
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  /// When owner, mode or content last changed, in nanoseconds.
  private let changed: Int
  /// Owner, group and mode of all that leads to the file, on which it depends too whether it is used (docs/rules.md C3).
  private let places: [[UInt32]]

  /// nil when there is no file.
  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    inode = UInt(facts.st_ino)
    size = Int(facts.st_size)
    seconds = facts.st_mtim.tv_sec
    nanoseconds = facts.st_mtim.tv_nsec
    changed = facts.st_ctim.tv_sec &* 1_000_000_000 &+ facts.st_ctim.tv_nsec
    places = PathWalk(path).places.map { [$0.facts.st_uid, $0.facts.st_gid, $0.facts.st_mode] }
  }
}

/// Why a preference was not changed. Cases carry facts; sentences are the shell's.
package enum PreferenceError: Error, Sendable, Equatable {
  case setting(SettingError)
  case file(FileError)
  /// The file is not a JSON object; it is not overwritten.
  case broken(line: Int, column: Int, reason: String)
  /// A later version of this program wrote the file: it is read and never written.
  case newer(found: Int, known: Int)
}

/// What is wrong with the preferences file.
package struct PreferenceWarning: Sendable, Equatable {
  package var path: String
  package var line: Int?
  /// In bytes from 1.
  package var column: Int?
  package var problem: Problem

  package enum Problem: Sendable, Equatable {
    /// This one setting has its default.
    case setting(SettingError)
    /// The file is not a JSON object: all settings have their defaults.
    case broken(reason: String)
    case unreadable(FileError)
    /// Keys that are known hold; it is never written.
    case newer(found: Int, known: Int)
  }

  init(path: String, line: Int?, column: Int?, problem: Problem) {
    self.path = path
    self.line = line
    self.column = column
    self.problem = problem
  }

  init(_ error: PreferenceError, path: String) {
    switch error {
    case .setting(let error): self.init(path: path, line: nil, column: nil, problem: .setting(error))
    case .file(let error): self.init(path: path, line: nil, column: nil, problem: .unreadable(error))
    case .broken(let line, let column, let reason):
      self.init(path: path, line: line, column: column, problem: .broken(reason: reason))
    case .newer(let found, let known):
      self.init(path: path, line: nil, column: nil, problem: .newer(found: found, known: known))
    }
  }
}

extension UInt8 {
  var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

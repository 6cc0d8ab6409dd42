import Glibc

/// Files that are replaced whole: after a crash at any moment the old or the new content is there.
package enum AtomicFile {
  /// Replaces a file, or makes it. An existing file keeps its mode and owner.
  /// A symbolic link is refused.
  /// - Parameter mode: for a new file.
  package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws(FileError) {
    let folder = directory(of: path)
    let file = name(of: path)
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .failed(path: folder, operation: "open", code: errno) }
    defer { close(directory) }

    let existing = try status(of: file, in: directory, path: path)
    removeStaleTemporaries(of: file, in: directory, folder: folder)
    let temporary = temporaryName(of: file)
    let descriptor = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inDirectory(folder, "create", errno) }
    do throws(FileError) {
      do throws(FileError) {
        try fill(descriptor, with: bytes, path: path)
        try dress(descriptor, like: existing, mode: mode, path: path)
      } catch {
        close(descriptor)
        throw error
      }
      let code = finish(descriptor)
      guard code == 0 else { throw failure(path, "write", code) }
    } catch {
      unlinkat(directory, temporary, 0)
      throw error
    }
    guard renameat(directory, temporary, directory, file) == 0 else {
      let code = errno
      unlinkat(directory, temporary, 0)
      throw .inDirectory(folder, "rename", code)
    }
    fsync(directory)  // Some file systems refuse it for a directory; the rename has happened.
  }

  /// Closes a file that was written.
  /// - Returns: 0 if all of it is on the disk, else an error number: a file system of the network says only now that it is full.
  package static func finish(_ descriptor: Int32) -> Int32 {
    let synced = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno  // pipes and the like cannot be synced
    let closed = close(descriptor) == 0 || errno == EINTR ? 0 : errno
    return synced == 0 ? closed : synced
  }

  private static func failure(_ path: String, _ operation: String, _ code: Int32) -> FileError {
    code == ENOSPC || code == EDQUOT ? .full(path: path) : .failed(path: path, operation: operation, code: code)
  }

  /// Throws unless all of a file is on the disk. Not of a database that is open: see `PrivateFile.check`.
  static func sync(_ path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, "open", errno) }
    let code = finish(descriptor)
    guard code == 0 else { throw failure(path, "write", code) }
  }

  /// Has the names in a folder survive a crash. Some file systems refuse it for a folder; the names have changed by then.
  package static func syncFolder(_ path: String) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  /// The whole content; nil when there is no such file.
  package static func read(_ path: String, throughLinks: Bool = true) throws(FileError) -> [UInt8]? {
    try read(path, throughLinks: throughLinks) { _ throws(FileError) in }
  }

  /// Nobody's settings have as many bytes: it is another file, and reading it would take all memory.
  static let longest = 64 << 20

  /// - Parameter check: throws if the file that was opened, whose facts it is given, is not to be read.
  static func read(
    _ path: String, throughLinks: Bool, check: (stat) throws(FileError) -> Void
  ) throws(FileError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (throughLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .notAFile(path: path)
      default: throw .failed(path: path, operation: "open", code: errno)
      }
    }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    try check(facts)
    guard facts.st_size <= AtomicFile.longest else { throw .failed(path: path, operation: "read", code: EFBIG) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw .failed(path: path, operation: "read", code: errno)
      }
      bytes += chunk[..<count]
    }
  }

  /// Makes a directory for files of ours, and those above it; new ones belong to the user alone. Throws `exposed` if others
  /// can write one that is there.
  package static func makeDirectory(_ path: String) throws(FileError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST {
      try requireDirectory(path)
      return try PrivateFile.requireFolder(path, of: path)
    }
    let above = directory(of: path)
    guard errno == ENOENT, above != path, above != "." else { throw .inDirectory(above, "mkdir", errno) }
    try makeDirectory(above)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .inDirectory(above, "mkdir", errno) }
  }

  /// Changes the mode of a file or folder of the user's, and never that of what a link leads to. Errors are ignored;
  /// `PrivateFile.check` decides whether the file is safe. It opens nothing: see there.
  static func restrict(_ path: String, to mode: UInt32) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_uid == geteuid(), facts.st_mode & 0o7777 != mode else { return }
    fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW)
  }

  private static func requireDirectory(_ path: String) throws(FileError) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { throw .notAFile(path: path) }
  }

  /// Links in a chain, as many as Linux follows.
  static let mostLinks = 40

  /// What a chain of symbolic links ends in, whether it exists or not.
  static func resolved(_ path: String) throws(FileError) -> String {
    var path = path
    for _ in 0..<mostLinks {
      guard let target = target(of: path) else { return path }
      path = target
    }
    throw .failed(path: path, operation: "readlink", code: ELOOP)
  }

  /// Where a symbolic link points; nil if it is none.
  static func target(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    let link = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return link.hasPrefix("/") ? link : directory(of: path) + "/" + link
  }

  /// The facts about a file that may be replaced; nil when there is none.
  private static func status(of file: String, in directory: Int32, path: String) throws(FileError) -> stat? {
    var facts = stat()
    guard fstatat(directory, file, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw .failed(path: path, operation: "stat", code: errno)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    // A rename would get past both, so they are looked at here.
    let isOurs = facts.st_uid == geteuid() || geteuid() == 0
    guard isOurs, facts.st_mode & 0o200 != 0 else { throw .readOnlyFile(path: path) }
    return facts
  }

  private static func fill(_ descriptor: Int32, with bytes: [UInt8], path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        Glibc.write(descriptor, raw.baseAddress.map { $0 + written }, raw.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw failure(path, "write", errno)
      }
    }
  }

  private static func dress(
    _ descriptor: Int32, like existing: stat?, mode: UInt32, path: String
  ) throws(FileError) {
    if let existing, existing.st_uid != geteuid() || existing.st_gid != getegid() {
      // Root can give the file back to its owner; anybody else owns it already and may not be in its group.
      fchown(descriptor, existing.st_uid, existing.st_gid)
    }
    guard fchmod(descriptor, existing.map { $0.st_mode & 0o7777 } ?? mode) == 0 else {
      throw .failed(path: path, operation: "chmod", code: errno)
    }
  }

  private static func temporaryName(of file: String) -> String {
    ".\(file).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
  }

  /// Removes what a killed process left more than a minute ago.
  private static func removeStaleTemporaries(of file: String, in directory: Int32, folder: String) {
    guard let stream = opendir(folder) else { return }
    defer { closedir(stream) }
    let now = time(nil)
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(".\(file)."), name.hasSuffix(".new") else { continue }
      var facts = stat()
      if fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mtim.tv_sec < now - 60 {
        unlinkat(directory, name, 0)
      }
    }
  }
}

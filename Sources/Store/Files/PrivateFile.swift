import Glibc

/// Why a file of this program is not used: another user could have written it, or can read its secrets.
package struct Exposure: Error, Sendable, Equatable {
  package var path: String
  package var reason: String
  /// A shell command that fixes it.
  package var remedy: String?

  package init(path: String, reason: String, remedy: String?) {
    self.path = path
    self.reason = reason
    self.remedy = remedy
  }
}

/// Reads the files of this program. A file is used only if no other user could have written it, or replaced it in its
/// folder (docs/rules.md C3).
package enum PrivateFile {
  /// The text of a file that the user edits, and may keep elsewhere and link to; nil if there is no such file.
  package static func text(_ path: String) throws(FileError) -> String? {
    try read(path, followsLinks: true).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The whole content; nil if there is no such file.
  /// - Parameters:
  ///   - isSecret: no other user may read it either.
  ///   - followsLinks: otherwise a symbolic link is refused. What a link leads to has to be as safe as the link.
  static func read(
    _ path: String, isSecret: Bool = false, followsLinks: Bool = false
  ) throws(FileError) -> [UInt8]? {
    guard let place = try check(path, isSecret: isSecret, followsLinks: followsLinks) else { return nil }
    // Checked once more, now that no other file can take its name.
    return try AtomicFile.read(place, throughLinks: false) { facts throws(FileError) in
      try require(facts, at: place, isSecret)
    }
  }

  /// Looks at a file without opening it: closing a descriptor of a database would drop SQLite's locks.
  /// - Returns: where the file is, behind all links; nil if there is none.
  @discardableResult
  static func check(
    _ path: String, isSecret: Bool = false, followsLinks: Bool = false
  ) throws(FileError) -> String? {
    var place = path
    for _ in 0..<AtomicFile.mostLinks {
      var facts = stat()
      guard lstat(place, &facts) == 0 else {
        guard errno == ENOENT else { throw .failed(path: place, operation: "open", code: errno) }
        if place != path { throw .danglingLink(path: path, target: place) }
        return nil
      }
      try requireFolder(directory(of: place), of: place)
      guard facts.st_mode & S_IFMT == S_IFLNK, let target = AtomicFile.target(of: place) else {
        try require(facts, at: place, isSecret)
        return place
      }
      guard followsLinks else {
        let real = realpath(place, nil)
        defer { free(real) }
        let remedy =
          real.map { "cp --remove-destination \(shellQuoted(String(cString: $0))) \(shellQuoted(place))" }
          ?? "rm \(shellQuoted(place))"
        throw .exposed(Exposure(path: place, reason: "a symbolic link", remedy: remedy))
      }
      guard isTrusted(facts.st_uid) else {
        throw .exposed(Exposure(path: place, reason: "another user's link", remedy: "rm \(shellQuoted(place))"))
      }
      place = target
    }
    throw .failed(path: path, operation: "open", code: ELOOP)
  }

  /// Throws if another user can put files into a folder in the place of ours. In a sticky folder, such as /tmp, nobody can.
  /// - Parameter path: the file that the error names.
  static func requireFolder(_ folder: String, of path: String) throws(FileError) {
    var facts = stat()
    guard lstat(folder, &facts) == 0 else { return }  // opening the file says why
    let parley = shellQuoted((folder == "/" ? "" : folder) + "/parley")
    let subject = folder == path ? "it" : "its folder"
    func refuse(_ reason: String, _ remedy: String?) throws(FileError) {
      throw .exposed(Exposure(path: path, reason: reason, remedy: remedy ?? "export PARLEY_HOME=\(parley)"))
    }
    if facts.st_mode & S_IFMT == S_IFLNK {
      guard isTrusted(facts.st_uid) else { return try refuse("\(subject) is another user's link", nil) }
      guard stat(folder, &facts) == 0 else { return }
    }
    // A folder that was mounted into a container belongs to a user of the host, and root may use it: what that user puts
    // there is still theirs, and refused as such.
    let mayChange = facts.st_uid == geteuid() || geteuid() == 0
    guard mayChange || facts.st_uid == 0 else { return try refuse("\(subject) is another user's", nil) }
    guard facts.st_mode & forbidden(false) == 0 || facts.st_mode & S_ISVTX != 0 else {
      return try refuse("others can write \(subject)", mayChange ? "chmod go-w \(shellQuoted(folder))" : nil)
    }
  }

  private static func require(_ facts: stat, at path: String, _ isSecret: Bool) throws(FileError) {
    let word = shellQuoted(path)
    func refuse(_ reason: String, _ remedy: String) -> FileError {
      .exposed(Exposure(path: path, reason: reason, remedy: remedy))
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw refuse("not a regular file", "mv \(word) \(word).old") }
    guard facts.st_uid == geteuid() || !isSecret && isTrusted(facts.st_uid) else {
      throw refuse("another user's file", "\(geteuid() == 0 ? "" : "sudo ")chown \(geteuid()) \(word)")
    }
    guard facts.st_mode & forbidden(isSecret) == 0 else {
      let isReadable = isSecret && facts.st_mode & 0o044 != 0
      throw refuse(
        isReadable ? "others can read it" : "others can write it", "chmod \(isSecret ? "600" : "go-w") \(word)")
    }
  }

  /// What group and others may not do. A group of the user alone cannot be told from another, as with ssh.
  private static func forbidden(_ isSecret: Bool) -> UInt32 { isSecret ? 0o077 : 0o022 }

  /// Root could write everything anyway.
  private static func isTrusted(_ owner: uid_t) -> Bool { owner == geteuid() || owner == 0 }

  /// As one word of a shell's command line.
  static func shellQuoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-+".utf8.contains(byte)
    }
    return plain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}

extension Paths {
  /// The files of this program that others could have written, and the folders of drafts and of the cache where others can.
  package var exposures: [Exposure] {
    var found: [Exposure] = []
    func look(_ path: String, _ check: (String) throws(FileError) -> Void) {
      do throws(FileError) { try check(path) } catch {
        guard case .exposed(var exposure) = error else { return }
        exposure.path = path
        found.append(exposure)
      }
    }
    for path in [preferences, startUpCommands] {
      look(path) { path throws(FileError) in try PrivateFile.check(path, followsLinks: true) }
    }
    look(history) { path throws(FileError) in try HistoryFile(path).requireTrusted() }
    for path in [servers, toolServers, permissions, snippets, knownServers, deviceName] {
      look(path) { path throws(FileError) in try PrivateFile.check(path) }
    }
    for folder in [drafts, cache] {
      look(folder) { folder throws(FileError) in try PrivateFile.requireFolder(folder, of: folder) }
    }
    look(credentials) { path throws(FileError) in try PrivateFile.check(path, isSecret: true) }
    return found
  }
}

package import Chat
import Glibc

/// Reads the files of this program. A file is used only if no other user could have written it, or replaced it in its
/// folder (docs/rules.md C3).
package enum PrivateFile {
  /// The content of a file that the user edits, and may keep elsewhere and link to; nil if there is no such file.
  package static func readUserFile(_ path: String) throws(FileError) -> [UInt8]? { try read(path, followsLinks: true) }

  /// The whole content; nil if there is no such file.
  /// - Parameters:
  ///   - isSecret: no other user may read it either.
  ///   - followsLinks: otherwise a symbolic link is refused. What a link leads to has to be as safe as the link.
  static func read(
    _ path: String, isSecret: Bool = false, followsLinks: Bool = false
  ) throws(FileError) -> [UInt8]? {
    guard let place = try check(path, isSecret: isSecret, followsLinks: followsLinks) else { return nil }
    // Checked again on the open descriptor, which cannot be replaced.
    return try AtomicFile.read(place, throughLinks: false) { facts throws(FileError) in
      try require(facts, at: place, behind: path, isSecret)
    }
  }

  /// Looks at a file without opening it: closing a descriptor of a database would drop SQLite's locks.
  /// - Parameter allowsSticky: whether its folder may be one like /tmp.
  /// - Returns: where the file is, behind all links; nil if there is none.
  @discardableResult
  static func check(
    _ path: String, isSecret: Bool = false, followsLinks: Bool = false, allowsSticky: Bool = true
  ) throws(FileError) -> String? {
    var place = path
    for _ in 0..<AtomicFile.mostLinks {
      var facts = stat()
      guard lstat(place, &facts) == 0 else {
        guard errno == ENOENT else { throw .failed(path: place, operation: "open", code: errno) }
        if place != path { throw .danglingLink(path: path, target: place) }
        return nil
      }
      try requireFolder(directory(of: place), of: place, allowsSticky: allowsSticky)
      guard facts.st_mode & S_IFMT == S_IFLNK, let target = AtomicFile.target(of: place) else {
        try require(facts, at: place, behind: path, isSecret)
        return place
      }
      guard followsLinks else {
        let real = realpath(place, nil)
        defer { free(real) }
        let copy = real.map { "cp --remove-destination \(shellQuoted(String(cString: $0))) \(shellQuoted(place))" }
        throw .exposed(
          Exposure(
            path: place, reason: "a symbolic link", advice: copy.map { _ in Exposure.readFirst },
            command: copy ?? "rm \(shellQuoted(place))"))
      }
      guard isTrusted(facts.st_uid) else {
        throw .exposed(Exposure(path: place, reason: "another user's link", command: "rm \(shellQuoted(place))"))
      }
      place = target
    }
    throw .failed(path: path, operation: "open", code: ELOOP)
  }

  /// - Parameter link: where the search for the file began; a link, unless it is the path.
  private static func require(
    _ facts: stat, at path: String, behind link: String, _ isSecret: Bool
  ) throws(FileError) {
    let word = shellQuoted(path)
    // What a link leads to may be a device, or a file that another program needs: only the link is moved away.
    let removal = link == path ? nil : "rm \(shellQuoted(link))"
    func refuse(_ reason: String, _ command: String, advice: String? = nil) -> FileError {
      .exposed(Exposure(path: path, reason: reason, advice: advice, command: command))
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw refuse("not a regular file", removal ?? "mv \(word) \(word).old")
    }
    guard facts.st_uid == geteuid() || !isSecret && isTrusted(facts.st_uid) else {
      throw refuse("another user's file", removal ?? "mv \(word) \(word).refused")
    }
    let change = "chmod \(isSecret ? "600" : "go-w") \(word)"
    let isWritable = isSecret ? facts.st_mode & 0o022 != 0 : isWritableByOthers(facts)
    if isWritable { throw refuse("others can write it", change, advice: Exposure.readFirst) }
    if isSecret, facts.st_mode & 0o077 != 0 { throw refuse("others can read it", change) }
  }

  /// Whether the mode lets users write who are neither the owner nor alone in the group.
  static func isWritableByOthers(_ facts: stat, privateGroup: gid_t? = PrivateGroup.ofUser) -> Bool {
    facts.st_mode & (facts.st_gid == privateGroup ? 0o002 : 0o022) != 0
  }

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

// The folders above a file.
extension PrivateFile {
  /// A folder or link on the way to a file that lets another user replace the file.
  private struct UnsafePlace {
    var place: PathWalk.Place
    /// Whether it is the file's own folder.
    var isInnermost: Bool
    var isWritable: Bool
  }

  /// Throws if another user could replace files in the folder.
  /// - Parameters:
  ///   - path: the file that the error names.
  ///   - allowsSticky: whether it may be a sticky folder that others can write, such as /tmp. Nobody can replace a file
  ///     there, but anybody can make one that does not exist yet.
  static func requireFolder(
    _ folder: String, of path: String, allowsSticky: Bool = true
  ) throws(FileError) {
    guard let found = unsafePlace(leadingTo: folder, allowsSticky: allowsSticky) else { return }
    let (place, owner) = (found.place, found.place.facts.st_uid)
    let subject =
      !found.isInnermost
      ? "the \(place.isLink ? "link" : "folder") \(place.path)"
      : folder == path ? "it" : "its folder"
    var exposure = Exposure(
      path: path, reason: found.isWritable ? "others can write \(subject)" : "\(subject) is another user's")
    // Root's outer folders may be writable for a purpose, and so are sticky ones.
    if found.isWritable, !place.isSticky, owner == geteuid(), found.isInnermost || owner != 0 {
      exposure.advice = "check the files in it"
      exposure.command = "chmod go-w \(shellQuoted(place.path))"
    } else {
      exposure.advice = safeHome(outside: place.path)
    }
    throw .exposed(exposure)
  }

  /// A folder that belongs to another user and that root uses all the same, because it was mounted.
  static func foreignFolder(leadingTo folder: String) -> (path: String, owner: Int)? {
    guard geteuid() == 0, unsafePlace(leadingTo: folder, allowsSticky: true) == nil,
      let found = PathWalk(folder).places.last(where: { !$0.isLink && $0.facts.st_uid != 0 })
    else { return nil }
    return (found.path, Int(found.facts.st_uid))
  }

  /// The innermost place through which another user could replace files in the folder. As sshd does, it looks at all
  /// folders above, up to a sticky one of root's.
  private static func unsafePlace(leadingTo folder: String, allowsSticky: Bool) -> UnsafePlace? {
    let walk = PathWalk(folder)
    let innermost = walk.isComplete ? walk.places.count - 1 : -1
    var isBelowSticky = false
    for (index, place) in walk.places.enumerated().reversed() {
      func found(isWritable: Bool) -> UnsafePlace {
        UnsafePlace(place: place, isInnermost: index == innermost, isWritable: isWritable)
      }
      if place.isLink {
        guard isTrusted(place.facts.st_uid) else { return found(isWritable: false) }
        isBelowSticky = false  // these folders lead to the link, and the ones before to its target
        continue
      }
      if isBelowSticky { continue }
      guard isTrustedFolder(place, isInnermost: index == innermost) else { return found(isWritable: false) }
      let isAllowed = place.isSticky && (allowsSticky || index != innermost)
      guard isAllowed || !isWritableByOthers(place.facts) else { return found(isWritable: true) }
      isBelowSticky = place.isSticky && place.facts.st_uid == 0
    }
    return nil
  }

  private static func isTrustedFolder(_ place: PathWalk.Place, isInnermost: Bool) -> Bool {
    let owner = place.facts.st_uid
    if isTrusted(owner) || !isInnermost && owner == unmappedUser { return true }
    // A folder that was mounted into a container belongs to a user of the host.
    return geteuid() == 0 && FileSystem.isBelowMount(place.path)
  }

  /// The user that stands for all users without a number in this user namespace, root of the host among them; nil where
  /// all users have one. In a sandbox the outer folders belong to it.
  private static let unmappedUser: uid_t? = {
    func words(_ path: String) -> [Substring] {
      let bytes = (try? AtomicFile.read(path)) ?? nil  // without /proc there is no sandbox to know of
      return String(decoding: bytes ?? [], as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }
    guard words("/proc/self/uid_map") != ["0", "0", "4294967295"] else { return nil }
    return words("/proc/sys/kernel/overflowuid").first.flatMap { uid_t($0) }
  }()

  /// Advice that names another folder for all files, one that is safe and not within the refused one.
  private static func safeHome(outside refused: String) -> String {
    var homes: [(word: String, path: String)] = []
    if let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") {
      homes.append(("\"$HOME/.parley\"", home + "/.parley"))
    }
    if geteuid() == 0 { homes.append(("/root/.parley", "/root/.parley")) }
    let safe = homes.first { home in
      let isWithin = refused == "/" || home.path == refused || home.path.hasPrefix(refused + "/")
      return !isWithin && unsafePlace(leadingTo: home.path, allowsSticky: false) == nil
    }
    return "start parley with PARLEY_HOME=" + (safe?.word ?? "FOLDER, a folder that only you can change")
  }
}

/// A file or folder of this program that another user could change.
package struct UntrustedFile: Sendable, Equatable {
  /// The name that this program uses. The exposure may be about another place, to which a link leads.
  package var file: String
  package var exposure: Exposure
  /// Set if it is used all the same.
  package var isUsed = false
}

extension Paths {
  /// The files of this program that others could have written, and the folders of drafts and of the cache where others can.
  package var exposures: [UntrustedFile] {
    var found: [UntrustedFile] = []
    func look(_ path: String, _ check: (String) throws(FileError) -> Void) {
      do throws(FileError) { try check(path) } catch {
        if case .exposed(let exposure) = error { found.append(UntrustedFile(file: path, exposure: exposure)) }
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
    return found + foreignFolders
  }

  private var foreignFolders: [UntrustedFile] {
    var found: [UntrustedFile] = []
    for folder in [configDirectory, dataDirectory, stateDirectory, cache] {
      guard let (path, owner) = PrivateFile.foreignFolder(leadingTo: folder) else { continue }
      if found.contains(where: { $0.file == path }) { continue }
      let reason = "used, but user \(owner) owns it and can delete or replace the files in it"
      found.append(UntrustedFile(file: path, exposure: Exposure(path: path, reason: reason), isUsed: true))
    }
    return found
  }
}

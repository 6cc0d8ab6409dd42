import Chat
import Glibc
import Wire

/// The file `credentials.json`: the sign-ins that are kept in it, and for each account what keeps its sign-in. It is not
/// encrypted (docs/rules.md C3, C4).
struct CredentialsFile {
  let path: String
  /// Whose mode is not ours to change.
  let home: String?

  /// What the file holds. Keys of a later version stay.
  struct Content: Equatable {
    fileprivate var json: JSON = ["version": 1]

    /// What keeps the account's sign-in, and what ever did and may still: the one to read first.
    func keepers(of account: AccountName) -> [Keeper] {
      let named = (json["places"]?[account.text]?.array ?? []).compactMap { $0.string.flatMap(Keeper.init) }
      return named.isEmpty && json["accounts"]?[account.text] != nil ? [.file] : named
    }

    mutating func set(_ keepers: [Keeper], of account: AccountName) {
      set("places", account, keepers.isEmpty ? nil : .array(keepers.map { .string($0.text) }))
    }

    func signIn(of account: AccountName) -> JSON? { json["accounts"]?[account.text] }

    mutating func set(_ signIn: JSON?, of account: AccountName) { set("accounts", account, signIn) }

    private mutating func set(_ key: String, _ account: AccountName, _ value: JSON?) {
      guard value != nil || json[key]?[account.text] != nil else { return }
      var group = json[key] ?? [:]
      group[account.text] = value
      json[key] = group.object?.isEmpty == true ? nil : group
    }
  }

  /// nil when there is no file.
  func read() throws(CredentialError) -> Content? {
    let bytes: [UInt8]
    do {
      guard let found = try PrivateFile.read(path, isSecret: true) else { return nil }
      bytes = found
    } catch {
      // No folder, no file.
      if case .failed(_, _, ENOTDIR) = error { return nil }
      throw CredentialError(error)
    }
    guard let json = try? JSON(parsing: bytes), json.object != nil else { throw .broken(path: path) }  // that says why
    return Content(json: json)
  }

  /// Changes the newest content under a lock; does not write when nothing changes. A broken file is set aside first.
  func change(_ edit: (inout Content) -> Void) throws(CredentialError) {
    let guarding: FileLock
    do throws(FileError) {
      try AtomicFile.makeDirectory(directory(of: path))
      guarding = try FileLock(path + ".lock", .exclusive)
    } catch { throw CredentialError(error) }
    defer { withExtendedLifetime(guarding) {} }

    let before = try readOrSetAside()
    var content = before
    edit(&content)
    guard content != before else { return }
    do throws(FileError) {
      try closeDirectory()
      try AtomicFile.write(content.json.bytes(pretty: true) + [UInt8(ascii: "\n")], to: path)
    } catch { throw CredentialError(error) }
  }

  /// Removes the broken files that were set aside: they may hold what is to be gone.
  func removeAside() throws(CredentialError) {
    let folder = directory(of: path)
    guard let stream = opendir(folder) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard AsideName.matches(name, for: path, "broken") else { continue }
      guard unlink(folder + "/" + name) == 0 || errno == ENOENT else { throw .stillThere(place: folder + "/" + name) }
    }
  }

  private func readOrSetAside() throws(CredentialError) -> Content {
    do { return try read() ?? Content() } catch {
      guard case .broken = error else { throw error }
    }
    let aside = AsideName.free(for: path, "broken", at: History.systemTime())
    guard rename(path, aside) == 0 else {
      throw CredentialError(FileError.inDirectory(directory(of: path), "rename", errno))
    }
    return Content()
  }

  /// Gives the directory to the person alone, where it is theirs to give: not the home itself, nor one like /tmp.
  private func closeDirectory() throws(FileError) {
    let folder = directory(of: path)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    // A symbolic link: leave its target's mode unchanged.
    if descriptor < 0, [ELOOP, ENOTDIR].contains(errno) { return }
    guard descriptor >= 0 else { throw .failed(path: folder, operation: "open", code: errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_uid == geteuid(), facts.st_mode & 0o077 != 0,
      facts.st_mode & S_ISVTX == 0, folder != home
    else { return }
    guard fchmod(descriptor, 0o700) == 0 else { throw .failed(path: folder, operation: "chmod", code: errno) }
  }
}

extension CredentialError {
  init(_ error: FileError) {
    switch error {
    case .readOnlyDirectory(let path): self = .file(path: path, reason: "the directory is read-only")
    case .readOnlyFile(let path): self = .file(path: path, reason: "read-only")
    case .exposed(let exposure): self = .exposed(exposure)
    case .danglingLink(let path, let target): self = .file(path: path, reason: "a link to \(target), which is missing")
    case .notAFile(let path): self = .exposed(Exposure(path: path, reason: "not a regular file"))
    case .full(let path): self = .file(path: path, reason: "the disk is full")
    case .locked(let path): self = .file(path: path, reason: "another process holds it")
    case .failed(let path, let operation, let code):
      self = .file(path: path, reason: "\(operation): \(FileError.reason(code))")
    }
  }
}

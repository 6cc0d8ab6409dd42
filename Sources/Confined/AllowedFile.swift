import Glibc

/// One file that the person allows, wherever it is: what was shown is what is read or written (docs/rules.md A2 and A4).
///
/// `path` is what to show. No link is followed any more when the file is read or written, neither the file's own nor
/// one above it, so that nothing can be put in its place meanwhile.
package struct AllowedFile: Sendable {
  /// Where the file really is, without links, `.` and `..`; the file and folders above it may not be there yet.
  package let path: String
  private let names: Names
  private let files: ConfinedFiles

  /// Finds out where a path leads; nothing is opened.
  /// - Parameters:
  ///   - path: absolute.
  ///   - ownFolders: absolute paths of folders in which nothing is read or written; `own` is thrown for a file in one
  ///     of them (docs/rules.md A3).
  ///   - umask: what the program was started with; it is left out of the rights of new files and folders.
  package init(_ path: String, ownFolders: [String] = [], umask: UInt32 = 0o022) throws(ConfinedFailure) {
    try self.init(path, ownFolders: ownFolders, umask: umask, alwaysWalks: false)
  }

  /// - Parameter alwaysWalks: as where the kernel has no openat2.
  init(
    _ path: String, ownFolders: [String] = [], umask: UInt32 = 0o022, alwaysWalks: Bool
  ) throws(ConfinedFailure) {
    let names = try AllowedFile.resolved(try Names(absolute: path))
    guard let shown = names.absolute else { throw .malformed }
    let own = OwnFolders(paths: ownFolders)
    guard !own.contain(names) else { throw .own }
    self.path = shown
    self.names = names
    files = ConfinedFiles(
      path: "/", identity: FolderIdentity(of: "/"), followsLinks: false, own: own, umask: umask,
      alwaysWalks: alwaysWalks)
  }

  /// Whether one of its names is to be pointed out to the person (docs/rules.md A3).
  package func isProtected(for purpose: FilePurpose) -> Bool { ProtectedNames.contain(names, for: purpose) }

  /// The text of the file, or some of its lines, as `ConfinedFolder.read` gives it.
  package func read(line: Int? = nil, limit: Int? = nil) throws(ConfinedFailure) -> String {
    let range = LineRange(from: line, limit: limit)
    return try files.read(names, in: try files.tree(), range, allowing: .protectedNames)
  }

  /// Replaces the file whole or makes it, as `ConfinedFolder.write` does.
  /// - Parameter allowing: without `hardLinks`, `hardLinked` is thrown for a file that has other names.
  package func write(_ text: String, allowing: FileAllowance = []) throws(ConfinedFailure) {
    try files.write(names, in: try files.tree(), text, allowing: allowing.union(.protectedNames))
  }

  /// The path without its links, as far as something is there.
  private static func resolved(_ names: Names) throws(ConfinedFailure) -> Names {
    guard !names.endsAsFolder else { throw .notRegular(.folder) }
    for count in stride(from: names.parts.count, through: 0, by: -1) {
      guard let start = Names(Array(names.parts[..<count])).absolute else { throw .malformed }
      guard let real = Tree.resolved(start) else {
        var facts = stat()
        if lstat(start, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK { throw .link }
        continue
      }
      let missing = Names(Array(names.parts[count...]))
      guard !missing.parts.contains(.above) else { throw .missing }
      return real + missing
    }
    throw .missing
  }
}

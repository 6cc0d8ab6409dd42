/// A folder whose files somebody else names, such as an agent (docs/rules.md A2).
///
/// A path is absolute, and begins with the folder's path as it was given or as it really is. Links are followed where
/// they stay in the folder. Where the kernel cannot see to that, none is. What is checked is what is then read or
/// written: in between there are only descriptors. The program that names the files is not confined by it.
package struct ConfinedFolder: Sendable {
  /// Where a path leads.
  package enum Place: Sendable, Equatable {
    /// In the folder, or it would be there if it were made.
    case inside(isProtected: Bool)
    /// Elsewhere, or nowhere: the path is none, the folder is gone, or a link leads out.
    case outside
    /// To parley's own settings or data (docs/rules.md A3).
    case own
  }

  /// As it was given.
  package let path: String
  private let files: ConfinedFiles

  /// Remembers which folder it is; another one that takes its place later is refused.
  /// - Parameters:
  ///   - path: absolute; links in it are followed.
  ///   - ownFolders: absolute paths of folders in which nothing is read or written (docs/rules.md A3).
  ///   - umask: what the program was started with; it is left out of the rights of new files and folders.
  package init(_ path: String, ownFolders: [String] = [], umask: UInt32 = 0o022) {
    self.init(path, ownFolders: ownFolders, umask: umask, alwaysWalks: false)
  }

  /// - Parameter alwaysWalks: as where the kernel has no openat2.
  init(_ path: String, ownFolders: [String] = [], umask: UInt32 = 0o022, alwaysWalks: Bool) {
    self.path = path
    files = ConfinedFiles(
      path: path, identity: path.utf8.first == Name.slash ? FolderIdentity(of: path) : nil, followsLinks: true,
      own: OwnFolders(paths: ownFolders), umask: umask, alwaysWalks: alwaysWalks)
  }

  /// Where a path leads now, so that the person can be asked before it is read or written. Nothing is changed or read.
  /// What cannot be found out, such as for want of rights, is said when it is read or written.
  package func place(of path: String, for purpose: FilePurpose) -> Place {
    do throws(ConfinedFailure) {
      let tree = try files.tree()
      let names = try names(of: path, in: tree)
      let real = try realNames(names, in: tree)
      guard !files.own.contain(tree.realNames + names), !files.own.contain(tree.realNames + real) else { return .own }
      return .inside(
        isProtected: ProtectedNames.contain(names, for: purpose) || ProtectedNames.contain(real, for: purpose))
    } catch {
      return .outside
    }
  }

  /// The text of a file, or some of its lines.
  /// - Parameters:
  ///   - path: absolute; it has to be a regular file in the folder, in UTF-8.
  ///   - line: the first line, counted from 1; nil is the first. Beyond the end there is no text, and no error.
  ///   - limit: how many lines; nil is all. Each keeps its "\n". The file is read only as far, and no further than
  ///     `confinedReadLimitBytes` (docs/rules.md A7).
  ///   - allowing: what the person has agreed to; else `protected` is thrown for secrets.
  package func read(
    _ path: String, line: Int? = nil, limit: Int? = nil, allowing: FileAllowance = []
  ) throws(ConfinedFailure) -> String {
    let tree = try files.tree()
    return try files.read(
      try names(of: path, in: tree), in: tree, LineRange(from: line, limit: limit), allowing: allowing)
  }

  /// Replaces a file whole (docs/rules.md C4), or makes it and the folders above it. An existing file keeps its mode.
  /// - Parameters:
  ///   - path: absolute; a link is followed in the folder, and stays.
  ///   - allowing: what the person has agreed to; else `protected` and `hardLinked` are thrown.
  package func write(_ path: String, _ text: String, allowing: FileAllowance = []) throws(ConfinedFailure) {
    let tree = try files.tree()
    try files.write(try names(of: path, in: tree), in: tree, text, allowing: allowing)
  }

  /// The names that follow the folder's, by the words of the path alone.
  private func names(of path: String, in tree: Tree) throws(ConfinedFailure) -> Names {
    let names = try Names(absolute: path)
    for folder in [Names(Array(self.path.utf8)), tree.realNames] {
      if let below = names.below(folder), below.withoutSteps != nil { return below }
    }
    throw .outside
  }

  /// Where names really lead, as far as something is there.
  private func realNames(_ names: Names, in tree: Tree) throws(ConfinedFailure) -> Names {
    if names.endsAsFolder {
      let (folder, missing) = try tree.deepestFolder(names)
      return folder.names + missing
    }
    do throws(ConfinedFailure) {
      return try tree.spot(of: names).names
    } catch .denied, .notAFolder, .malformed, .notRegular {
      return names
    }
  }
}

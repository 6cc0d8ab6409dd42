/// A folder in which a program is started that somebody else names: what was shown is where it starts (docs/rules.md A2
/// and A4).
package struct StartFolder: Sendable, Equatable {
  /// Where it really is, without links.
  package let path: String
  private let identity: FolderIdentity

  /// - Parameters:
  ///   - path: absolute; links in it are followed.
  ///   - ownFolders: absolute paths of folders in which nothing is started; `own` is thrown in one (docs/rules.md A3).
  package init(_ path: String, ownFolders: [String] = []) throws(ConfinedFailure) {
    guard !path.utf8.contains(0) else { throw .malformed }
    guard path.utf8.first == Name.slash else { throw .notAbsolute }
    guard let real = Tree.resolved(path), let shown = real.absolute, let identity = FolderIdentity(of: shown) else {
      throw .missing
    }
    guard !OwnFolders(paths: ownFolders).contain(real) else { throw .own }
    self.path = shown
    self.identity = identity
  }

  /// Whether the path still leads there, by no link.
  package var isInPlace: Bool { (try? StartFolder(path)) == self }

  package static func == (one: StartFolder, other: StartFolder) -> Bool {
    // Two names may be equal as texts and not as names.
    one.path.utf8.elementsEqual(other.path.utf8) && one.identity == other.identity
  }
}

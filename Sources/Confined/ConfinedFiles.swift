import CConfined
import Glibc

/// What the person has agreed to for one reading or writing, after seeing what it is.
package struct FileAllowance: OptionSet, Sendable {
  /// The bits of what follows.
  package let rawValue: Int

  /// What several bits stand for.
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Names that are asked about always (docs/rules.md A3).
  package static let protectedNames = FileAllowance(rawValue: 1)
  /// To write a file that has other names too (docs/rules.md A2). They keep the old content.
  package static let hardLinks = FileAllowance(rawValue: 2)
}

/// The most of a file that is read (docs/rules.md A7).
package let confinedReadLimitBytes = 8 << 20

/// Files below one folder, read and written by descriptors alone; both kinds of leave are built on it.
struct ConfinedFiles: Sendable {
  let path: String
  /// The folder that was granted; nil where there was none.
  let identity: FolderIdentity?
  let followsLinks: Bool
  let own: OwnFolders
  /// What a new file's rights leave out.
  let umask: UInt32
  var alwaysWalks = false

  /// Opens the folder, for one reading or writing.
  func tree() throws(ConfinedFailure) -> Tree {
    guard identity != nil else { throw .missing }
    return try Tree(path, identity: identity, followsLinks: followsLinks, alwaysWalks: alwaysWalks)
  }

  func read(
    _ names: Names, in tree: Tree, _ range: LineRange, allowing: FileAllowance
  ) throws(ConfinedFailure) -> String {
    guard !names.endsAsFolder else { throw .notRegular(.folder) }
    try check(names, in: tree, for: .reading, allowing)
    let found = try tree.open(names, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    try check(found.names, in: tree, for: .reading, allowing)
    let facts = try found.descriptor.facts()
    try ConfinedFailure.requireRegular(facts)
    // The kernel adds a word of its own to the name of what is gone, so the check above said nothing.
    guard facts.st_nlink > 0 else { throw .missing }
    return try text(of: found.descriptor, range)
  }

  private func text(of file: Descriptor, _ range: LineRange) throws(ConfinedFailure) -> String {
    var range = range
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var total = 0
    while !range.isFinished {
      let count = try file.call { Glibc.read($0, &chunk, chunk.count) }
      if count == 0 { break }
      total += count
      range.take(chunk[..<count])
      guard range.isFinished || total <= confinedReadLimitBytes else {
        throw .tooLarge(limitBytes: confinedReadLimitBytes)
      }
    }
    guard let text = String(validating: range.bytes, as: UTF8.self) else { throw .notText }
    return text
  }

  func write(_ names: Names, in tree: Tree, _ text: String, allowing: FileAllowance) throws(ConfinedFailure) {
    try check(names, in: tree, for: .writing, allowing)
    let spot = try tree.spot(of: names)
    try check(spot.names, in: tree, for: .writing, allowing)
    if let existing = spot.existing { try requireWritable(existing, allowing) }
    let folder = try makeFolders(spot)
    let file = WholeFile(folder: folder, name: spot.name, existing: spot.existing, mode: 0o666 & ~umask)
    try file.write(Array(text.utf8))
  }

  private func requireWritable(_ existing: stat, _ allowing: FileAllowance) throws(ConfinedFailure) {
    try ConfinedFailure.requireRegular(existing)
    // A rename would get past both.
    let isOurs = existing.st_uid == geteuid() || geteuid() == 0
    guard isOurs, existing.st_mode & 0o200 != 0 else { throw .denied }
    guard existing.st_nlink == 1 || allowing.contains(.hardLinks) else { throw .hardLinked }
  }

  /// Makes the folders that are not there, each in the one before.
  private func makeFolders(_ spot: Spot) throws(ConfinedFailure) -> Descriptor {
    var folder = spot.folder.descriptor
    for name in spot.missing.parts {
      let mode = 0o777 & ~umask
      _ = try folder.call { folder in
        // Somebody may have made it meanwhile; the step sees what.
        name.withCString { mkdirat(folder, $0, mode) == 0 || errno == EEXIST ? Int32(0) : -1 }
      }
      folder.syncAsFolder()
      folder = try Tree.step(into: name, of: folder)
    }
    return folder
  }

  /// Throws for what nobody gets, and for what the person has not allowed.
  /// - Parameter names: from the top of the folder.
  private func check(
    _ names: Names, in tree: Tree, for purpose: FilePurpose, _ allowing: FileAllowance
  ) throws(ConfinedFailure) {
    guard !own.contain(tree.realNames + names) else { throw .own }
    guard allowing.contains(.protectedNames) || !ProtectedNames.contain(names, for: purpose) else { throw .protected }
  }
}

/// Folders of parley itself, which nobody else reads or writes (docs/rules.md A3).
struct OwnFolders: Sendable {
  let paths: [String]

  /// - Parameter names: from the top of the file system.
  func contain(_ names: Names) -> Bool {
    let folded = (names.withoutSteps ?? names).parts.map(ProtectedNames.folded)
    return paths.contains { path in
      [Names(Array(path.utf8)), Tree.resolved(path)].contains { folder in
        folder.map { folded.starts(with: $0.parts.map(ProtectedNames.folded)) } ?? false
      }
    }
  }
}

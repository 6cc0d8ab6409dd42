import CConfined
import Glibc

/// Where a file is or would be: the deepest folder that is there, and what follows it.
struct Spot {
  let folder: Tree.Found
  /// Folders that are not there.
  let missing: Names
  let name: Name
  /// What has the name now, which is no link; nil where nothing has.
  let existing: stat?

  /// Where it really is, from the top of the folder.
  var names: Names { folder.names + missing + Names([name]) }
}

extension Tree {
  /// More links than Linux itself follows in one path.
  private static let mostLinks = 40

  /// Finds the spot, and follows links of the file itself to where they lead in the folder, also when nothing is there.
  func spot(of names: Names) throws(ConfinedFailure) -> Spot {
    var names = names
    for _ in 0...Tree.mostLinks {
      guard !names.endsAsFolder, let name = names.parts.last else { throw .notRegular(.folder) }
      let (folder, missing) = try deepestFolder(names.withoutLast)
      let existing = missing.parts.isEmpty ? try folder.descriptor.facts(of: name) : nil
      guard let existing, existing.st_mode & S_IFMT == S_IFLNK else {
        return Spot(folder: folder, missing: missing, name: name, existing: existing)
      }
      guard followsLinks, !folder.isWalked else { throw .link }
      let target = try folder.descriptor.target(of: name)
      guard target.first != Name.slash else { throw .outside }
      names = folder.names + Names(target)
    }
    throw .link
  }

  /// The deepest folder of a path that is there, and the names that follow it.
  func deepestFolder(_ names: Names) throws(ConfinedFailure) -> (Found, missing: Names) {
    for count in stride(from: names.parts.count, through: 0, by: -1) {
      do throws(ConfinedFailure) {
        let found = try open(Names(Array(names.parts[..<count])), confined_place_only | O_DIRECTORY)
        let missing = Names(Array(names.parts[count...]))
        // What is above a folder that is not there, nobody knows.
        guard !missing.parts.contains(.above) else { throw ConfinedFailure.missing }
        return (found, missing)
      } catch .missing where count > 0 {
        continue
      }
    }
    throw .missing
  }
}

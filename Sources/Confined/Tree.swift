import CConfined
import Glibc

/// Which folder it is, whatever it is called.
struct FolderIdentity: Equatable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  init(_ facts: stat) {
    device = facts.st_dev
    inode = facts.st_ino
  }

  /// nil where there is no such path.
  init?(of path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }
}

/// A folder that is open, and the only way to what is below it (docs/rules.md A2).
struct Tree {
  /// What was found, and where it really is in the folder.
  struct Found {
    let descriptor: Descriptor
    let names: Names
    /// No link was followed, as the kernel does not hold us to the folder.
    let isWalked: Bool
  }

  let folder: Descriptor
  /// Where the folder really is.
  let realNames: Names
  /// Links that stay in the folder are followed where the kernel sees to it.
  let followsLinks: Bool
  /// The kernel is not asked; for tests of what is done where it has no openat2.
  let alwaysWalks: Bool

  /// - Parameter identity: the folder that it has to be; nil is any.
  init(
    _ path: String, identity: FolderIdentity?, followsLinks: Bool, alwaysWalks: Bool
  ) throws(ConfinedFailure) {
    folder = try Descriptor.opened { Glibc.open(path, confined_place_only | O_DIRECTORY | O_CLOEXEC) }
    if let identity, identity != FolderIdentity(try folder.facts()) { throw .moved }
    realNames = folder.realPath() ?? Tree.resolved(path) ?? Names(Array(path.utf8))
    self.followsLinks = followsLinks
    self.alwaysWalks = alwaysWalks
  }

  /// The real path of what is there; nil where there is nothing, or a link to nothing.
  static func resolved(_ path: String) -> Names? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return Names(Array(String(cString: real).utf8))
  }

  /// Opens what the names lead to, if that is in the folder.
  func open(_ names: Names, _ flags: Int32) throws(ConfinedFailure) -> Found {
    guard !alwaysWalks, let descriptor = try askKernel(names, flags), let real = descriptor.realPath() else {
      return try walk(names, flags)
    }
    guard let below = real.below(realNames) else { throw .outside }
    return Found(descriptor: descriptor, names: below, isWalked: false)
  }

  /// nil where it has no openat2.
  private func askKernel(_ names: Names, _ flags: Int32) throws(ConfinedFailure) -> Descriptor? {
    var isUnknown = false
    do throws(ConfinedFailure) {
      return try folder.opening { folder in
        names.relative.withCString { path in
          let descriptor = confined_open(folder, path, flags, followsLinks)
          isUnknown = descriptor < 0 && errno == ENOSYS
          return descriptor
        }
      }
    } catch {
      if isUnknown { return nil }
      throw error
    }
  }

  /// Goes from folder to folder and follows no link; `..` goes back to the folder that was there.
  private func walk(_ names: Names, _ flags: Int32) throws(ConfinedFailure) -> Found {
    let isFolder = flags & O_DIRECTORY != 0
    var way = [folder]
    for part in isFolder ? names.parts[...] : names.parts.dropLast() {
      if part != .above {
        way.append(try Tree.step(into: part, of: way[way.count - 1]))
      } else {
        way.removeLast()
        guard !way.isEmpty else { throw .outside }
      }
    }
    var descriptor = way[way.count - 1]
    if !isFolder {
      descriptor = try descriptor.opening { folder in
        (names.parts.last ?? names.relative).withCString { openat(folder, $0, flags | O_NOFOLLOW | O_CLOEXEC) }
      }
    }
    return Found(descriptor: descriptor, names: names.withoutSteps ?? names, isWalked: true)
  }

  /// A folder in a folder, by its own name.
  static func step(into name: Name, of folder: Descriptor) throws(ConfinedFailure) -> Descriptor {
    let next = try folder.opening { folder in
      name.withCString { openat(folder, $0, confined_place_only | O_NOFOLLOW | O_CLOEXEC) }
    }
    switch try next.facts().st_mode & S_IFMT {
    case S_IFDIR: return next
    case S_IFLNK: throw .link
    default: throw .notAFolder
    }
  }
}

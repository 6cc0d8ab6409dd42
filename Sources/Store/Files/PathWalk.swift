import Glibc

/// The folders, symbolic links and at last the file that lead to a path, outermost first.
struct PathWalk {
  struct Place {
    var path: String
    var facts: stat

    var isLink: Bool { facts.st_mode & S_IFMT == S_IFLNK }
    var isSticky: Bool { facts.st_mode & S_ISVTX != 0 }
  }

  private(set) var places: [Place] = []
  /// Set if the path exists.
  private(set) var isComplete = false

  /// Follows all links. Ends at the first name that is missing or cannot be read.
  init(_ path: String) {
    var place = "/"
    var rest: [Substring] = path.split(separator: "/").reversed()
    if !path.hasPrefix("/"), let folder = realpath(".", nil) {
      rest += String(cString: folder).split(separator: "/").reversed()
      free(folder)
    }
    guard add(place) else { return }
    var links = 0
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        place = directory(of: place)
        continue
      }
      let next = place == "/" ? "/\(name)" : "\(place)/\(name)"
      guard add(next) else { return }
      guard places.last?.isLink == true else {
        place = next
        continue
      }
      links += 1
      guard links <= AtomicFile.mostLinks, let target = AtomicFile.target(of: next) else { return }
      rest += target.split(separator: "/").reversed()
      place = "/"
    }
    isComplete = true
  }

  private mutating func add(_ path: String) -> Bool {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return false }
    places.append(Place(path: path, facts: facts))
    return true
  }
}

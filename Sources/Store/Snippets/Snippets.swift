import Wire

/// The snippets that the person keeps, in the order that they gave them (docs/snippets.md 1).
///
/// Every change re-reads the file under a lock, so that two shells add to the same list. It is state, not preferences:
/// nobody edits it by hand, a broken file is set aside, and one that others could have written is not believed, since
/// there are commands in it. It is read when it is first asked for.
package struct Snippets: Sendable {
  package internal(set) var entries: [Snippet] = []
  package internal(set) var categories: [SnippetCategory] = []
  /// What was wrong with the file when it was last read.
  package private(set) var problem: StateProblem?

  private let path: String?
  private let writes: Bool
  private var stamp: FileStamp?
  private var hasRead = false

  package enum Failure: Error, Sendable, Equatable {
    case noSnippet(String)
    case nameTaken(String)
    case badName(String)
    case file(FileError)
  }

  /// Reads nothing yet; a file that is not there is an empty list.
  /// - Parameters:
  ///   - path: nil begins empty and keeps everything in memory.
  ///   - writes: false reads the file once and keeps changes in memory: nothing is made or written beside it.
  package init(_ path: String?, writes: Bool = true) {
    self.path = path
    self.writes = writes
  }

  package func named(_ name: String) -> Snippet? { entries.first { $0.name == name } }

  /// Reads the file when it is another one than was read, such as after another shell's change; true then.
  @discardableResult
  package mutating func refresh() -> Bool {
    guard let path, !hasRead || writes && FileStamp(path) != stamp else { return false }
    read()
    return true
  }

  /// Adds one behind the others.
  package mutating func add(_ snippet: Snippet) throws(Failure) {
    try change { list throws(Failure) in
      try list.requireFree(snippet.name)
      list.entries.append(snippet)
    }
  }

  /// Changes one, as it is in the file now; the changed one.
  @discardableResult
  package mutating func edit(_ name: String, _ edit: (inout Snippet) -> Void) throws(Failure) -> Snippet {
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      edit(&list.entries[index])
      return list.entries[index]
    }
  }

  package mutating func rename(_ name: String, to newName: String) throws(Failure) {
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      if newName != name { try list.requireFree(newName) }
      list.entries[index].name = newName
    }
  }

  package mutating func remove(_ name: String) throws(Failure) {
    try change { list throws(Failure) in
      _ = list.entries.remove(at: try list.index(of: name))
    }
  }

  /// Puts one at a place counted from 1; beyond the ends is at the end. Its place then.
  @discardableResult
  package mutating func move(_ name: String, to place: Int) throws(Failure) -> Int {
    try change { list throws(Failure) in
      let snippet = list.entries.remove(at: try list.index(of: name))
      let index = min(max(1, place), list.entries.count + 1) - 1
      list.entries.insert(snippet, at: index)
      return index + 1
    }
  }

  /// Counts a run of one. - Parameter moment: milliseconds since 1970.
  package mutating func noteUse(of name: String, at moment: Int) throws(Failure) {
    try edit(name) { snippet in
      snippet.usageCount = min(snippet.usageCount + 1, Snippet.mostUses)
      snippet.lastUsedAt = moment
    }
  }

  private func index(of name: String) throws(Failure) -> Int {
    guard let index = entries.firstIndex(where: { $0.name == name }) else { throw .noSnippet(name) }
    return index
  }

  private func requireFree(_ name: String) throws(Failure) {
    guard SnippetName.isGood(name) else { throw .badName(name) }
    guard named(name) == nil else { throw .nameTaken(name) }
  }
}

extension Snippets {
  /// Runs a change on the newest state of the file and writes it.
  @discardableResult
  mutating func change<T>(_ body: (inout Snippets) throws(Failure) -> T) throws(Failure) -> T {
    guard let path, writes else {
      refresh()
      return try body(&self)
    }
    let file = StateFile(path)
    let lock: FileLock
    let older: JSON?
    do throws(FileError) {
      lock = try file.lock()
      older = read()
      switch problem {
      case .broken: problem = .broken(path: path, setAside: try file.setAside())
      case .unsafe(let exposure): throw FileError.exposed(exposure)
      case .unreadable(let error): throw error
      case .newer, nil: break
      }
    } catch { throw .file(error) }
    defer { withExtendedLifetime(lock) {} }
    let before = (entries, categories)
    let value = try body(&self)
    guard (entries, categories) != before else { return value }
    do throws(FileError) {
      try file.write(json(keepingUnknownOf: older))
    } catch {
      (entries, categories) = before
      throw .file(error)
    }
    stamp = FileStamp(path)
    return value
  }

  /// Gives what the file holds, when it is a list of snippets.
  @discardableResult
  private mutating func read() -> JSON? {
    guard let path else { return nil }
    // Taken first: a change in between is then noticed by the next refresh.
    stamp = FileStamp(path)
    hasRead = true
    let found = StateFile(path).read(SnippetDocument.init(state:))
    problem = found.problem
    entries = found.value?.snippets ?? []
    categories = found.value?.categories ?? []
    return found.json
  }

  /// Keys of the file that this version does not know stay; those of a snippet are its own.
  private func json(keepingUnknownOf older: JSON?) -> JSON {
    var list = SnippetDocument(snippets: entries, categories: categories).json(isOwn: true)
    list["version"] = .int(max(StateFile.version, older?["version"]?.int ?? 1))
    return older.map { list.adding($0, except: ["categories", "snippets"]) } ?? list
  }
}

package import Chat
import Wire

/// The servers of tools that the person added, in that order, and what was last learnt about each.
///
/// Every change re-reads the file under a lock, so that two shells add to the same list. It is state, not preferences:
/// nobody edits it by hand, a broken file is set aside, and one that others could have written is not believed, since it
/// names programs. What is typed as part of a command is kept as it is typed.
package struct ToolServers: Sendable {
  package struct Entry: Sendable, Equatable {
    package var server: ToolServer
    /// As the server last listed them: for Tab, and for lists when it cannot be reached.
    package var tools: [Tool]

    package init(server: ToolServer, tools: [Tool] = []) {
      self.server = server
      self.tools = tools
    }
  }

  package enum Failure: Error, Sendable, Equatable {
    case noServer(String)
    case nameTaken(String)
    case file(FileError)
  }

  package private(set) var entries: [Entry] = []
  /// What was wrong with the file when it was last read.
  package private(set) var problem: StateProblem?

  private let path: String?
  private let writes: Bool
  private var stamp: FileStamp?

  /// Reads the file; one that is not there is an empty list. A broken one is too, and the next change sets it aside.
  /// - Parameters:
  ///   - path: nil begins empty and keeps everything in memory.
  ///   - writes: false reads the file this once and keeps changes in memory: nothing is made or written beside it.
  package init(_ path: String?, writes: Bool = true) {
    self.path = path
    self.writes = writes
    read()
  }

  /// Letters, digits, `-`, `_` and `.`, a letter first: what a name may be made of.
  package static func isName(_ name: String) -> Bool {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "-_.".unicodeScalars.contains(scalar)
    }
    return isPlain && name.unicodeScalars.first?.properties.isAlphabetic == true && name.utf8.count <= 40
  }

  package func named(_ name: String) -> Entry? { entries.first { $0.server.name == name } }

  /// Reads the file again when it is another one than was read, such as after another shell's change; true then.
  package mutating func refresh() -> Bool {
    guard let path, writes, FileStamp(path) != stamp else { return false }
    read()
    return true
  }

  /// Adds a server; it is kept by its name.
  package mutating func add(_ server: ToolServer) throws(Failure) {
    try change { list throws(Failure) in
      guard list.named(server.name) == nil else { throw .nameTaken(server.name) }
      list.entries.append(
        Entry(server: ToolServer(id: server.name, name: server.name, address: server.address)))
    }
  }

  package mutating func remove(_ name: String) throws(Failure) {
    try change { list throws(Failure) in
      list.entries.remove(at: try list.index(of: name))
    }
  }

  /// Keeps what a server listed.
  package mutating func keep(_ tools: [Tool], of name: String) throws(Failure) {
    try change { list throws(Failure) in
      list.entries[try list.index(of: name)].tools = tools
    }
  }

  private func index(of name: String) throws(Failure) -> Int {
    guard let index = entries.firstIndex(where: { $0.server.name == name }) else { throw .noServer(name) }
    return index
  }

  /// Runs a change on the newest state of the file and writes it.
  private mutating func change(_ body: (inout ToolServers) throws(Failure) -> Void) throws(Failure) {
    guard let path, writes else { return try body(&self) }
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
    let before = entries
    try body(&self)
    guard entries != before else { return }
    do throws(FileError) {
      try file.write(ToolServersFile.json(entries, keepingUnknownOf: older))
    } catch {
      entries = before
      throw .file(error)
    }
    stamp = FileStamp(path)
  }

  /// Gives what the file holds, when it is a list of servers.
  @discardableResult
  private mutating func read() -> JSON? {
    guard let path else { return nil }
    // Taken first: a change in between is then noticed by the next refresh.
    stamp = FileStamp(path)
    entries = []
    let found = StateFile(path).read(ToolServersFile.entries)
    problem = found.problem
    entries = found.value ?? []
    return found.json
  }
}

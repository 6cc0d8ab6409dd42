import Waiting
import Wire

/// What the person lets tools do for good (docs/shell.md 4): a tool of one server, as it describes itself.
///
/// A tool that describes itself differently, and one of another server of the same name, is another tool
/// (docs/rules.md A8). The file is read when it is first asked for, and again as soon as it is another one: what one
/// shell takes back counts at the next call of every other. Of a file that is broken, that others could have written
/// or that a later version wrote nothing is believed.
package final class Permissions: Sendable {
  package struct Entry: Sendable, Equatable {
    /// Where the server is: its address, or its whole command.
    package var place: String
    /// What the person calls it.
    package var server: String
    package var tool: String
    /// Of what the tool says of itself: see `ToolDigest`.
    package var digest: String
    /// Milliseconds since 1970.
    package var allowedAt: Int

    package init(place: String, server: String, tool: String, digest: String, allowedAt: Int) {
      self.place = place
      self.server = server
      self.tool = tool
      self.digest = digest
      self.allowedAt = allowedAt
    }
  }

  /// What was said of a tool.
  package enum Verdict: Sendable, Equatable {
    case allowed(Entry)
    /// It was allowed, and describes itself differently since.
    case changed(Entry)
    case none
  }

  private let path: String?
  private let writes: Bool
  private let state: Locked<State>

  /// What is allowed, by the file and beside it.
  fileprivate struct State {
    let path: String?
    var list: [Entry] = []
    var found: StateProblem?
    var stamp: FileStamp?
    var hasRead = false
    /// Changes where nothing is written; nil takes back.
    var held: [Key: Entry?] = [:]

    struct Key: Hashable {
      var place: String
      var tool: String
    }
  }

  /// Reads nothing yet.
  /// - Parameters:
  ///   - path: nil begins empty and keeps everything in memory.
  ///   - writes: false keeps changes in memory.
  package init(_ path: String?, writes: Bool = true) {
    self.path = path
    self.writes = writes && path != nil
    state = Locked(State(path: path))
  }

  /// In the order in which they were allowed.
  package var entries: [Entry] {
    state.withLock { state in
      state.refresh()
      return state.present
    }
  }

  /// What is wrong with the file, as it is now.
  package var problem: StateProblem? {
    state.withLock { state in
      state.refresh()
      return state.found
    }
  }

  package func allows(place: String, tool: String, digest: String) -> Verdict {
    guard let entry = entries.last(where: { $0.place == place && $0.tool == tool }) else { return .none }
    return entry.digest == digest ? .allowed(entry) : .changed(entry)
  }

  /// Puts an entry in the place of the one for the same tool.
  package func allow(_ entry: Entry) throws(FileError) {
    try change { entries in
      entries.removeAll { $0.place == entry.place && $0.tool == entry.tool }
      entries.append(entry)
    }
  }

  /// Takes back what was allowed; every tool of a place when `tool` is nil.
  /// - Returns: what had been allowed.
  @discardableResult
  package func revoke(_ tool: String?, of place: String) throws(FileError) -> [Entry] {
    let isMeant = { (entry: Entry) in entry.place == place && (tool == nil || entry.tool == tool) }
    return try change { entries in
      let taken = entries.filter(isMeant)
      entries.removeAll(where: isMeant)
      return taken
    }
  }

  /// Runs a change on the newest state of the file under its lock, or in memory where nothing is written.
  private func change<T: Sendable>(_ body: (inout [Entry]) -> T) throws(FileError) -> T {
    guard let path, writes else {
      return state.withLock { state in
        state.refresh()
        var entries = state.present
        let value = body(&entries)
        state.hold(entries)
        return value
      }
    }
    let file = StateFile(path)
    let guarding = try file.lock()
    defer { withExtendedLifetime(guarding) {} }
    let (before, older, problem) = state.withLock { state in
      let older = state.read()
      return (state.list, older, state.found)
    }
    var setAside: String?
    switch problem {
    case .broken: setAside = try file.setAside()
    case .unsafe(let exposure): throw .exposed(exposure)
    case .unreadable(let error): throw error
    case .newer(let path, _): throw .readOnlyFile(path: path)
    case nil: break
    }
    var entries = before
    let value = body(&entries)
    if entries != before { try file.write(PermissionsFile.json(entries, keepingUnknownOf: older)) }
    state.withLock { state in
      state.read()
      if let setAside { state.found = .broken(path: path, setAside: setAside) }
    }
    return value
  }
}

extension Permissions.State {
  var present: [Permissions.Entry] {
    list.filter { held[Key(place: $0.place, tool: $0.tool)] == nil }
      + held.values.compactMap(\.self).sorted { ($0.allowedAt, $0.tool) < ($1.allowedAt, $1.tool) }
  }

  mutating func hold(_ entries: [Permissions.Entry]) {
    let keys = Set(entries.map { Key(place: $0.place, tool: $0.tool) })
    for entry in present {
      let key = Key(place: entry.place, tool: entry.tool)
      if !keys.contains(key) { held[key] = .some(nil) }
    }
    for entry in entries {
      let key = Key(place: entry.place, tool: entry.tool)
      if list.contains(entry) { held[key] = nil } else { held[key] = entry }
    }
  }

  mutating func refresh() {
    guard let path, !hasRead || FileStamp(path) != stamp else { return }
    read()
  }

  /// Gives what the file holds, when it is a list of permissions.
  @discardableResult
  mutating func read() -> JSON? {
    guard let path else { return nil }
    // Taken first: a change in between is then noticed by the next look.
    stamp = FileStamp(path)
    hasRead = true
    let file = StateFile(path).read(PermissionsFile.entries)
    found = file.problem
    // What a later version means by an entry is not known here: it may be less than a yes.
    if case .newer = file.problem { list = [] } else { list = file.value ?? [] }
    return file.json
  }
}

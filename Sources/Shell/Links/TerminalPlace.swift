import Chat
import Store
import Text

/// Where terminals are: on this machine, or on a server that the person keeps.
struct TerminalPlace: Sendable {
  /// nil for this machine.
  let entry: Servers.Entry?
  let terminals: any Terminals

  /// What one there is called in commands: `work` on this machine, `SERVER/NAME` elsewhere.
  func word(for id: String) -> String { entry.map { "\($0.server.name)/\(id)" } ?? id }

  /// A failure in the words of who keeps them.
  func failure(_ error: TerminalError) -> ShellError {
    switch error {
    case .cancelled: .interrupted
    case .gone(let id): .terminal(.gone(word(for: id)))
    case .lost(let id): .terminal(.lost(word(for: id)))
    case .unwatched(let id): .terminal(.unwatched(word(for: id)))
    case .nameTaken(let id): .terminal(.nameTaken(word(for: id)))
    case .server(let error): .backend(error, server: entry?.server.name ?? "", kind: entry?.server.kind)
    default: .terminal(error)
    }
  }
}

extension Links {
  /// This machine's; nil where there are none to be had.
  func ownTerminals(_ desk: Desk) -> TerminalPlace? {
    desk.world.terminals.map { TerminalPlace(entry: nil, terminals: $0) }
  }

  /// The servers that keep terminals: those of the list, and one that is used for this run alone.
  func terminalServers(_ desk: Desk) -> [TerminalPlace] {
    let own = front.flatMap { kept.at($0.server.url) == nil ? Servers.Entry(server: $0.server) : nil }
    return (kept.entries + (own.map { [$0] } ?? [])).compactMap { entry in
      desk.world.backend(entry.server, desk.preferences.timeouts)?.terminals.map {
        TerminalPlace(entry: entry, terminals: $0)
      }
    }
  }

  /// Connects to the server of `--server`, so that its terminals are known.
  mutating func meetServerOfOption(_ desk: inout Desk) async throws(ShellError) {
    if front == nil, desk.options.server != nil { try await connected(&desk) }
  }

  /// All of them, this machine's first.
  func terminalPlaces(_ desk: Desk) -> [TerminalPlace] {
    (ownTerminals(desk).map { [$0] } ?? []) + terminalServers(desk)
  }

  /// Whether there is anywhere to look for some.
  func hasTerminals(_ desk: Desk) -> Bool { desk.world.terminals != nil || !terminalServers(desk).isEmpty }

  /// Asks whoever keeps terminals for something; what stands in the way at a server is settled with the person.
  mutating func asking<T: Sendable>(
    _ place: TerminalPlace, _ desk: inout Desk,
    _ ask: @escaping @Sendable (any Terminals) async throws(TerminalError) -> T
  ) async throws(ShellError) -> T {
    guard let entry = place.entry else {
      switch await desk.interruptible({ () throws(TerminalError) in try await ask(place.terminals) }) {
      case .success(let value): return value
      case .failure(let error): throw place.failure(error)
      }
    }
    let result = try await with(entry, &desk) { links, desk throws(ShellError) in
      try await links.asking(&desk) { backend throws(BackendError) -> Result<T, TerminalError> in
        guard let terminals = backend.terminals else { throw .notOffered("terminals") }
        do throws(TerminalError) { return .success(try await ask(terminals)) } catch {
          if error == .cancelled { throw .cancelled }
          if case .server(let error) = error { throw error }
          return .failure(error)
        }
      }
    }
    do throws(TerminalError) { return try result.get() } catch { throw place.failure(error) }
  }

  /// Has another server in front for as long as something takes; the one before is in front again then.
  mutating func with<T>(
    _ entry: Servers.Entry, _ desk: inout Desk, _ body: (inout Links, inout Desk) async throws(ShellError) -> T
  ) async throws(ShellError) -> T {
    let before = front
    front = Link(
      server: entry.server, backend: try backend(for: entry.server, desk), like: entry, models: [], listedAt: nil)
    defer {
      front = before
      // A sign-in has others asked for in its place.
      if before != nil, pending == nil { beginOverview(desk) }
    }
    return try await body(&self, &desk)
  }

  /// The server of `--server`, where it keeps terminals and no person types: a name alone is one of its terminals then, and
  /// no command for it runs on this machine.
  private func placeOfOption(_ desk: Desk) -> TerminalPlace? {
    guard desk.options.server != nil, !desk.options.isInteractive, let front, front.backend.terminals != nil else {
      return nil
    }
    return terminalServers(desk).first { $0.entry?.server.url == front.server.url }
  }

  /// What a word means: the place, and the beginning of a name there.
  func place(of word: String, _ desk: Desk) throws(ShellError) -> (TerminalPlace, name: String) {
    if let slash = word.firstIndex(of: "/") {
      let name = String(word[..<slash])
      let servers = terminalServers(desk)
      let exact = servers.filter { $0.entry?.server.name == name }
      let matches = exact.isEmpty ? servers.filter { $0.entry?.server.name.hasPrefix(name) == true } : exact
      if matches.count > 1 { throw .ambiguous(.server, name, matches: matches.compactMap(\.entry?.server.name)) }
      if let match = matches.first { return (match, String(word[word.index(after: slash)...])) }
      if kept.named(name) != nil { throw .hasNone(server: name, what: "terminals") }
      throw .unknown(.server, name, nearest: Nearest.words(to: name, among: servers.compactMap(\.entry?.server.name)))
    }
    if let place = placeOfOption(desk) { return (place, word) }
    guard let own = ownTerminals(desk) else { throw .terminal(.notInstalled(program: "tmux")) }
    return (own, word)
  }
}

import Chat
import Text

/// Which terminals there are, and which one a word means.
extension Commands {
  /// Seconds for a server to say which it has, in a list of all.
  private static let patience = 5.0

  static func showAllTerminals(_ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let all = try await allTerminals(&shell)
    try await shell.desk.show(TerminalPage.listing(all, now: shell.desk.world.now()), asJSON: asJSON)
  }

  /// All terminals of the servers that answer. Shows a notice for each server that does not answer; fails if there is
  /// nothing else to show.
  static func allTerminals(_ shell: inout Shell) async throws(ShellError) -> [TerminalPage.Row] {
    try await shell.links.meetServerOfOption(&shell.desk)
    let servers = shell.links.terminalServers(shell.desk)
    var rows: [TerminalPage.Row] = []
    if let own = shell.links.ownTerminals(shell.desk) {
      do throws(ShellError) { rows += try await rowsOf(own, &shell) } catch {
        // Who has others needs none here.
        guard case .terminal(.notInstalled) = error, !servers.isEmpty else { throw error }
      }
    } else if servers.isEmpty {
      throw .terminal(.notInstalled(program: "tmux"))
    }
    let pause = shell.desk.world.pause
    let answers = await shell.desk.interruptible { () throws(TerminalError) in
      await servers.lists(within: patience, pause: pause)
    }
    guard case .success(let lists) = answers, lists.count == servers.count else { throw .interrupted }
    var leftOut: [(place: TerminalPlace, failure: ShellError)] = []
    for (place, list) in zip(servers, lists) {
      switch list {
      case .success(let all):
        shell.links.note(all, at: place, shell.desk)
        rows += all.map { shell.links.row($0, at: place) }
      case .failure(.cancelled): throw .interrupted
      case nil, .failure:
        let failure = failure(of: list, at: place)
        if let seen = rowsSeen(at: place, failure, shell) { rows += seen } else { leftOut.append((place, failure)) }
      }
    }
    if rows.isEmpty, let first = leftOut.first {
      leftOut.removeFirst()
      for (place, failure) in leftOut { sayLeftOut(place, failure, shell) }
      throw first.failure
    }
    for (place, failure) in leftOut { sayLeftOut(place, failure, shell) }
    if rows.isEmpty, shell.desk.options.server != nil, let front = shell.links.front, front.backend.terminals == nil {
      throw .hasNone(server: front.server.name, what: "terminals")
    }
    return rows
  }

  private static func failure(of list: Result<[TerminalInfo], TerminalError>?, at place: TerminalPlace) -> ShellError {
    if case .failure(let error)? = list { return place.failure(error) }
    let address = place.entry.map { Link.hostName(of: $0.server.url) } ?? ""
    return place.failure(.server(.timedOut(address: address, .request, seconds: patience)))
  }

  private static func sayLeftOut(_ place: TerminalPlace, _ failure: ShellError, _ shell: Shell) {
    shell.desk.say("\(place.entry?.server.name ?? "") is left out: \(Complaint(failure).text)", .warning)
  }

  /// The terminals that an unreachable server had when it last answered.
  private static func rowsSeen(
    at place: TerminalPlace, _ failure: ShellError, _ shell: Shell
  ) -> [TerminalPage.Row]? {
    guard failure.isAway, let record = shell.links.seen(at: place, shell.desk), !record.terminals.isEmpty else {
      return nil
    }
    let seen = ago(record.listedAt, at: shell.desk.world.now())
    shell.desk.say(
      "\(place.entry?.server.name ?? "") is shown as it was \(seen): \(Complaint(failure).text)", .warning)
    return record.terminals.map { shell.links.row($0.info, at: place, seenAt: record.listedAt) }
  }

  private static func rowsOf(
    _ place: TerminalPlace, _ shell: inout Shell
  ) async throws(ShellError) -> [TerminalPage.Row] {
    let all = try await terminalsKept(at: place, &shell)
    return all.map { shell.links.row($0, at: place) }
  }

  static func terminalsKept(at place: TerminalPlace, _ shell: inout Shell) async throws(ShellError) -> [TerminalInfo] {
    let all = try await shell.links.asking(place, &shell.desk) { terminals throws(TerminalError) in
      try await terminals.list()
    }
    shell.links.note(all, at: place, shell.desk)
    return all
  }

  /// The one that a word means: its name, or a beginning of it that no other has.
  static func terminal(called word: String, _ shell: inout Shell) async throws(ShellError) -> FoundTerminal {
    try await shell.links.meetServerOfOption(&shell.desk)
    if let only = try await onlyTerminal(of: word, &shell) { return only }
    let (place, name) = try shell.links.place(of: word, shell.desk)
    let all = try await terminalsKept(at: place, &shell)
    if let exact = all.first(where: { $0.id == name }) { return FoundTerminal(place: place, info: exact) }
    let matches = all.filter { $0.id.hasPrefix(name) }
    if matches.count > 1 { throw .ambiguous(.terminal, word, matches: matches.map { place.word(for: $0.id) }) }
    guard let match = matches.first else {
      throw .unknown(.terminal, word, nearest: Nearest.words(to: word, among: all.map { place.word(for: $0.id) }))
    }
    return FoundTerminal(place: place, info: match)
  }

  /// The one terminal of a server that is called so; nil where a terminal here is, or no server.
  private static func onlyTerminal(of word: String, _ shell: inout Shell) async throws(ShellError) -> FoundTerminal? {
    guard let place = shell.links.terminalServers(shell.desk).first(where: { $0.entry?.server.name == word }) else {
      return nil
    }
    if let own = shell.links.ownTerminals(shell.desk) {
      do throws(ShellError) {
        if try await terminalsKept(at: own, &shell).contains(where: { $0.id == word }) { return nil }
      } catch {
        // Who has none here means the server.
        guard case .terminal(.notInstalled) = error else { throw error }
      }
    }
    let all = try await terminalsKept(at: place, &shell)
    if all.count > 1 { throw .ambiguous(.terminal, word, matches: all.map { place.word(for: $0.id) }) }
    return all.first.map { FoundTerminal(place: place, info: $0) }
  }
}

/// A terminal that a word meant.
struct FoundTerminal {
  let place: TerminalPlace
  let info: TerminalInfo

  /// What it is called in commands.
  var word: String { place.word(for: info.id) }
}

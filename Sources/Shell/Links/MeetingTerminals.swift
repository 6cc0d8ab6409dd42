import Chat
import Store
import Text

extension Links {
  /// Keeps a server of terminals beside the one that answers messages, and signs in to it where it wants that.
  /// - Parameter token: what the address had in it.
  mutating func meetTerminals(
    _ found: Link, named name: String?, token: Secret?, _ desk: inout Desk
  ) async throws(ShellError) {
    let entry: Servers.Entry
    do throws(Servers.Failure) {
      entry = try kept.add(
        kind: found.server.kind, url: found.server.url, name: name, makesCurrent: kept.entries.isEmpty)
    } catch { throw .servers(error) }
    let server = entry.server
    if front?.server.url == server.url { front?.server.name = server.name }
    desk.say("connected to \(server.name) (\(server.kind), \(server.url)), for its terminals")
    sayExpiredCertificate(of: server, &desk)
    guard let place = terminalServers(desk).first(where: { $0.entry?.server.name == server.name }) else { return }
    if let token {
      try await desk.probeCredentials()
      try await with(entry, &desk) { links, desk throws(ShellError) in try await links.signIn(token: token, &desk) }
    } else if found.modelsFetchedAt == nil, !desk.options.canType, await found.backend.account?.hasSignIn() != true {
      return desk.say("it wants you to sign in: parley -s \(Words.quoted(server.name)) /login")
    }
    let all = try await asking(place, &desk) { terminals throws(TerminalError) in try await terminals.list() }
    note(all, at: place, desk)
    let making = desk.asTyped("/terminal new \(Words.quoted(server.name + "/"))")
    desk.say(
      all.isEmpty
        ? "it has none yet: \(making) makes one"
        : "\(all.count) \(all.count == 1 ? "terminal" : "terminals"): \(desk.asTyped("/terminals"))")
  }
}

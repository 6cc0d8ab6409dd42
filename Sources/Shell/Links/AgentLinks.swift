import Chat
import Store
import Text
import Wire

/// Agents: several may run at once, one of them in front.
extension Links {
  /// The agent in use.
  mutating func frontAgent(_ desk: inout Desk) async throws(ShellError) -> any Agent {
    let link = try await connected(&desk)
    guard let agent = link.backend.agent else { throw .noAgent(server: link.server.name) }
    return agent
  }

  /// Starts an agent to see that it speaks the protocol, and keeps it.
  mutating func runAgent(
    _ typed: String, named name: String, _ desk: inout Desk
  ) async throws(ShellError) {
    let probe = desk.world.probe
    let timeouts = desk.preferences.timeouts
    let address: String
    do throws(BackendError) { address = try await probe(typed, "acp", true, timeouts).url } catch {
      throw .backend(error, server: name, kind: "acp")
    }
    let known = kept.at(address)
    let server = Server(name: known?.server.name ?? freeName(name), kind: "acp", url: address)
    let backend = try backend(for: server, desk)
    guard let agent = backend.agent else { throw .noAgent(server: server.name) }
    await closeAgent(at: address)
    let tried: Result<Void, BackendError> = await desk.interruptible { () throws(BackendError) in
      try await agent.connect()
    }
    do throws(BackendError) { try tried.get() } catch {
      await agent.close()
      if error == .cancelled { throw .interrupted }
      let log = agent.state.log.textLines.filter { !$0.isEmpty }.suffix(12).joined(separator: "\n")
      if !log.isEmpty {
        desk.world.terminal.write(BarredText.block(log, width: desk.noticeColumns), to: .notices)
      }
      throw .agentNotKept(error, server: server.name)
    }
    stash(besides: address)
    var link = Link(server: server, backend: backend, like: nil, models: [], listedAt: nil)
    do throws(Servers.Failure) {
      link.server = try kept.add(kind: server.kind, url: server.url, name: server.name).server
    } catch { throw .servers(error) }
    link.isKept = true
    front = link
    desk.say("agent: \(server.name)\(Wording.agent(agent.state))")
  }

  private func freeName(_ name: String) -> String {
    var (free, number) = (name, 2)
    while kept.named(free) != nil {
      free = "\(name)-\(number)"
      number += 1
    }
    return free
  }

  /// An agent that is left runs on. - Parameter url: where what comes in front is: nothing waits behind itself.
  mutating func stash(besides url: String) {
    guard let front, front.backend.agent != nil, front.server.url != url else { return }
    behind[front.server.url] = front
  }

  /// The link to a kept agent that runs.
  mutating func unstash(_ server: Server) -> Link? {
    guard var link = behind.removeValue(forKey: server.url) else { return nil }
    link.server = server
    return link
  }

  /// Ends an agent that runs, in front or behind.
  mutating func closeAgent(at url: String) async {
    await behind.removeValue(forKey: url)?.backend.agent?.close()
    if front?.server.url == url { await front?.backend.agent?.close() }
  }

  /// Ends all agents that run.
  mutating func closeAgents() async {
    for link in [front].compactMap(\.self) + behind.values { await link.backend.agent?.close() }
    behind = [:]
  }

  /// What agents said while nobody read an answer of theirs, by name, and what they still ask; the one in front first.
  mutating func takeNews() -> [(link: Link, news: [AgentNews])] {
    let links = [front].compactMap(\.self) + behind.values.sorted { $0.server.name < $1.server.name }
    defer { asked = [] }
    return asked.map { ($0.link, [.question($0.question)]) } + links.compactMap(Links.news)
  }

  /// The same of the one in front alone, and of what it said since.
  func takeNewsOfFront() -> [(link: Link, news: [AgentNews])] { [front].compactMap(\.self).compactMap(Links.news) }

  private static func news(of link: Link) -> (link: Link, news: [AgentNews])? {
    guard let news = link.backend.agent?.takeNews(), !news.isEmpty else { return nil }
    return (link, news)
  }

  /// Signs in by the way that the person chooses.
  mutating func signIn(
    to agent: any Agent, by ways: [AgentSignIn], _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    desk.beginSignIn()
    desk.say("\(link.server.name) wants you to sign in", .plain)
    for (index, way) in ways.enumerated() {
      let more = way.summary.map { ": " + VisibleText.oneLine($0).cut(to: 100) } ?? ""
      desk.say("  \(index + 1) " + VisibleText.oneLine(way.name).cut(to: 60) + more, .plain)
    }
    let word = try await desk.answer(to: .text("which way? (Enter: none) ", .warning))
    guard !word.isEmpty,
      let way = ways.first(where: { $0.id == word })
        ?? Int(word).flatMap({ ways.indices.contains($0 - 1) ? ways[$0 - 1] : nil })
    else { return false }
    return try await signIn(to: agent, by: way, &desk)
  }

  /// Signs in by one way: the agent sees to it, or its own program does on the person's terminal.
  /// - Returns: false when the person does not want that started.
  mutating func signIn(
    to agent: any Agent, by way: AgentSignIn, _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    guard let command = way.command else {
      let tried: Result<Void, BackendError> = await desk.interruptible { () throws(BackendError) in
        try await agent.signIn(by: way.id)
      }
      do throws(BackendError) { try tried.get() } catch {
        if error == .cancelled { throw .interrupted }
        throw link.failure(error)
      }
      desk.endSignIn()
      return true
    }
    guard desk.options.canType else {
      throw .needsTerminal("the agent signs in on one", hint: "parley /agent login \(Words.quoted(way.id))")
    }
    desk.world.terminal.write(
      AgentPage.program(way.shownCommand.isEmpty ? command : way.shownCommand), to: .notices)
    guard try await desk.agrees("Start it on this terminal now?") else { return false }
    let status: Int32
    do throws(ChildError) {
      status = try await desk.world.terminal.run(ChildCommand(command), captureLimit: nil).status
    } catch { throw .child(error) }
    guard status == 0 else { throw .signInEnded(server: link.server.name, status: Int(status)) }
    // What it knows of the sign-in it reads when it starts (docs/acp.md 8).
    await agent.close()
    desk.endSignIn()
    return true
  }
}

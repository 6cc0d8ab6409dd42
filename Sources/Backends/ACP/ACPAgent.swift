import Chat
import Confined
import Transport
import Waiting
import Wire

/// An agent: the way to it, and what is known of the conversations with it (docs/acp.md).
///
/// What comes is taken in order by the one reader of its line, under the lock of `known`; nobody is called while that
/// is held.
final class ACPAgent: Agent {
  /// Where an agent is.
  enum Place: Sendable {
    /// A program of this machine; nil when its address cannot be read.
    case here(ACPAddress?)
    /// Behind a bridge on another machine.
    case away(BridgeAddress, Endpoint)
  }

  let server: Server
  let place: Place
  let surroundings: Surroundings
  let known = Locked(ACPKnown())
  private let connecting = SingleFlight<Result<ACPLine, BackendError>>()

  init(server: Server, at place: Place, _ surroundings: Surroundings) {
    self.server = server
    self.place = place
    self.surroundings = surroundings
  }

  /// Where it works: an absolute path, of the machine that it is on.
  var folder: String {
    switch place {
    case .here(let address): address?.folder ?? surroundings.folder
    case .away: server.bridge?.folder ?? "/"
    }
  }

  /// Whether this machine's files and programs are none of its business (docs/acp.md 10).
  var isAway: Bool { if case .away = place { true } else { false } }

  /// Masks the credentials of the connection to a bridge; nil for a local agent, which receives no secret.
  var mask: SecretMask? { if case .away(_, let endpoint) = place { endpoint.bearer.mask } else { nil } }

  private var offer: ACPOffer {
    let offer = ACPOffer(
      readsFiles: true, writesFiles: true, runsCommands: true, signsInOnTerminal: true, hasFlags: true, asksForms: true,
      showsPages: true)
    return isAway ? offer.forRemote : offer
  }

  var state: AgentState {
    var (state, line) = known.withLock { ($0.state, $0.line) }
    state.folder = folder
    if let line { state.log = line.log }
    return state
  }

  func takeNews() -> [AgentNews] { known.withLock { $0.news.take() } }

  func newsBell() -> AsyncStream<Void> {
    // One ring is enough: who hears it takes all there is.
    let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    known.withLock { $0.news.ring(bell) }
    return rings
  }

  func connect() async throws(BackendError) { _ = try await line() }

  func close() async {
    await connecting.cancel()
    if let line = known.withLock({ $0.line }) {
      lineEnded(line.number, isWanted: true)
      await line.close()
    }
    await endTerminals()
  }

  /// The way to the agent, made when there is none.
  func line() async throws(BackendError) -> ACPLine {
    if let line = known.withLock({ $0.line }) { return line }
    guard let outcome = await connecting.outcome(of: { await self.open() }) else { throw .cancelled }
    return try outcome.get()
  }

  private func open() async -> Result<ACPLine, BackendError> {
    do throws(BackendError) {
      let line = try await start()
      do throws(BackendError) {
        try await greet(line)
      } catch {
        await line.close()
        known.withLock { $0.shown.log = line.log }
        throw error
      }
      return .success(line)
    } catch {
      return .failure(error)
    }
  }

  private func start() async throws(BackendError) -> ACPLine {
    let number = known.withLock { known in
      known.lastLine += 1
      return known.lastLine
    }
    return ACPLine(
      number, by: try await way(), surroundings, handler, whenFull: { [weak self] in await self?.waitForReader() },
      whenOver: { [weak self] in self?.lineEnded(number) })
  }

  private func way() async throws(BackendError) -> any ACPWay {
    switch place {
    case .here(nil): throw .notStarted(program: server.url, reason: "no command")
    case .here(let address?): return try await StdioChannel(address, surroundings)
    case .away(let address, let endpoint): return try await bridge(at: address, endpoint)
    }
  }

  /// Of `initialize`.
  var question: JSON { ACPFacts.question(offer, version: surroundings.version) }

  /// Says who we are, and learns who it is. No version but 1 is spoken (docs/acp.md 2).
  private func greet(_ line: ACPLine) async throws(BackendError) {
    let answer: JSON
    if let hello = line.way.hello {
      answer = hello
    } else {
      await line.begin()
      answer = try await line.request("initialize", question)
    }
    let facts = ACPFacts(answer)
    guard facts.protocolVersion == ACPFacts.spoken else {
      throw .noSharedVersion(program: server.name, theirs: facts.theirs)
    }
    let files =
      isAway ? nil : ConfinedFolder(folder, ownFolders: surroundings.ownFolders, umask: surroundings.umask)
    let start = isAway ? nil : try? StartFolder(folder, ownFolders: surroundings.ownFolders)
    let isThere = known.withLock { known -> Bool in
      // It may have said hello and ended.
      guard known.endedLine < line.number else { return false }
      known.line = line
      known.files = files
      known.folder = folder
      known.start = start
      known.conversations = [:]
      known.meet(facts, signIns: facts.signIns.compactMap { signIn($0) })
      if let standing = known.standing {
        known.open(standing)
        if !standing.isFresh { known.expectPast() }
        known.standing = nil
      }
      return true
    }
    guard isThere else { throw await line.failure(.closed) }
    if line.way.hello != nil { await line.begin() }
  }

  /// nil for a way that this program does not know. The agent's own command again, with what a way on the terminal adds
  /// (docs/acp.md 8), and without what no program is told (docs/rules.md A5).
  private func signIn(_ method: ACPFacts.SignIn) -> AgentSignIn? {
    if method.isOfAgent { return AgentSignIn(id: method.id, name: method.name, summary: method.summary) }
    guard method.isOfTerminal, case .here(let address?) = place else { return nil }
    let names = method.variables.map(\.name)
    guard names.allSatisfy(ChildEnvironment.mayBeAdded) else { return nil }
    let kept = ChildEnvironment.variables(of: surroundings.environment, passing: address.passing)
    let left = surroundings.environment.keys.filter { kept[$0] == nil && ChildEnvironment.isName($0) }.sorted()
    let added = method.variables.map { "\($0.name)=\($0.value)" }
    let words = address.command + method.arguments
    return AgentSignIn(
      id: method.id, name: method.name, summary: method.summary,
      command: ["env", "-C", folder] + left.flatMap { ["-u", $0] } + added + words, shownCommand: added + words)
  }

  /// Nothing more comes by that line: who waits hears it from the line itself.
  /// - Parameter isWanted: whether it was ended here, which is no news.
  private func lineEnded(_ number: Int, isWanted: Bool = false) {
    let (asked, runs) = known.withLock { known -> ([ACPOpenQuestion], [CommandRun]) in
      known.endedLine = max(known.endedLine, number)
      let asked = Array(known.questions.values)
      known.questions = [:]
      guard known.line?.number == number else { return (asked, []) }
      known.shown.log = known.line?.log ?? ""
      known.shown.connection = .ended
      known.line = nil
      known.conversations = [:]
      if known.turn == nil, !isWanted { known.news.add(.ended) }
      return (asked, Array(known.terminals.running.values))
    }
    // Nobody hears the answers, but some wait for them here.
    for question in asked { question.answer(.cancel) }
    // Their own: they end by themselves, and with the program.
    for run in runs { Task { await run.kill() } }
  }

  /// It may take as long as the person does in a browser.
  func signIn(by method: String) async throws(BackendError) {
    let line = try await line()
    do throws(RPCError) {
      _ = try await line.ask("authenticate", ["methodId": .string(method)]).get()
    } catch { throw await line.failure(error) }
  }

  func signOut() async throws(BackendError) {
    let line = try await line()
    guard known.withLock({ $0.facts?.canLogOut }) == true else {
      throw .failed(message: "it does not offer to sign out")
    }
    _ = try await line.request("logout", [:])
  }
}

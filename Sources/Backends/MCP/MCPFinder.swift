import Chat
import Transport
import Wire

/// Finds out how a server over HTTP is spoken with, and begins to (docs/mcp.md 2; docs/kamiwaza.md 6.2).
/// A failure of the network is never a verdict.
struct MCPFinder: Sendable {
  let door: MCPDoor
  let board: CallBoard
  /// Whether it is behind a platform, which knows only where the address of the server begins.
  let isPlatforms: Bool

  func open(_ known: MCPVerdict?) async throws(MCPFault) -> (line: any MCPLine, verdict: MCPVerdict) {
    do throws(MCPFault) {
      if let known, let line = try await begin(as: known) { return (line, known) }
      let (line, url) = try await find()
      return (line, MCPVerdict(era: line.era, transport: line.transport, url: url))
    } catch {
      // There was nothing yet that it could have carried out.
      if case .cut = error { throw .failed(.server(.unreachable(address: door.name, reason: .reset))) }
      throw error
    }
  }

  /// Begins as it was found to be done before; nil when that does not work any more.
  private func begin(as verdict: MCPVerdict) async throws(MCPFault) -> (any MCPLine)? {
    switch (verdict.era, verdict.transport) {
    case (.modern, _): return ModernHTTP(door: door, url: verdict.url, hello: nil)
    case (.legacy, .streamable):
      switch try await initialize(verdict.url) {
      case .line(let line, _): return line
      case .stream, .failed: return nil
      }
    case (.legacy, .sse): return try await stream(verdict.url)
    case (.legacy, .stdio): return nil
    }
  }

  /// Tries all there is; gives the address that was found too.
  private func find() async throws(MCPFault) -> (any MCPLine, url: String) {
    var tried: [BackendError.Attempt] = []
    var failure: ToolError?
    let urls = candidates
    for url in urls {
      switch try await attempt(url, isOnly: urls.count == 1) {
      case .line(let line, let found): return (line, found)
      case .stream(let answer, let refusal):
        tried.append(BackendError.Attempt(url: url, outcome: outcome(answer)))
        failure = failure ?? refusal
      case .failed(let answer, let error):
        tried.append(BackendError.Attempt(url: url, outcome: outcome(answer)))
        failure = failure ?? error
      }
    }
    throw .failed(failure ?? .server(.notFound(tried: tried)))
  }

  private func outcome(_ answer: Collected) -> BackendError.Attempt.Outcome {
    let what = HTMLPage(door.signer.masked(answer.bytes))?.description ?? "no MCP"
    return .answered(status: answer.status, what: what)
  }

  /// Where the server may answer.
  var candidates: [String] {
    let url = URLJoining.trimmed(door.address)
    guard isPlatforms else { return [door.address] }
    if URLJoining.path(of: url, endsIn: ["/mcp", "/sse"]) { return [url] }
    return [url, url + "/mcp", url + "/sse"]
  }

  private enum Outcome {
    case line(any MCPLine, url: String)
    /// It may be a server of 2024-11-05, which wants to be asked for a stream.
    case stream(Collected, refusal: ToolError?)
    case failed(Collected, ToolError)
  }

  private func attempt(_ url: String, isOnly: Bool) async throws(MCPFault) -> Outcome {
    let id = board.nextID()
    let discover = MCPRequest("server/discover")
    let answer = try await door.ask(
      ModernWire.message(discover, id: id), at: url, ModernWire.headers(discover))
    switch MCPEra(answer) {
    case .modern(let hello): return .line(ModernHTTP(door: door, url: answer.url, hello: hello), url: answer.url)
    case .noSharedVersion(let theirs): throw .failed(.noSharedVersion(theirs: theirs))
    case .legacy:
      let outcome = try await initialize(answer.url)
      guard case .stream = outcome, let line = try await stream(answer.url) else { return outcome }
      return .line(line, url: answer.url)
    case .nothing:
      // Asking for more than a stream would be in vain where other addresses are left.
      if let line = try await stream(answer.url) { return .line(line, url: answer.url) }
      guard isOnly, answer.status != 405 else { return .stream(answer, refusal: nil) }
      return try await initialize(answer.url)
    }
  }

  private func initialize(_ url: String) async throws(MCPFault) -> Outcome {
    let answer = try await door.ask(LegacyWire.initialize(id: board.nextID()), at: url)
    if let result = answer.result, 200..<300 ~= answer.status {
      let version = try MCPVersion.agreed(in: result)
      let line = LegacyHTTP(
        door, url: answer.url, session: answer.session, hello: MCPHello(legacy: result, version: version),
        board: board)
      try await initialized(line)
      return .line(line, url: answer.url)
    }
    if let failure = answer.failure {
      let theirs = (failure.data?["supported"]?.array ?? []).compactMap(\.string)
      if !theirs.isEmpty { throw .failed(.noSharedVersion(theirs: theirs)) }
    }
    let refusal = answer.failure.map { door.refusal($0) }
    if [400, 404, 405, 406, 410].contains(answer.status) || answer.isPage { return .stream(answer, refusal: refusal) }
    return .failed(answer, refusal ?? door.failure(answer.status, answer.bytes, location: answer.location))
  }

  private func initialized(_ line: LegacyHTTP) async throws(MCPFault) {
    var request = door.post(LegacyWire.initialized, to: line.url, line.headers)
    request.headersTimeout = door.timeouts.request
    let (response, _) = try await door.send(request)
    response.body.cancel()
    line.listen()
  }

  /// The transport of 2024-11-05; nil when there is none at that address.
  private func stream(_ url: String) async throws(MCPFault) -> (any MCPLine)? {
    var request = door.stream(url)
    request.headersTimeout = door.timeouts.request
    let (response, url) = try await door.send(request)
    guard response.status == 200, response[header: "content-type"]?.mediaType == "text/event-stream" else {
      response.body.cancel()
      return nil
    }
    var stream = MCPStream(response, door: door)
    guard let endpoint = try? await stream.endpoint(within: door.timeouts.connect) else {
      stream.close()
      return nil
    }
    guard let addresses = SSEChannel.addresses(endpoint, of: url, isPlatforms: isPlatforms) else {
      stream.close()
      throw .failed(.server(.malformed(address: door.name, detail: "it names an address of another server")))
    }
    let channel = SSEChannel(stream, door: door, addresses: addresses)
    let duplex = Duplex(channel, board: board)
    do throws(MCPFault) {
      return try await DuplexLine.initialize(
        duplex,
        DuplexLine.Beginning(transport: .sse, board: board, clock: door.clock, patience: door.timeouts.request))
    } catch {
      await duplex.close()
      throw error
    }
  }
}

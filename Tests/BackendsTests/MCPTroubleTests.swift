import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// Servers that break off, are silent, refuse or ask when nobody listens.
struct MCPTroubleTests {
  private typealias Script = MCPScriptTests

  private static func legacy(_ replies: ScriptedHTTP.Reply...) -> (MCPConnection, RoutedHTTP) {
    let begun = [Script.initialized(id: 1, session: "s"), Script.accepted]
    return Script.connection(
      Script.noStream.merging(["POST \(Script.url)": begun + replies]) { $1 }, known: .legacy)
  }

  private static func program(_ script: String, timeouts: Timeouts = Timeouts()) -> MCPConnection {
    let beginning = """
      import json, os, sys, time
      def line(x): print(json.dumps(x), flush=True)
      def lines():
          for text in sys.stdin:
              message = json.loads(text)
              if message.get("method") == "initialize":
                  line({"id": message["id"], "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}})
              elif message.get("method") == "server/discover":
                  line({"id": message["id"], "error": {"code": -32601, "message": "no"}})
              else:
                  yield message
      def say(message, text):
          line({"id": message["id"], "result": {"content": [{"type": "text", "text": text}]}})

      """
    return MCPConnection(
      ToolServer(id: "p", name: "p", address: .command(["python3", "-c", beginning + script], passing: [])),
      http: PeerScene.network, timeouts: timeouts, memory: .inMemory(),
      programs: ToolPrograms(children: Children(), environment: ProcessInfo.processInfo.environment))
  }

  @Test func `a question that nobody answers any more is answered with a cancel`() async throws {
    let connection = Self.program(
      """
      cancelled = 0
      for message in lines():
          if message.get("method") == "tools/call" and message["params"]["name"] == "count":
              say(message, str(cancelled))
          elif message.get("method") == "tools/call":
              line({"id": message["id"], "method": "elicitation/create", "params": {"message": "Who?"}})
          elif message.get("result") == {"action": "cancel"}:
              cancelled += 1
      """)
    // More than may wait at one time.
    for _ in 0..<10 {
      let stopped = await Called(
        connection.call("ask", [:]), stopAt: { if case .question = $0 { true } else { false } })
      #expect(stopped.error == .cancelled && stopped.questions.count == 1)
    }
    var count: String?
    let isTold = await eventually {
      count = await Called(connection.call("count", [:])).text
      return count == "10"
    }
    #expect(isTold, "\(count ?? "")")
    await connection.close()
  }

  @Test func `a question that comes as its call ends is answered`() async throws {
    let line = ScriptedLine { inbox, heard in
      inbox.put(.result(["content": []]))
      let isTaken = inbox.put(
        .asked(method: "elicitation/create", params: ["message": "Who?"]) { answer in
          if case .success(let json) = answer { heard.add(json.serialized()) }
        })
      // The call may have ended by now: then its server is refused at once, which is an answer too.
      if !isTaken { heard.add("refused") }
    }
    let session = line.session()
    let exchange = MCPExchange(session: session, patience: .request(Timeouts()))
    _ = try await exchange.result(of: MCPRequest("tools/list"))
    await session.close()
    #expect([[#"{"action":"cancel"}"#, "closed"], ["refused", "closed"]].contains(line.heard.all))
  }

  @Test func `an answer that is no stream and breaks off is lost, and a list is asked for again`() async throws {
    let broken = ScriptedHTTP.Reply.response(
      200, headers: Script.json, [.text(#"{"jsonrpc":"2.0","id":2,"res"#), .failure(.closedEarly(""))])
    let (calling, _) = Self.legacy(broken)
    #expect(await Called(calling.call("t", [:])).error == .lost)
    let (listing, http) = Self.legacy(
      broken, Script.initialized(id: 3, session: "t"), Script.accepted, Script.result(4, #"{"tools":[{"name":"t"}]}"#))
    #expect(try await listing.tools().map(\.name) == ["t"])
    #expect(http.requests.filter { $0.method == "POST" }.count == 6)
  }

  @Test func `a server that does not answer when it is first asked cannot be reached`() async {
    let silent = BackendError.timedOut(address: "t.lan", .request, seconds: 30)
    let (unanswered, _) = Script.connection(["POST \(Script.url)": [.failure(.headersTimeout)]])
    #expect(await Called(unanswered.call("t", [:])).error == .server(silent))
    let (unfinished, _) = Script.connection([
      "POST \(Script.url)": [.response(200, headers: Script.json, [.failure(.readTimeout)])]
    ])
    #expect(await Called(unfinished.call("t", [:])).error == .server(silent))
    let (closing, _) = Script.connection(["POST \(Script.url)": [.failure(.closedEarly(""))]])
    #expect(await Called(closing.call("t", [:])).error == .server(.unreachable(address: "t.lan", reason: .reset)))
  }

  @Test func `a server of one stream that does not take a call in time may have carried it out`() async {
    let http = OneStream()
    let connection = MCPConnection(
      ToolServer(id: "t", name: "t", address: .http(url: "https://t.lan/sse")), http: http, timeouts: Timeouts(),
      memory: .inMemory())
    #expect(await Called(connection.call("t", [:])).error == .lost)
    await connection.close()
  }

  @Test(arguments: [400, 404, 422])
  func `what a server says that refuses to begin is told`(_ status: Int) async {
    let (connection, _) = Script.connection(
      Script.noStream.merging([
        "POST \(Script.url)": [
          .error(400, "?"), .error(status, #"{"id":2,"error":{"code":-32602,"message":"clientInfo is too long"}}"#),
        ]
      ]) { $1 })
    #expect(await Called(connection.call("t", [:])).error == .refused(code: -32602, message: "clientInfo is too long"))
  }

  @Test func `which time was over is told`() async {
    let line = ScriptedLine { _, _ in }
    let session = line.session()
    let outcomes: [(Patience, ToolError)] = [
      (Patience(silence: 0.1, whole: 10, isCall: true), .timedOut(.silence, seconds: 0.1)),
      (Patience(silence: 10, whole: 0.1, isCall: true), .timedOut(.whole, seconds: 0.1)),
      (.request(Timeouts(request: 0.1)), .timedOut(.request, seconds: 0.1)),
    ]
    for (patience, error) in outcomes {
      await #expect(throws: error) {
        try await MCPExchange(session: session, patience: patience).result(of: MCPRequest("tools/list"))
      }
    }
    await session.close()
  }

  @Test(arguments: [
    (
      #""error": {"code": -32601, "message": "no such call"}"#, ToolError.refused(code: -32601, message: "no such call")
    ),
    (#""result": None"#, .malformed("a result that is no object")),
    (#""jsonrpc": "2.0""#, .malformed("an answer that cannot be read")),
  ])
  func `a call that brings no result is not for want of tools`(answer: String, error: ToolError) async {
    let connection = Self.program(
      """
      for message in lines():
          if message.get("method") == "tools/call": line({"id": message["id"], \(answer)})
      """)
    #expect(await Called(connection.call("add", [:])).error == error)
    await connection.close()
  }

  @Test func `a server that lists no tools has none`() async {
    let connection = Self.program(
      """
      for message in lines():
          if "id" in message: line({"id": message["id"], "error": {"code": -32601, "message": "no"}})
      """)
    await #expect(throws: ToolError.notOffered("tools")) { try await connection.tools() }
    await connection.close()
  }

  @Test(arguments: ["None", "{}", #"{"protocolVersion": None}"#])
  func `a greeting without a version is not one of another version`(result: String) async {
    let connection = MCPConnection(
      ToolServer(
        id: "p", name: "p",
        address: .command(
          [
            "python3", "-c",
            """
            import json, sys
            for text in sys.stdin:
                message = json.loads(text)
                answer = {"error": {"code": -32601, "message": "no"}}
                if message.get("method") == "initialize": answer = {"result": \(result)}
                print(json.dumps({"id": message["id"], **answer}), flush=True)
            """,
          ], passing: [])),
      http: PeerScene.network, timeouts: Timeouts(), memory: .inMemory(),
      programs: ToolPrograms(children: Children(), environment: ProcessInfo.processInfo.environment))
    let error = ToolError.malformed("no protocolVersion in the answer to initialize")
    await #expect(throws: error) { try await connection.tools() }
    await connection.close()
  }

  @Test func `a program may take longer to start than a request`() async {
    let clock = StandingClock()
    let connection = MCPConnection(
      ToolServer(id: "p", name: "p", address: .command(["sleep", "600"], passing: [])), http: PeerScene.network,
      timeouts: Timeouts(request: 1), memory: .inMemory(),
      programs: ToolPrograms(children: Children(), environment: ProcessInfo.processInfo.environment),
      clock: clock.source)
    let listing = Task { () -> ToolError? in
      do throws(ToolError) { _ = try await connection.tools() } catch { return error }
      return nil
    }
    // Asked in the modern way first, then in the older one.
    for seconds in [10.0, 60] {
      #expect(await eventually { clock.isAwaited(for: seconds) })
      clock.advance(seconds)
    }
    #expect(await listing.value == .timedOut(.start, seconds: 60))
    await connection.close()
  }

  @Test func `a connection that comes about as it is closed is closed too`() async throws {
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    let line = ScriptedLine { _, _ in }
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let session = line.session {
      begin.finish()
      // Not to be stopped, as a program that is starting.
      await Task { for await _ in gate {} }.value
    }
    let connecting = Task { try await session.line().number }
    for await _ in begun {}
    let closing = Task { await session.close() }
    while await !session.isClosing { await Task.yield() }
    opener.finish()
    await closing.value
    #expect(line.heard.all == ["closed"])
    await #expect(throws: ToolError.cancelled) { try await connecting.value }
  }

  @Test func `who drops a line stops listening`() async throws {
    let http = ScriptedHTTP([.response(200, headers: Script.stream, [.silence])])
    let door = MCPDoor(
      http: http, signer: Unsigned(), timeouts: Timeouts(), clock: .system, address: Script.url)
    var line: LegacyHTTP? = LegacyHTTP(
      door, url: Script.url, session: "s", hello: MCPHello(legacy: [:], version: "2025-06-18"),
      board: CallBoard(listChanged: {}))
    line?.listen()
    while http.bodies.first?.patience.isEmpty ?? true { await Task.yield() }
    line = nil
    #expect(await eventually { http.bodies.first?.isCancelled == true })
    http.bodies.first?.cancel()
  }
}

/// A line on which what a test wrote comes of each request.
private struct ScriptedLine: MCPLine {
  /// What became known, in order.
  // Sendable: what varies is behind the lock.
  final class Heard: @unchecked Sendable {
    private let lock = NSLock()
    private var words: [String] = []

    func add(_ text: String) { lock.withLock { words.append(text) } }
    var all: [String] { lock.withLock { words } }
  }

  let heard = Heard()
  let script: @Sendable (Inbox, Heard) -> Void

  init(_ script: @escaping @Sendable (Inbox, Heard) -> Void) { self.script = script }

  var era: MCPVerdict.Era { .legacy }
  var transport: MCPVerdict.Transport { .stdio }
  var hello: MCPHello? { nil }

  func carry(_ request: MCPRequest, id: Int, into inbox: Inbox) async { script(inbox, heard) }
  func cancel(_ id: Int) async { heard.add("cancelled") }
  func close() async { heard.add("closed") }

  /// A session that has this line once `opening` has returned.
  func session(_ opening: @escaping @Sendable () async -> Void = {}) -> MCPSession {
    MCPSession(address: "x", memory: .inMemory(), timeouts: Timeouts(), clock: .system) { _, _ in
      await opening()
      return (self, MCPVerdict(era: .legacy, transport: .stdio, url: ""))
    }
  }
}

/// A server of 2024-11-05 that takes everything but calls.
// Sendable: the stream's ends are.
private final class OneStream: HTTP, HTTPBody, Sendable {
  private let (events, door) = AsyncStream.makeStream(of: String.self)

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let ended = ScriptedBody([], whenSilent: {})
    if request.method == "GET" {
      door.yield("event: endpoint\r\ndata: /messages/\r\n\r\n")
      return HTTPResponse(status: 200, headers: MCPScriptTests.stream, body: self)
    }
    guard request.url.hasSuffix("/messages/") else { return HTTPResponse(status: 405, headers: [], body: ended) }
    let message = (try? JSON(parsing: request.body ?? [])) ?? .null  // what is not JSON is answered by nothing
    if message["method"] == "tools/call" { throw .headersTimeout }
    if let id = message["id"]?.int {
      door.yield("data: {\"id\":\(id),\"result\":{\"protocolVersion\":\"2024-11-05\"}}\r\n\r\n")
    }
    return HTTPResponse(status: 202, headers: [], body: ended)
  }

  func next(timeout: Double?) async throws(TransportError) -> [UInt8]? {
    for await event in events { return Array(event.utf8) }
    throw .cancelled
  }

  func cancel() { door.finish() }
}

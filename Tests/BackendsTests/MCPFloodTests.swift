import Foundation
import TestSupport
import Testing
import Waiting

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// Servers that send more than anybody reads, what cannot be read, and what is not theirs to repeat.
struct MCPFloodTests {
  /// A program that speaks as servers did before, and does `call` when its tool is called as `id`.
  private static func program(_ call: String, tool timeout: Double = 60) -> MCPConnection {
    let script = """
      import json, os, sys, time
      def raw(bytes): sys.stdout.buffer.write(bytes); sys.stdout.buffer.flush()
      def send(x): raw(json.dumps(x).encode() + b"\\n")
      while True:
          text = sys.stdin.readline()
          if not text: sys.exit(0)
          message = json.loads(text)
          id = message.get("id")
          if message.get("method") == "initialize":
              send({"id": id, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}})
          elif message.get("method") == "tools/call":
              \(call)
          elif id is not None:
              send({"id": id, "error": {"code": -32601, "message": "unknown"}})
      """
    var timeouts = Timeouts()
    timeouts.tool = timeout
    return MCPConnection(
      ToolServer(id: "t", name: "t", address: .command(["python3", "-c", script], passing: [])),
      http: RoutedHTTP([:]), timeouts: timeouts, memory: .inMemory(),
      programs: ToolPrograms(children: Children(), environment: ProcessInfo.processInfo.environment))
  }

  @Test func `of what nobody reads little is kept, and the last progress`() async {
    let queue = EventQueue<ToolEvent> { $0.room() }
    for number in 0..<20_000 {
      queue.put(.progress(ToolProgress(done: Double(number))))
      queue.put(.log(level: "info", text: String(repeating: "x", count: 1000)))
    }
    queue.put(.log(level: "info", text: String(repeating: "y", count: 2 << 20)))
    queue.put(.finished(ToolResult(content: [])))
    queue.finish()
    queue.put(.progress(ToolProgress(done: 0)))
    var progress: [Double] = []
    var logBytes = 0
    var isFinished = false
    for await event in queue {
      switch event {
      case .progress(let event): progress.append(event.done)
      case .log(_, let text): logBytes += text.utf8.count
      case .finished: isFinished = true
      case .question: break
      }
    }
    #expect(progress == [19_999])
    #expect((500 << 10)...(1 << 20) ~= logBytes)
    #expect(isFinished)
  }

  @Test func `what waits is read in its order while more comes`() async {
    let queue = EventQueue<Int> { $0 % 10 == 0 ? .latest(of: $0 % 3) : .always }
    // This test's own: it ends with the numbers.
    let filling = Task {
      for number in 0..<20_000 {
        queue.put(number)
        if number % 500 == 0 { await Task.yield() }
      }
      queue.finish()
    }
    var kept: [Int] = []
    for await number in queue where number % 10 != 0 { kept.append(number) }
    await filling.value
    #expect(kept == (0..<20_000).filter { $0 % 10 != 0 })
  }

  @Test func `a flood of progress waits for nobody and fills nothing`() async throws {
    try await withTemporaryDirectory { folder in
      let mark = folder.appending(path: "sent").path
      let connection = Self.program(
        """
        line = b'{"method":"notifications/progress","params":{"progressToken":%d,"progress":1}}\\n' % id
                for _ in range(100): raw(line * 1000)
                open("\(mark)", "w").close()
                send({"id": id, "result": {"content": []}})
        """)
      var events = 0
      for try await event in connection.call("t", [:]) {
        guard case .progress = event else { continue }
        events += 1
        if events == 1 { #expect(await eventually { FileManager.default.fileExists(atPath: mark) }) }
      }
      #expect(1..<50_000 ~= events)
      await connection.close()
    }
  }

  @Test func `a program that asks for ever and reads nothing is left all the same`() async throws {
    let connection = Self.program(
      """
      line = json.dumps({"id": "x" * 4000, "method": "ping"}).encode() + b"\\n"
              while True: raw(line)
      """, tool: 3)
    #expect(await Called(connection.call("t", [:])).isTimedOut)
    let ends = Ends()
    // This test's own, unless it fails.
    Task {
      await connection.close()
      ends.end()
    }
    #expect(await eventually { ends.hasEnded })
  }

  @Test(arguments: [
    #"raw(b'{"result":{"content":[],"structuredContent":' + b'['*100000 + b']'*100000 + b'},"id":%d}\n' % id)"#,
    #"send({"jsonrpc": "2.0", "id": id})"#,
  ]) func `an answer of a program that cannot be read is not waited for`(_ call: String) async {
    let connection = Self.program(call)
    #expect(await Called(connection.call("t", [:])).error == .malformed("an answer that cannot be read"))
    await connection.close()
  }

  @Test func `an answer on a stream without anything in it is not waited for`() async {
    let (connection, _) = MCPScriptTests.connection(
      [
        "POST \(MCPScriptTests.url)": [
          .response(
            200, headers: MCPScriptTests.stream, [.text("data: {\"jsonrpc\":\"2.0\",\"id\":1}\n\n"), .silence])
        ]
      ], known: .modern)
    #expect(await Called(connection.call("t", [:])).error == .malformed("a result that is no object"))
  }
}

/// A server that repeats what it was signed in with.
struct MCPEchoTests {
  private static let token = "canary/token+of=ours"

  private static func connection(_ reply: ScriptedHTTP.Reply, token: String = token) -> MCPConnection {
    MCPScriptTests.connection(
      ["POST \(MCPScriptTests.url)": [reply]], known: .modern, signer: FixedSigner(token: token)
    ).0
  }

  @Test func `our token is taken out of all that happens in a call`() async {
    let connection = Self.connection(
      .response(
        200, headers: MCPScriptTests.stream,
        [
          .text(#"data: {"method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"can"#),
          .text(#"ary/token+of=ours"}}\#n\#n"#),
          .text(#"data: {"method":"notifications/message","params":{"data":"got canary\/token+of=ours"}}\#n\#n"#),
          .text(#"data: {"id":1,"result":{"content":[{"type":"text","text":"Bearer \u0063anary/token+of=ours!"},"#),
          .text(
            #"{"type":"resource","resource":{"uri":"e://canary%2Ftoken%2Bof%3Dours","text":"canary/token+of=ours"}}],"#),
          .text(#""structuredContent":{"canary/token+of=ours":["canary/token+of=ours"]}}}\#n\#n"#),
        ]))
    let called = await Called(connection.call("t", [:]))
    #expect(called.progress.map(\.message) == ["<secret>"])
    #expect(called.log == ["got <secret>"])
    #expect(
      called.result
        == ToolResult(
          content: [
            .text("Bearer <secret>!"),
            .resource(ResourceContent(uri: "e://<secret>", mimeType: nil, body: .text("<secret>"))),
          ], structured: ["<secret>": ["<secret>"]]))
  }

  @Test func `our token is taken out of prompts, resources and refusals`() async throws {
    let prompts = Self.connection(
      MCPScriptTests.result(1, #"{"messages":[{"role":"user","content":"canary/token+of=ours"}]}"#))
    #expect(try await prompts.prompt("p", [:]) == [PromptMessage(.user, .text("<secret>"))])
    let resources = Self.connection(
      MCPScriptTests.result(1, #"{"contents":[{"uri":"r","text":"canary/token+of=ours"}]}"#))
    #expect(try await resources.read("r").map(\.body) == [.text("<secret>")])
    for status in [200, 400] {
      let refusing = Self.connection(
        .response(
          status, headers: MCPScriptTests.json,
          [.text(#"{"id":1,"error":{"code":-5,"message":"no canary/token+of=ours"}}"#)]))
      #expect(await Called(refusing.call("t", [:])).error == .refused(code: -5, message: "no <secret>"))
    }
  }

  @Test func `a token that is a word leaves answers what they are`() async {
    let connection = Self.connection(MCPScriptTests.result(1), token: "text")
    #expect(await Called(connection.call("t", [:])).text == "done")
  }
}

extension Called {
  fileprivate var isTimedOut: Bool { if case .timedOut = error { true } else { false } }
}

private final class Ends: @unchecked Sendable {
  private let lock = NSLock()
  private var isOver = false

  func end() { lock.withLock { isOver = true } }
  var hasEnded: Bool { lock.withLock { isOver } }
}

import Chat
import Foundation
import TestSupport
import Testing
import Transport
import Wire

@testable import Backends

/// What was noted, in order.
private final class Notes: @unchecked Sendable {
  private let lock = NSLock()
  private var notes: [String] = []

  func add(_ text: String) { lock.withLock { notes.append(text) } }
  var all: [String] { lock.withLock { notes } }
}

/// A program in Python and the peer that speaks with it. `line(x)` writes a message; `read()` reads one.
private struct Conversation {
  static let beginning = """
    import json, os, sys, time
    out = sys.stdout.buffer
    def line(x):
        out.write(json.dumps(x).encode() + b"\\n"); out.flush()
    def read():
        text = sys.stdin.readline()
        if not text: sys.exit(0)
        return json.loads(text)

    """

  let channel: StdioChannel
  let peer: RPCPeer
  let notes = Notes()
  /// Ends with the channel.
  let reading: Task<Void, Never>

  init(_ script: String, children: Children = Children()) async throws {
    let channel = try await StdioChannel(
      command: ["python3", "-c", Conversation.beginning + script], passing: [],
      environment: ProcessInfo.processInfo.environment, children: children)
    let peer = RPCPeer(
      send: { message throws(RPCError) in try await channel.send(message) },
      handler: RPCHandler(
        request: { [notes] request in
          notes.add(request.method)
          return false
        },
        notification: { [notes] method, _ in notes.add(method) }, note: { [notes] in notes.add("\($0)") }))
    reading = Task { await peer.read(channel) }
    self.channel = channel
    self.peer = peer
  }

  func ask(_ method: String) async -> String {
    do throws(RPCError) {
      return try await peer.request(method).serialized()
    } catch {
      return switch error {
      case .refused(let failure): "refused \(failure.code)"
      case .tooLong(let limit): "too long \(limit)"
      case .closed: "closed"
      case .neverSent: "never sent"
      case .cancelled, .unsent, .unreadable: "\(error)"
      }
    }
  }

  func end() async -> ToolError {
    let exit = await channel.exit()
    await reading.value
    return exit
  }
}

struct StdioChannelTests {
  @Test func `a program answers, whatever else it prints`() async throws {
    let talk = try await Conversation(
      """
      print("starting up", flush=True)
      out.write(b"\\xff\\xfe not text\\n[info] ready\\n\\n{\\"level\\": \\"info\\"}\\r\\n"); out.flush()
      while True:
          message = read()
          line({"method": "notifications/progress"})
          line({"id": message["id"], "method": "roots/list"})
          assert read()["error"]["code"] == -32601
          line({"result": message["method"], "id": message["id"]})
      """)
    #expect(await talk.ask("tools/list") == "\"tools/list\"")
    #expect(await talk.ask("é\n\u{2028}") == #""é\n\u2028""#)
    #expect(await talk.end() == .exited(program: "python3", status: 0, lastWords: ""))
    let common = ["notifications/progress", "roots/list"]
    #expect(
      talk.notes.all
        == [
          RPCNote.junk("starting up"), .junk("\u{FFFD}\u{FFFD} not text"), .junk("[info] ready"),
          .malformed(.invalid(id: nil)),
        ].map { "\($0)" } + common + common)
  }

  @Test func `a program that ends in the middle of a message says how`() async throws {
    let talk = try await Conversation(
      """
      read()
      out.write(b'{"jsonrpc":"2.0","id":1,"resu'); out.flush()
      print("no disk\\n", file=sys.stderr)
      sys.exit(3)
      """)
    #expect(await talk.ask("a") == "closed")
    #expect(await talk.end() == .exited(program: "python3", status: 3, lastWords: "no disk"))
    #expect(await talk.ask("b") == "never sent")
  }

  @Test func `a line that does not end ends the conversation`() async throws {
    let talk = try await Conversation(
      """
      read()
      while True: out.write(b"a" * 65536)
      """)
    #expect(await talk.ask("a") == "too long \(JSONLines.lineLimit)")
    guard case .exited = await talk.end() else {
      Issue.record("still there")
      return
    }
  }

  @Test func `a large answer comes whole`() async throws {
    let talk = try await Conversation(
      """
      line({"id": read()["id"], "result": "é" + "a" * 5000000})
      read()
      """)
    #expect(await talk.ask("a").utf8.count == 5_000_004)
    _ = await talk.end()
  }

  @Test func `a flood of requests is answered, each of them`() async throws {
    let talk = try await Conversation(
      """
      asked = read()
      for number in range(10000): line({"id": number % 7, "method": "sampling/createMessage"})
      codes = {read()["error"]["code"] for _ in range(10000)}
      line({"id": asked["id"], "result": sorted(codes)})
      read()
      """)
    #expect(await talk.ask("a") == "[-32601]")
    _ = await talk.end()
  }

  @Test func `a program that asks for ever and reads nothing is not read either`() async throws {
    let talk = try await Conversation(
      """
      asked = read()
      while True: line({"id": 1, "method": "sampling/createMessage" + "x" * 1000})
      """)
    async let answer = talk.ask("a")
    // It stands still once its pipe is full and nobody reads it.
    var count = -1
    while count < 1 || talk.notes.all.count != count {
      count = talk.notes.all.count
      try await Task.sleep(for: .milliseconds(300))  // timed: stands still when nothing came for so long
    }
    #expect(count < 50_000)
    _ = await talk.end()
    #expect(await answer == "closed")
  }

  @Test func `answers to what was not asked, and twice, change nothing`() async throws {
    let talk = try await Conversation(
      """
      asked = read()
      for id in [99, "one", None, 1.5, 0]: line({"id": id, "result": "wrong"})
      for _ in range(3): line({"id": asked["id"], "result": "right"})
      line({"id": read()["id"], "result": "second"})
      read()
      """)
    #expect(await talk.ask("a") == "\"right\"")
    #expect(await talk.ask("b") == "\"second\"")
    _ = await talk.end()
    #expect(talk.notes.all.count == 7)
  }

  @Test func `a program that is not there is said to be so`() async {
    await #expect(throws: ToolError.notStarted(program: "no-such-program", reason: "not found")) {
      try await StdioChannel(
        command: ["no-such-program"], passing: [], environment: ["PATH": "/usr/bin"], children: Children())
    }
    await #expect(throws: ToolError.notStarted(program: "/etc/passwd", reason: "not executable")) {
      try await StdioChannel(command: ["/etc/passwd"], passing: [], environment: [:], children: Children())
    }
  }

  @Test func `the end of all programs ends the conversation`() async throws {
    let children = Children()
    let endless = "while True: time.sleep(600)  # timed: it never ends by itself"
    let talk = try await Conversation(endless, children: children)
    async let answer = talk.ask("a")
    await children.end()
    #expect(await answer == "closed")
    #expect(await talk.end() == .exited(program: "python3", status: 143, lastWords: ""))
  }
}

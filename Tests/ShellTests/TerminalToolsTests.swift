import Chat
import Foundation
import TestSupport
import Testing
import Text
import Waiting
import Wire

@testable import Shell
@testable import Store

@Suite struct TerminalToolsTests {
  /// Terminals of a place, all of one name or another, in which every command brings the same.
  private struct Fake: Terminals {
    var ids = ["work"]
    var events: [TerminalRun.Event] = [.output("hi\n"), .ended(.finished(status: 0))]
    /// Whether nothing comes of a command before somebody wakes it.
    var waits = false
    var screen: String?
    var failure: TerminalError?
    var pid: Locked<Int>?
    let typed = Locked<[String]>([])
    let isBegun = Signal()
    let mayEnd = Signal()

    func list() async throws(TerminalError) -> [TerminalInfo] {
      if let failure { throw failure }
      let pid = pid?.withLock { $0 }
      return ids.map { TerminalInfo(id: $0, name: $0, pid: pid, program: "bash", lastActivity: 4000) }
    }

    func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
      throw .notOffered(.attaching)
    }

    func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String { screen ?? "\(limit) of \(id)" }

    func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
      let left = Locked(events)
      return TerminalRun(
        next: { () async throws(TerminalError) in
          let isFirst = left.withLock { $0.count == events.count }
          if isFirst { typed.withLock { $0.append("\(command) in \(id), \(quiet)") } }
          if waits {
            isBegun.give()
            await mayEnd.wait()
            if Task.isCancelled { throw .cancelled }
          }
          return left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        },
        interrupt: {
          // What a cancelled task would not wait for.
          if !Task.isCancelled { typed.withLock { $0.append("Ctrl-C") } }
          return true
        })
    }
  }

  /// Heard by whoever waits for it, now or later.
  private struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let ending: AsyncStream<Void>.Continuation
    init() { (stream, ending) = AsyncStream.makeStream(of: Void.self) }
    func give() { ending.finish() }
    func wait() async { for await _ in stream {} }
  }

  private static func place(_ terminals: any Terminals, on server: String? = nil) -> TerminalPlace {
    let entry = server.map { Servers.Entry(server: Server(name: $0, kind: "jupyter", url: "http://\($0)"), models: []) }
    return TerminalPlace(entry: entry, terminals: terminals)
  }

  private func tools(
    _ places: TerminalPlace..., bounds: TerminalTools.Bounds = TerminalTools.Bounds(),
    pause: @escaping @Sendable (Double) async -> Void = { _ in await Signal().wait() }
  ) -> TerminalTools {
    TerminalTools(places, bounds, now: { 9000 }, pause: pause)
  }

  private func result(of run: ToolRun) async throws(ToolError) -> ToolResult? {
    for try await event in run { if case .finished(let result) = event { return result } }
    return nil
  }

  private func said(_ tools: TerminalTools, _ tool: TerminalTool, _ arguments: JSON) async throws -> String {
    let result = try #require(try await result(of: tools.call(tool.rawValue, arguments)))
    return ResultText.text(result, limit: 100_000)
  }

  @Test func `those of this machine and of servers are told by their ids`() async throws {
    let tools = tools(
      Self.place(Fake()), Self.place(Fake(ids: ["1"]), on: "lab"),
      Self.place(Fake(failure: .server(.unreachable(address: "box:1", reason: .refused))), on: "box"))
    #expect(
      try await said(tools, .list, [:])
        == #"{"terminals":[{"id":"work","program":"bash","folder":null,"idleSeconds":5},"#
        + #"{"id":"lab/1","program":"bash","folder":null,"idleSeconds":5}],"#
        + #""leftOut":[{"server":"box","why":"cannot reach box:1 (connection refused)"}]}"#)
  }

  @Test func `a command says how it ended and what it said`() async throws {
    let fake = Fake()
    let tools = tools(Self.place(fake), bounds: TerminalTools.Bounds(quiet: 7))
    let result = try await result(of: tools.call("terminal_run", ["terminal": "work", "command": "echo hi"]))
    #expect(
      result
        == ToolResult(
          content: [.text("exit status 0"), .text("hi\n")],
          structured: ["terminal": "work", "ended": "finished", "status": 0, "isTruncated": false],
          structuredIsWhole: false))
    #expect(fake.typed.withLock { $0 } == ["echo hi in work, 7.0"])
  }

  @Test(
    arguments: [
      (.finished(status: nil), "it ended; its exit status is not known", false),
      (.quiet(3), "nothing came of it for 3 s: it may run on in lab/work; terminal_show reads on", false),
      (.gone, "The tool failed: terminal lab/work has ended", true),
      (
        .lost, "The tool failed: the connection to lab/work was lost: the command may run on; terminal_show reads on",
        true
      ),
    ] as [(TerminalRun.End, String, Bool)])
  func `an end that is none of the command's is told`(end: TerminalRun.End, said: String, isError: Bool) async throws {
    let tools = tools(Self.place(Fake(events: [.ended(end)]), on: "lab"))
    let result = try await result(of: tools.call("terminal_run", ["terminal": "lab/work", "command": "make"]))
    #expect(result.map { ResultText.text($0, limit: 1000) } == said)
    #expect(result?.isError == isError)
  }

  @Test func `of much output the end is given, and nothing is cut twice`() async throws {
    let lines = (1...5000).map { TerminalRun.Event.output("line \($0)\n") }
    let tools = tools(
      Self.place(Fake(events: lines + [.ended(.finished(status: 1))])), bounds: TerminalTools.Bounds(result: 1000))
    let result = try #require(
      try await result(of: tools.call("terminal_run", ["terminal": "work", "command": "make"])))
    let text = ResultText.text(result, limit: 1000)
    #expect(text.hasPrefix("exit status 1\n\n[") && text.hasSuffix("\nline 5000\n"))
    #expect(text.contains("more characters before, cut]\n") && !text.contains("more characters cut]"))
    #expect(result.structured?["isTruncated"] == true)
  }

  @Test func `a long screen is given to its end`() async throws {
    let fake = Fake(screen: (1...5000).map { "line \($0)\n" }.joined())
    let result = try #require(
      try await result(
        of: tools(Self.place(fake), bounds: TerminalTools.Bounds(result: 1000)).call(
          "terminal_show", ["terminal": "work"])))
    let text = ResultText.text(result, limit: 1000)
    #expect(text.hasSuffix("\nline 5000\n") && !text.contains("more characters cut]"))
  }

  @Test(arguments: ["1e300", "inf", "600.5"])
  func `nobody waits longer than a command lasts`(quiet: String) async throws {
    let fake = Fake()
    _ = try await said(tools(Self.place(fake)), .run, ["terminal": "work", "command": "ls", "quiet": .string(quiet)])
    #expect(fake.typed.withLock { $0 } == ["ls in work, 600.0"])
  }

  @Test func `the end of a text is counted from what is missing`() {
    var part = LastPart(limit: 3)
    for piece in ["日本", "語で", "す", String(repeating: "é", count: 40)] { part.add(piece) }
    #expect(part.shown == "[42 more characters before, cut]\nééé")
  }

  @Test(arguments: [
    ("wor", "terminal_run"), ("work/1", "terminal_run"), ("lab/wor", "terminal_run"), ("lab", "terminal_run"),
    ("", "terminal_show"), ("box/work", "terminal_show"),
  ])
  func `only the whole name of one is taken`(word: String, tool: String) async throws {
    let (here, lab) = (Fake(), Fake())
    let tools = tools(Self.place(here), Self.place(lab, on: "lab"))
    let result = try await result(of: tools.call(tool, ["terminal": .string(word), "command": "x"]))
    let text = result.map { ResultText.text($0, limit: 1000) } ?? ""
    #expect(result?.isError == true && text.contains("no terminal '\(word)'") && text.contains("terminal_list gives"))
    #expect(here.typed.withLock { $0.isEmpty } && lab.typed.withLock { $0.isEmpty })
  }

  @Test func `one on a server is found there, and no other of its name`() async throws {
    let (here, lab) = (Fake(), Fake())
    let tools = tools(Self.place(here), Self.place(lab, on: "lab"))
    _ = try await said(tools, .run, ["terminal": "lab/work", "command": "ls"])
    #expect(here.typed.withLock { $0 }.isEmpty && lab.typed.withLock { $0.count } == 1)
    #expect(try await said(tools, .show, ["terminal": "lab/work"]) == "200 of work")
    #expect(try await said(tools, .show, ["terminal": "work", "lines": "12"]) == "12 of work")
  }

  @Test(
    arguments: [
      (["terminal": "work", "lines": 0], "terminal_show"), (["terminal": "work", "lines": 10_001], "terminal_show"),
      (["terminal": "work", "lines": "many"], "terminal_show"),
      (["terminal": "work", "command": " "], "terminal_run"),
      (["terminal": "work", "command": "ls", "quiet": -1], "terminal_run"),
      (["terminal": "work", "command": "ls", "quiet": "1e-9"], "terminal_run"),
      (["terminal": "work", "command": "ls", "quiet": "soon"], "terminal_run"), ([:], "terminal_make"),
    ] as [(JSON, String)])
  func `what cannot be is said, and nothing typed`(arguments: JSON, tool: String) async throws {
    let fake = Fake()
    let result = try await result(of: tools(Self.place(fake)).call(tool, arguments))
    #expect(result?.isError == true)
    #expect(fake.typed.withLock { $0 }.isEmpty)
  }

  @Test func `one that is stopped has typed Ctrl-C when it is over`() async {
    let fake = Fake(waits: true)
    let run = tools(Self.place(fake)).call("terminal_run", ["terminal": "work", "command": "sleep 9"])
    async let stopping: Void = {
      await fake.isBegun.wait()
      run.stop()
      fake.mayEnd.give()
    }()
    await #expect(throws: ToolError.cancelled) { _ = try await result(of: run) }
    await stopping
    #expect(fake.typed.withLock { $0.last } == "Ctrl-C")
  }

  @Test func `one that is stopped before it was begun types nothing`() async {
    let fake = Fake()
    let run = tools(Self.place(fake)).call("terminal_run", ["terminal": "work", "command": "ls"])
    run.stop()
    await #expect(throws: ToolError.cancelled) { _ = try await result(of: run) }
    #expect(fake.typed.withLock { $0 }.isEmpty)
  }

  @Test func `one that lasts too long is left running`() async throws {
    let fake = Fake(waits: true)
    let tools = tools(
      Self.place(fake), bounds: TerminalTools.Bounds(whole: 600),
      pause: { seconds in await (seconds == 600 ? fake.isBegun : Signal()).wait() })
    let said = try await said(tools, .run, ["terminal": "work", "command": "sleep 9"])
    #expect(said == "it runs on in work after 600 s, and was left; terminal_show reads on")
    #expect(fake.typed.withLock { $0.count } == 1)
  }

  @Test func `of two in one terminal the first that was made is served`() async throws {
    let fake = Fake()
    let tools = tools(Self.place(fake))
    let first = tools.call("terminal_run", ["terminal": "work", "command": "cd /x"])
    let second = tools.call("terminal_run", ["terminal": "work", "command": "rm *"])
    let refused = try await result(of: second)
    #expect(refused?.isError == true)
    _ = try await result(of: first)
    #expect(fake.typed.withLock { $0 } == ["cd /x in work, 30.0"])
    // Who comes later finds it free.
    #expect(try await said(tools, .run, ["terminal": "work", "command": "ls"]).hasPrefix("exit status 0"))
  }

  @Test func `the person is told where it would run, and that one it is`() async throws {
    let fake = Fake(pid: Locked(7))
    let tools = tools(Self.place(fake, on: "lab"))
    let arguments: JSON = ["terminal": "lab/work", "command": "ls"]
    #expect(await tools.preview(of: "terminal_run", arguments) == CallPreview(subject: ["server lab", "bash"]))
    #expect(try await said(tools, .run, arguments) == "exit status 0\n\nhi\n")
    _ = await tools.preview(of: "terminal_run", arguments)
    fake.pid?.withLock { $0 = 8 }
    let result = try await result(of: tools.call("terminal_run", arguments))
    #expect(result?.isError == true && fake.typed.withLock { $0.count } == 1)
    let nowhere = await tools.preview(of: "terminal_run", ["terminal": "lab/wrok", "command": "ls"])
    #expect(nowhere.failure?.isError == true)
  }

  // The person's leave

  private func offered(_ tool: Tool, of server: ToolServer) -> OfferedTool {
    OfferedTool(tool, of: server, by: tools())
  }

  @Test func `an editor is offered no yes to a shell line that lasts`() {
    let call = ToolCall(id: "1", name: "terminal_run", arguments: .object(["terminal": "work", "command": "ls"]))
    let ways = { (offered: OfferedTool) in Alternatives.of(call, offered, []).answers.map(\.kind) }
    #expect(ways(offered(TerminalTool.run.tool, of: .terminals)) == [.allowOnce, .rejectOnce])
    #expect(ways(offered(TerminalTool.show.tool, of: .terminals)).contains(.allowAlways))
  }

  @Test func `what others call so is no tool of the program's`() {
    let theirs = ToolServer(id: "terminals", name: "terminals", address: .command(["parley's", "own"], passing: []))
    let identity = ToolIdentity(TerminalTool.run.tool, of: theirs)
    #expect(!identity.isShellLine && identity.place != ToolServer.terminals.place)
    #expect(ToolIdentity(TerminalTool.run.tool, of: .terminals).isShellLine)
  }
}

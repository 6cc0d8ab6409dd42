import Chat
import Testing
import Waiting

@testable import Backends

@Suite struct MaskedTerminalsTests {
  private let terminals: MaskedTerminals

  init() {
    let mask = SecretMask()
    mask.add(Secret("token-of-the-server"))
    terminals = MaskedTerminals(terminals: ScriptedTerminals(), mask: mask)
  }

  @Test func `what a terminal has said is shown without our secrets`() async throws {
    #expect(try await terminals.lines(of: "1", atMost: 9) == "TOKEN=<secret>\n")
    let line = try await terminals.watch("1")
    #expect(try await line.next() == .lines(["TOKEN=<secret>", "", "$ "]))
    #expect(await line.past(atMost: 9) == "TOKEN=<secret>\n")
  }

  @Test func `the output of a command is masked, wherever it is cut`() async throws {
    let run = terminals.run("env", in: "1", quiet: 1)
    var output = ""
    var end: TerminalRun.Event?
    while let event = try await run.next() {
      if case .output(let piece) = event { output += piece } else { end = event }
    }
    #expect(output == "TOKEN=<secret>\n$ token")
    #expect(end == .ended(.finished(status: 0)))
  }

  @Test func `a person who is attached gets the bytes as they come`() async throws {
    guard case .line(let line) = try await terminals.attach(to: "1", columns: 80, rows: 24) else {
      Issue.record("no line")
      return
    }
    #expect(try await line.next() == .lines(["TOKEN=<secret>", "", "$ "]))
    #expect(try await line.next() == .output(Array("token-of-the-server".utf8)))
  }
}

/// Terminals in which a shell prints the token of its server.
private struct ScriptedTerminals: Terminals {
  func list() async throws(TerminalError) -> [TerminalInfo] { [] }

  func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    .line(ScriptedLine())
  }

  func watch(_ id: String) async throws(TerminalError) -> any TerminalLine { ScriptedLine() }

  func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String { "TOKEN=token-of-the-server\n" }

  func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    let events = Locked<[TerminalRun.Event]>([
      .output("TOKEN=token-"), .output("of-the-"), .output("server\n$ "), .output("token"),
      .ended(.finished(status: 0)),
    ])
    return TerminalRun(
      next: { () async throws(TerminalError) in events.withLock { $0.isEmpty ? nil : $0.removeFirst() } },
      interrupt: { false })
  }
}

private struct ScriptedLine: TerminalLine {
  private let notices = Locked<[TerminalNotice]>([
    .lines(["TOKEN=token-of-", "the-server", "", "$ "]), .output(Array("token-of-the-server".utf8)),
  ])

  var goesOn: Bool { true }
  func next() async throws(TerminalError) -> TerminalNotice? {
    notices.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
  func type(_ keys: [UInt8]) async {}
  func resize(columns: Int, rows: Int) async {}
  func past(atMost limit: Int) async -> String? { "TOKEN=token-of-the-server\n" }
  func leave() async {}
}

import Chat
import Testing
import Transport
import Waiting

@testable import Backends

@Suite struct LiveLineTests {
  private func line(_ wires: [ScriptedWire], outlives: Bool = true) -> LiveLine {
    let rest = Locked(Array(wires.dropFirst()))
    let dial = TerminalDial(
      open: { _ async throws(TerminalError) in
        guard let wire = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
          throw .server(.unreachable(address: "", reason: .refused))
        }
        if let failure = wire.failure { throw failure }
        return wire
      }, outlives: outlives, clock: TimeSource(now: { 0 }, sleep: { _ in }, sinceEpoch: { 0 }))
    return LiveLine(dial, wires[0], TerminalSize(columns: 80, rows: 24))
  }

  /// By a clock that nobody moves.
  private func dial(_ wire: ScriptedWire) -> TerminalDial {
    let never: @Sendable (Double) async -> Void = { _ in
      let (ticks, clock) = AsyncStream.makeStream(of: Void.self)
      for await _ in ticks {}
      clock.finish()
    }
    return TerminalDial(
      open: { _ async throws(TerminalError) in wire },
      clock: TimeSource(now: { 0 }, sleep: never, sinceEpoch: { 0 }))
  }

  private func all(_ line: LiveLine) async throws -> [TerminalNotice] {
    var notices: [TerminalNotice] = []
    while let notice = try await line.next() { notices.append(notice) }
    return notices
  }

  @Test func `a connection that is lost is made again, and nothing is shown twice`() async throws {
    let line = line([
      ScriptedWire([.replay("one "), .output("two ")]),
      ScriptedWire([], failure: .server(.unreachable(address: "", reason: .refused))),
      ScriptedWire([.replay("one two three "), .output("four"), .ended(status: 3)]),
    ])
    let notices = try await all(line)
    #expect(
      notices == [
        .output("one "), .output("two "), .lost, .dialing, .waiting, .dialing, .back(unsent: 0, unsure: 0),
        .output("three "), .output("four"), .ended(status: 3),
      ])
  }

  @Test func `keys are sent once or not at all, and it is said`() async throws {
    let wires = [ScriptedWire([.replay("$ ")]), ScriptedWire([.replay("$ ls\r\n"), .ended(status: nil)])]
    let line = line(wires)
    #expect(try await line.next() == .output("$ "))
    await line.type(Array("ls".utf8))
    #expect(try await line.next() == .lost)
    await line.type(Array("touch harm\r".utf8))
    #expect(try await line.next() == .dialing)
    #expect(try await line.next() == .back(unsent: 11, unsure: 2))
    #expect(wires[0].typed == "ls" && wires[1].typed == "")
    await line.type(Array("x".utf8))
    #expect(wires[1].typed == "x")
  }

  @Test func `a program with the whole screen draws it anew`() async throws {
    let wires = [
      ScriptedWire([.replay("\u{1B}[?1049h")]), ScriptedWire([.replay("\u{1B}[?1049h"), .ended(status: nil)]),
    ]
    let line = line(wires)
    await line.resize(columns: 80, rows: 24)
    _ = try await all(line)
    #expect(wires[0].sizes == ["80x24"] && wires[1].sizes == ["80x23", "80x24"])
  }

  @Test func `one that is not there any more has ended`() async throws {
    let line = line([ScriptedWire([.replay("$ ")]), ScriptedWire([], failure: .gone("1"))])
    #expect(try await all(line) == [.output("$ "), .lost, .dialing, .ended(status: nil)])
  }

  @Test func `what trying again does not change is thrown`() async throws {
    let line = line([
      ScriptedWire([.replay("$ ")]), ScriptedWire([], failure: .server(.unauthorized(address: "lab", message: ""))),
    ])
    #expect(try await line.next() == .output("$ "))
    #expect(try await line.next() == .lost)
    #expect(try await line.next() == .dialing)
    await #expect(throws: TerminalError.server(.unauthorized(address: "lab", message: ""))) { try await line.next() }
  }

  @Test func `what ends with its connection is not connected to again`() async throws {
    let line = line([ScriptedWire([.output("x")]), ScriptedWire([.output("another")])], outlives: false)
    #expect(try await all(line) == [.output("x"), .ended(status: nil)])
  }

  @Test func `who watches hears nothing of what was said before`() async throws {
    let replayed = try await LiveLine.watch(
      dial(ScriptedWire([.replay("old "), .output("new"), .ended(status: nil)])))
    #expect(try await all(replayed) == [.output("new"), .ended(status: nil)])
    // Where nothing was said before, all is new.
    let fresh = try await LiveLine.watch(dial(ScriptedWire([.output("new"), .ended(status: nil)])))
    #expect(try await all(fresh) == [.output("new"), .ended(status: nil)])
  }

  @Test func `a server that breaks its protocol is not dialled again`() async throws {
    let breach = TerminalError.server(.malformed(address: "lab", detail: "a message is not UTF-8"))
    let line = line([ScriptedWire([.replay("$ ")], breach: breach), ScriptedWire([.replay("$ ")])])
    #expect(try await line.next() == .output("$ "))
    await #expect(throws: breach) { try await line.next() }
  }

  @Test func `who has left hears nothing more`() async throws {
    let line = line([ScriptedWire([.replay("$ "), .output("x")])])
    await line.leave()
    #expect(try await line.next() == nil)
  }
}

/// A connection that says what it was told to, and hangs up.
private final class ScriptedWire: TerminalWire {
  private struct State {
    var notices: [WireNotice]
    var typed = ""
    var sizes: [String] = []
  }

  let failure: TerminalError?
  private let breach: TerminalError?
  private let state: Locked<State>

  /// - Parameters:
  ///   - failure: why it does not come to stand.
  ///   - breach: what ends it, in the place of a hang-up.
  init(_ notices: [WireNotice], failure: TerminalError? = nil, breach: TerminalError? = nil) {
    self.failure = failure
    self.breach = breach
    state = Locked(State(notices: notices))
  }

  var typed: String { state.withLock { $0.typed } }
  var sizes: [String] { state.withLock { $0.sizes } }

  func next() async throws(TerminalError) -> WireNotice? {
    let notice = state.withLock { $0.notices.isEmpty ? nil : $0.notices.removeFirst() }
    if notice == nil, let breach { throw breach }
    return notice
  }

  func type(_ keys: [UInt8]) async throws(TerminalError) {
    state.withLock { $0.typed += String(decoding: keys, as: UTF8.self) }
  }

  func resize(columns: Int, rows: Int) async throws(TerminalError) {
    state.withLock { $0.sizes.append("\(columns)x\(rows)") }
  }

  func close() {}
}

extension WireNotice {
  fileprivate static func output(_ text: String) -> WireNotice { .output(Array(text.utf8)) }
  fileprivate static func replay(_ text: String) -> WireNotice { .replay(Array(text.utf8)) }
}

extension TerminalNotice {
  fileprivate static func output(_ text: String) -> TerminalNotice { .output(Array(text.utf8)) }
}

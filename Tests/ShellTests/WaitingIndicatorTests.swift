import Chat
import Foundation
import Testing
import Text

@testable import Shell

@Suite struct WaitingIndicatorTests {
  @Test func `it shows nothing at first, then what is waited for, the seconds, and how to stop`() async {
    let clock = HandClock()
    let terminal = StatusLine()
    let indicator = clock.indicator(on: terminal, for: "waiting for smol")
    await clock.pauses(1)
    #expect(terminal.shown.isEmpty)
    for (count, seconds) in [(2, 0.25), (3, 1.0), (4, 2.0)] {
      clock.advance(seconds)
      clock.wake()
      await clock.pauses(count)
    }
    #expect(
      terminal.shown == ["⠙ waiting for smol", "⠹ waiting for smol 1 s", "⠸ waiting for smol 3 s, Ctrl-C stops"])
    #expect(clock.asked == [0.25, 0.1, 0.1, 0.1])
    indicator.explain("asking again in 3 s", isTimed: true)
    #expect(terminal.shown.last == "⠋ asking again in 3 s, Ctrl-C stops")
    // Nobody counts on.
    clock.advance(2)
    clock.wake()
    await clock.pauses(5)
    #expect(terminal.shown.last == "⠙ waiting for smol 5 s, Ctrl-C stops")
    indicator.stop()
    clock.wake()
  }

  @Test func `a request is told of until its server has it`() async {
    let clock = HandClock()
    let terminal = StatusLine(columns: 60)
    let watch = TransferWatch()
    let indicator = clock.indicator(on: terminal, for: "waiting for smol", request: WatchedRequest(to: "box", watch))
    let phases: [TransferWatch.Phase] = [
      .connecting, .sending(10, of: 1000), .sending(2_000_000, of: 4_000_000), .sent,
    ]
    for (index, phase) in phases.enumerated() {
      await clock.pauses(index + 1)
      watch.note(phase)
      clock.wake()
    }
    await clock.pauses(5)
    #expect(
      terminal.shown == [
        "⠙ connecting to box", "⠹ waiting for smol", "⠸ sending 2.0 MB of 4.0 MB ███████████░░░░░░░░░░░░",
        "⠼ waiting for smol",
      ])
    indicator.stop()
    clock.wake()
  }

  @Test func `a bar fits, and gives way to its numbers`() {
    func bar(_ done: Int, _ columns: Int, signs: Bool = true) -> String {
      ProgressBar.bytes(done, of: 1000, columns: columns, showsSigns: signs).string
    }
    #expect(bar(0, 30).hasSuffix("░░░░░") && bar(1000, 30).hasSuffix("█████"))
    #expect(bar(500, 24, signs: false) == "500 bytes of 1 KB ###...")
    #expect(bar(500, 20) == "500 bytes of 1 KB")
  }

  @Test func `the hint needs room, and signs those of ASCII where there are no others`() async {
    let clock = HandClock()
    let terminal = StatusLine(columns: 30, showsSigns: false)
    let indicator = clock.indicator(on: terminal, for: "waiting for smol")
    await clock.pauses(1)
    clock.advance(3)
    clock.wake()
    await clock.pauses(2)
    #expect(terminal.shown == ["/ waiting for smol 3 s"])
    indicator.stop()
    clock.wake()
  }

  @Test func `where nothing is redrawn a long wait is stated once`() async throws {
    let clock = HandClock()
    let terminal = StatusLine(redraws: false)
    let indicator = clock.indicator(on: terminal, for: "waiting for smol")
    await clock.pauses(1)
    #expect(clock.asked == [4])
    clock.advance(4)
    clock.wake()
    await indicator.ticks?.value
    #expect(terminal.written == "waiting for smol\n")
    #expect(terminal.shown.isEmpty)
    #expect(clock.asked.count == 1)
  }

  @Test func `nothing is shown after the end`() async throws {
    let clock = HandClock()
    let terminal = StatusLine()
    let indicator = clock.indicator(on: terminal)
    let ticks = try #require(indicator.ticks)
    await clock.pauses(1)
    indicator.stop()
    clock.wake()
    await ticks.value
    indicator.explain("still loading")
    #expect(terminal.shown == [nil])
  }

  @Test func `an indicator that nobody stops ends with its owner`() async throws {
    let clock = HandClock()
    let terminal = StatusLine()
    var indicator: WaitingIndicator? = clock.indicator(on: terminal)
    let ticks = try #require(indicator?.ticks)
    await clock.pauses(1)
    indicator = nil
    clock.wake()
    await ticks.value
    #expect(terminal.shown.isEmpty)
    #expect(clock.asked.count == 1)
  }
}

extension HandClock {
  fileprivate func indicator(
    on terminal: StatusLine, for subject: SafeText = "waiting", request: WatchedRequest? = nil
  ) -> WaitingIndicator {
    WaitingIndicator(
      on: terminal, for: subject, request: request, uptime: { self.time }, pause: { await self.pause($0) })
  }
}

/// A terminal of which only the passing line is looked at.
// Sendable: all state is behind the lock.
private final class StatusLine: Terminal, @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String?] = []

  var shown: [String?] { lock.withLock { lines } }

  private var text = ""

  var written: String { lock.withLock { text } }

  let traits: TerminalTraits
  init(columns: Int = 80, showsSigns: Bool = true, redraws: Bool = true) {
    traits = TerminalTraits(
      outputIsTerminal: true, noticesAreTerminal: true, columns: columns, showsSigns: showsSigns, redraws: redraws)
  }

  var endingSignal: Int32? { nil }
  var outputFailure: String? { nil }

  func write(_ text: StyledText, to channel: Channel) { lock.withLock { self.text += text.string } }
  func status(_ text: StyledText?) { lock.withLock { lines.append(text?.string) } }
  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {}
  func run(
    _ command: ChildCommand, captureLimit: Int?
  ) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    throw .notStarted(program: "", reason: "no children")
  }
}

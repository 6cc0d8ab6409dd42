import Foundation
import Testing
import Text

@testable import Shell

@Suite struct WaitingIndicatorTests {
  @Test func `it shows nothing at first, then the seconds`() async {
    let clock = HandClock()
    let terminal = StatusLine()
    let indicator = clock.indicator(on: terminal)
    await clock.pauses(1)
    #expect(terminal.shown.isEmpty)
    clock.advance(0.25)
    clock.wake()
    await clock.pauses(2)
    #expect(terminal.shown == ["waiting"])
    clock.advance(2)
    clock.wake()
    await clock.pauses(3)
    #expect(terminal.shown == ["waiting", "waiting 2 s"])
    #expect(Set(clock.asked) == [0.25])
    indicator.stop()
    clock.wake()
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
  fileprivate func indicator(on terminal: StatusLine) -> WaitingIndicator {
    WaitingIndicator(on: terminal, uptime: { self.time }, pause: { await self.pause($0) })
  }
}

/// A terminal of which only the passing line is looked at.
// Sendable: all state is behind the lock.
private final class StatusLine: Terminal, @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String?] = []

  var shown: [String?] { lock.withLock { lines } }

  let traits = TerminalTraits(outputIsTerminal: true, noticesAreTerminal: true, columns: 80)
  var endingSignal: Int32? { nil }
  var outputFailure: String? { nil }

  func write(_ text: StyledText, to channel: Channel) {}
  func status(_ text: StyledText?) { lock.withLock { lines.append(text?.string) } }
  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {}
  func run(
    _ command: ChildCommand, captureLimit: Int?
  ) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    throw .notStarted(program: "", reason: "no children")
  }
}

import Chat
import Foundation
import Store
import Testing

@testable import Shell

@Suite struct AnswerSaverTests {
  @Test func `the first piece is saved at once, the next ones a second later together`() async {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.text("a"))
    #expect(clock.saved == ["a"])
    clock.advance(0.25)
    saver.grow(.text("b"))
    await clock.pauses(1)
    clock.advance(0.5)
    saver.grow(.text("c"))
    #expect(clock.saved == ["a"])
    // The timer of the first unsaved piece covers the second: the next save is due at one second.
    #expect(clock.asked == [0.75])
    clock.advance(0.25)
    await clock.end(after: 2)
    #expect(clock.saved == ["a", "abc"])
    saver.stop()
  }

  @Test func `a piece that comes a second after the last save is saved at once`() {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.text("a"))
    clock.advance(1)
    saver.grow(.text("b"))
    #expect(clock.saved == ["a", "ab"])
    #expect(clock.asked.isEmpty)
  }

  @Test func `a quick stream is saved once a second`() async {
    let clock = HandClock()
    let saver = clock.saver()
    for _ in 0..<41 {
      saver.grow(.text("x"))
      clock.advance(0.125)
    }
    #expect(clock.saved.count == 6)
    saver.stop()
    await clock.pauses(5)
    await clock.wake()
    #expect(clock.saved.count == 6)
  }

  @Test func `reasoning counts as growth, a notice does not`() {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.started(model: "m"))
    saver.grow(.usage(Usage()))
    #expect(clock.saved.isEmpty)
    saver.grow(.reasoning("hm"))
    #expect(clock.saved == ["(hm)"])
  }

  @Test func `nothing is saved after the end`() async {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.text("a"))
    saver.grow(.text("b"))
    await clock.pauses(1)
    saver.stop()
    await clock.wake()
    #expect(clock.saved == ["a"])
  }

  @Test func `going on saves the whole answer`() {
    let clock = HandClock()
    let saver = clock.saver(continuing: StoredAnswer(text: "One", status: .cutOff))
    saver.grow(.text(", two"))
    #expect(clock.saved == ["One, two"])
  }
}

/// A clock that goes on when the test says so; whoever pauses waits for the test.
// Sendable: all state is behind the lock.
private final class HandClock: @unchecked Sendable {
  private let lock = NSLock()
  private var now = 100.0
  private var saves: [String] = []
  private var waits: [Double] = []
  private var sleepers: [CheckedContinuation<Void, Never>] = []
  private var watchers: [(isDue: () -> Bool, watcher: CheckedContinuation<Void, Never>)] = []

  func saver(continuing earlier: StoredAnswer? = nil) -> AnswerSaver {
    AnswerSaver(
      continuing: earlier, uptime: { self.lock.withLock { self.now } },
      pause: { seconds in
        await withCheckedContinuation { sleeper in
          self.change {
            self.waits.append(seconds)
            self.sleepers.append(sleeper)
          }
        }
        try Task.checkCancellation()
      },
      save: { text, reasoning in self.change { self.saves.append(reasoning.isEmpty ? text : "(\(reasoning))\(text)") } }
    )
  }

  var saved: [String] { lock.withLock { saves } }
  var asked: [Double] { lock.withLock { waits } }

  func advance(_ seconds: Double) { lock.withLock { now += seconds } }

  /// Returns once so many pauses have begun.
  func pauses(_ count: Int) async { await until { self.waits.count >= count } }

  /// Ends the pauses.
  func wake() async {
    let sleepers = lock.withLock {
      defer { self.sleepers = [] }
      return self.sleepers
    }
    for sleeper in sleepers { sleeper.resume() }
  }

  /// Ends the pauses and returns once so many saves were made.
  func end(after count: Int) async {
    await wake()
    await until { self.saves.count >= count }
  }

  private func until(_ isDue: @escaping () -> Bool) async {
    await withCheckedContinuation { watcher in
      let isNow = lock.withLock {
        if !isDue() { watchers.append((isDue, watcher)) }
        return isDue()
      }
      if isNow { watcher.resume() }
    }
  }

  private func change(_ body: () -> Void) {
    let due = lock.withLock {
      body()
      let due = watchers.filter { $0.isDue() }
      watchers.removeAll { $0.isDue() }
      return due
    }
    for watcher in due { watcher.watcher.resume() }
  }
}

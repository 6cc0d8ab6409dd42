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
    var timers: Set<Task<Void, Never>> = []
    for _ in 0..<41 {
      saver.grow(.text("x"))
      clock.advance(0.125)
      if let timer = saver.pendingSave { timers.insert(timer) }
    }
    #expect(clock.saved.count == 6)
    saver.stop()
    await clock.pauses(5)
    clock.wake()
    for timer in timers { await timer.value }
    #expect(timers.count == 5)
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

  @Test func `nothing is saved after the end`() async throws {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.text("a"))
    saver.grow(.text("b"))
    await clock.pauses(1)
    let timer = try #require(saver.pendingSave)
    saver.stop()
    clock.wake()
    await timer.value
    #expect(clock.saved == ["a"])
  }

  @Test func `going on saves the whole answer`() {
    let clock = HandClock()
    let saver = clock.saver(continuing: StoredAnswer(text: "One", status: .cutOff))
    saver.grow(.text(", two"))
    #expect(clock.saved == ["One, two"])
  }
}

extension HandClock {
  fileprivate func saver(continuing earlier: StoredAnswer? = nil) -> AnswerSaver {
    AnswerSaver(
      continuing: earlier, uptime: { self.time }, pause: { try await self.pause($0) },
      save: { text, reasoning in self.save(reasoning.isEmpty ? text : "(\(reasoning))\(text)") })
  }
}

import Chat
import Foundation
import Store
import Testing

@testable import Shell

@Suite struct AnswerSaverTests {
  @Test func `the first pieces are saved a moment after the first, the next ones a second later together`() async {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.text("a"))
    await clock.pauses(1)
    clock.advance(0.125)
    saver.grow(.text("b"))
    #expect(clock.saved.isEmpty)
    clock.advance(0.125)
    await clock.end(after: 1)
    #expect(clock.saved == ["ab"])
    clock.advance(0.25)
    saver.grow(.text("c"))
    await clock.pauses(2)
    clock.advance(0.5)
    saver.grow(.text("d"))
    // The timer of the first unsaved piece covers the second: the next save is due a second after the one before.
    #expect(clock.asked == [0.25, 0.75])
    clock.advance(0.25)
    await clock.end(after: 2)
    #expect(clock.saved == ["ab", "abcd"])
    saver.stop()
  }

  @Test func `an answer that is done in a moment is not saved on its way`() async throws {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.text("a"))
    await clock.pauses(1)
    let timer = try #require(saver.pendingSave)
    saver.stop()
    clock.wake()
    await timer.value
    #expect(clock.saved.isEmpty)
  }

  @Test func `a piece that comes a second after the last save is saved at once`() {
    let clock = HandClock()
    let saver = clock.saver(begun: true)
    clock.advance(1)
    saver.grow(.text("b"))
    #expect(clock.saved == ["a", "ab"])
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
    #expect(clock.saved.count == 5)
    saver.stop()
    await clock.pauses(timers.count)
    clock.wake()
    for timer in timers { await timer.value }
    #expect(clock.saved.count == 5)
  }

  @Test func `reasoning counts as growth, a notice does not`() {
    let clock = HandClock()
    let saver = clock.saver()
    saver.grow(.started(model: "m"))
    saver.grow(.usage(Usage()))
    #expect(saver.pendingSave == nil)
    saver.grow(.reasoning("hm"))
    clock.advance(0.25)
    saver.grow(.reasoning("m"))
    #expect(clock.saved == ["(hmm)"])
  }

  @Test func `nothing is saved after the end`() async throws {
    let clock = HandClock()
    let saver = clock.saver(begun: true)
    saver.grow(.text("b"))
    await clock.pauses(2)
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
    clock.advance(0.25)
    saver.grow(.text(", three"))
    #expect(clock.saved == ["One, two, three"])
  }
}

extension HandClock {
  /// - Parameter begun: "a" has been saved, at this moment.
  fileprivate func saver(continuing earlier: StoredAnswer? = nil, begun: Bool = false) -> AnswerSaver {
    let saver = AnswerSaver(
      continuing: earlier, uptime: { self.time }, pause: { try await self.pause($0) },
      save: { text, reasoning in self.save(reasoning.isEmpty ? text : "(\(reasoning))\(text)") })
    if begun {
      saver.grow(.text("a"))
      advance(0.25)
      saver.grow(.text(""))
    }
    return saver
  }
}

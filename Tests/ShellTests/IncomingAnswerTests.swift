import Chat
import Foundation
import Store
import Testing

@testable import Shell

@Suite struct IncomingAnswerTests {
  @Test func `the first pieces are saved a moment after the first, the next ones a second later together`() async {
    let clock = HandClock()
    let answer = clock.answer()
    answer.absorb(.text("a"))
    await clock.pauses(1)
    clock.advance(0.125)
    answer.absorb(.text("b"))
    #expect(clock.saved.isEmpty)
    clock.advance(0.125)
    await clock.end(after: 1)
    #expect(clock.saved == ["ab"])
    clock.advance(0.25)
    answer.absorb(.text("c"))
    await clock.pauses(2)
    clock.advance(0.5)
    answer.absorb(.text("d"))
    // The timer of the first unsaved piece covers the second: the next save is due a second after the one before.
    #expect(clock.asked == [0.25, 0.75])
    clock.advance(0.25)
    await clock.end(after: 2)
    #expect(clock.saved == ["ab", "abcd"])
    #expect(answer.end().text == "abcd")
  }

  @Test func `an answer that is done in a moment is not saved on its way`() async throws {
    let clock = HandClock()
    let answer = clock.answer()
    answer.absorb(.text("a"))
    await clock.pauses(1)
    let timer = try #require(answer.pendingSave)
    #expect(answer.end().text == "a")
    clock.wake()
    await timer.value
    #expect(clock.saved.isEmpty)
  }

  @Test func `a piece that comes a second after the last save is saved at once`() {
    let clock = HandClock()
    let answer = clock.answer(begun: true)
    clock.advance(1)
    answer.absorb(.text("b"))
    #expect(clock.saved == ["a", "ab"])
  }

  @Test func `a quick stream is saved once a second`() async {
    let clock = HandClock()
    let answer = clock.answer()
    var timers: Set<Task<Void, Never>> = []
    for _ in 0..<41 {
      answer.absorb(.text("x"))
      clock.advance(0.125)
      if let timer = answer.pendingSave { timers.insert(timer) }
    }
    #expect(clock.saved.count == 5)
    #expect(answer.end().text == String(repeating: "x", count: 41))
    await clock.pauses(timers.count)
    clock.wake()
    for timer in timers { await timer.value }
    #expect(clock.saved.count == 5)
  }

  @Test func `reasoning counts as growth, a notice does not`() {
    let clock = HandClock()
    let answer = clock.answer()
    answer.absorb(.started(model: "m"))
    answer.absorb(.usage(Usage()))
    #expect(answer.pendingSave == nil)
    answer.absorb(.reasoning("hm"))
    clock.advance(0.25)
    answer.absorb(.reasoning("m"))
    #expect(clock.saved == ["(hmm)"])
  }

  @Test func `nothing is saved after the end`() async throws {
    let clock = HandClock()
    let answer = clock.answer(begun: true)
    answer.absorb(.text("b"))
    await clock.pauses(2)
    let timer = try #require(answer.pendingSave)
    #expect(answer.end().text == "ab")
    clock.wake()
    await timer.value
    #expect(clock.saved == ["a"])
  }

  @Test func `an answer that is kept nowhere is folded all the same`() {
    let answer = IncomingAnswer(GrowingAnswer(began: 0), uptime: { 0 }, pause: { _ in }, save: nil)
    answer.absorb(.text("a"))
    #expect(answer.pendingSave == nil)
    #expect(answer.end().text == "a")
  }

  @Test func `going on saves the whole answer`() {
    let clock = HandClock()
    let answer = clock.answer(continuing: StoredAnswer(text: "One", status: .cutOff))
    answer.absorb(.text(", two"))
    clock.advance(0.25)
    answer.absorb(.text(", three"))
    #expect(clock.saved == ["One, two, three"])
  }
}

extension HandClock {
  /// - Parameter begun: "a" has been saved, at this moment.
  fileprivate func answer(continuing earlier: StoredAnswer? = nil, begun: Bool = false) -> IncomingAnswer {
    let answer = IncomingAnswer(
      GrowingAnswer(began: time, continuing: earlier), uptime: { self.time }, pause: { await self.pause($0) },
      save: { text, reasoning in self.save(reasoning.isEmpty ? text : "(\(reasoning))\(text)") })
    if begun {
      answer.absorb(.text("a"))
      advance(0.25)
      answer.absorb(.text(""))
    }
    return answer
  }
}

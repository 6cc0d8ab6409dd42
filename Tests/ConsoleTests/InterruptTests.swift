import Foundation
import Shell
import Testing

@testable import Console

/// Which Ctrl-C stops what, counted from a clock that the test moves.
struct InterruptTests {
  @Test(arguments: [(0.5, true), (1.0, false)])
  func `a person's second Ctrl-C is told too, and the third in a row leaves`(_ seconds: Double, _ leaves: Bool) {
    var interrupts = Interrupts(isInteractive: true)
    let now = ContinuousClock.now
    _ = interrupts.set({ _ in }, at: now)
    for press in 0..<2 {
      guard case .act = interrupts.press(at: now + .seconds(Double(press) * seconds)) else {
        Issue.record("the action was not told")
        return
      }
    }
    let hasLeft = interrupts.press(at: now + .seconds(2 * seconds)).isLeaving
    #expect(hasLeft == leaves)
  }

  @Test func `a signal to the process and then to its group is one`() {
    var interrupts = Interrupts(isInteractive: false)
    let now = ContinuousClock.now
    _ = interrupts.set({ _ in }, at: now)
    _ = interrupts.press(at: now)
    let leavesAtOnce = interrupts.press(at: now + .milliseconds(50)).isLeaving
    #expect(!leavesAtOnce)
    let hasLeft = interrupts.press(at: now + .milliseconds(150)).isLeaving
    #expect(hasLeft)

    let scene = Scene()
    scene.begin()
    scene.loop.receive(SIGTERM)
    scene.wait(0.5)
    scene.loop.receive(SIGTERM)
    #expect(scene.told == [.end(signal: SIGTERM)])
  }

  @Test func `the interrupt of a child that has just ended is nobody's`() {
    var interrupts = Interrupts(isInteractive: true)
    let now = ContinuousClock.now
    interrupts.endChild(at: now)
    #expect(interrupts.isOfChild(at: now + .milliseconds(900)))
    #expect(!interrupts.isOfChild(at: now + .milliseconds(1100)))
    _ = interrupts.press(at: now + .milliseconds(10))
    let reachesNextAnswer = interrupts.set({ _ in }, at: now + .milliseconds(20))
    #expect(!reachesNextAnswer)
    guard case .act = interrupts.press(at: now + .milliseconds(30)) else {
      Issue.record("an answer that is being written is stopped all the same")
      return
    }
  }

  @Test func `Ctrl-C is counted for each action by itself`() {
    var interrupts = Interrupts(isInteractive: true)
    let now = ContinuousClock.now
    for _ in 0..<3 {
      _ = interrupts.set({ _ in }, at: now)
      let leavesAtOnce = interrupts.press(at: now).isLeaving
      #expect(!leavesAtOnce)
      _ = interrupts.set(nil, at: now)
    }
  }

  @Test func `without an action Ctrl-C ends a run that nobody sits at`() {
    var interrupts = Interrupts(isInteractive: false)
    let leaves = interrupts.press(at: .now).isLeaving
    #expect(leaves)
  }

  @Test func `Ctrl-C before the answer stops the answer that begins, once`() {
    let scene = Scene()
    scene.loop.receive(SIGINT)
    scene.wait(0.5)
    scene.begin()
    #expect(scene.told == [.interrupt])
    scene.loop.whenInterrupted(nil)
    scene.begin()
    #expect(scene.told == [.interrupt])
  }

  @Test func `Ctrl-C long before the answer is forgotten`() {
    let scene = Scene()
    scene.loop.receive(SIGINT)
    scene.wait(1)
    scene.begin()
    #expect(scene.told.isEmpty)
    scene.loop.receive(SIGINT)
    #expect(scene.told == [.interrupt])
  }

  @Test(arguments: [true, false])
  func `Ctrl-C while nothing could be stopped answers the question that comes, and is nothing to the prompt`(
    _ isQuestion: Bool
  ) {
    var interrupts = Interrupts(isInteractive: true)
    _ = interrupts.set({ _ in }, at: .now)
    _ = interrupts.set(nil, at: .now)
    _ = interrupts.press(at: .now)
    let isAnswered = interrupts.takeWaiting(isForQuestion: isQuestion)
    #expect(isAnswered == isQuestion)
    let isAnsweredAgain = interrupts.takeWaiting(isForQuestion: true)
    #expect(!isAnsweredAgain)
  }

  @Test func `Ctrl-C that waited counts as the first of three`() {
    var interrupts = Interrupts(isInteractive: true)
    let now = ContinuousClock.now
    let leavesAtOnce = interrupts.press(at: now).isLeaving
    #expect(!leavesAtOnce)
    let hasWaited = interrupts.set({ _ in }, at: now + .seconds(0.25))
    #expect(hasWaited)
    guard case .act = interrupts.press(at: now + .seconds(0.5)) else {
      Issue.record("the action was not told")
      return
    }
    let leaves = interrupts.press(at: now + .seconds(0.75)).isLeaving
    #expect(leaves)
  }

  @Test func `an ending signal before the answer reaches the answer`() {
    let scene = Scene()
    scene.loop.receive(SIGTERM)
    scene.begin()
    #expect(scene.told == [.end(signal: SIGTERM)])
  }
}

extension Interrupts.Effect {
  fileprivate var isLeaving: Bool { if case .leave = self { true } else { false } }
}

/// A loop without its thread, at a time of the test's own.
// Sendable: the state is behind the lock.
private final class Scene: @unchecked Sendable {
  private let lock = NSLock()
  private var now = ContinuousClock.now
  private var interruptions: [Interruption] = []
  private(set) lazy var loop = ConsoleLoop(ConsoleOptions(isInteractive: true)) { [unowned self] in
    lock.withLock { now }
  }

  var told: [Interruption] { lock.withLock { interruptions } }

  func wait(_ seconds: Double) { lock.withLock { now += .seconds(seconds) } }

  func begin() {
    loop.whenInterrupted { [unowned self] interruption in lock.withLock { interruptions.append(interruption) } }
  }
}

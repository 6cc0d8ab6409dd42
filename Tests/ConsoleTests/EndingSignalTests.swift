import Foundation
import Testing

@testable import Console

@Suite struct EndingSignalTests {
  private let start = ContinuousClock.now

  @Test func `the first is a wish, one within a second the same, a later one another`() {
    var ending = EndingSignal()
    #expect(ending.note(SIGTERM, at: start) == .first)
    #expect(ending.note(SIGTERM, at: start + .milliseconds(900)) == .same)
    #expect(ending.note(SIGTERM, at: start + .seconds(2)) == .again)
    #expect(ending.signal == SIGTERM)
  }

  @Test func `a reader that went is nobody's wish`() {
    var ending = EndingSignal()
    ending.note(SIGPIPE)
    #expect(ending.note(SIGTERM, at: start) == .first)
    #expect(ending.signal == SIGPIPE)
  }
}

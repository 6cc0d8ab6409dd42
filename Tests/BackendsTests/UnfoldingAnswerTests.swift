import Chat
import Testing

@testable import Backends

@Suite struct UnfoldingAnswerTests {
  @Test func `what breaks off has no end, and is not asked again`() async throws {
    let answer = Answer(from: 0) { count in
      count += 1
      return count == 2 ? nil : .text("\(count)")
    }
    var iterator = answer.makeAsyncIterator()
    #expect(try await iterator.next() == .text("1"))
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func `an error ends it, and is thrown once`() async throws {
    let answer = Answer(from: ()) { _ throws(BackendError) in throw .failed(message: "out of memory") }
    var iterator = answer.makeAsyncIterator()
    await #expect(throws: BackendError.failed(message: "out of memory")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `stopping it ends what it waits for`() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (never, hold) = AsyncStream.makeStream(of: Void.self)
    let answer = Answer(from: ()) { _ in
      begin.finish()
      for await _ in never {}
      return .text("too late")
    }
    async let outcome = Outcome(of: answer)
    for await _ in begun {}
    answer.stop()
    #expect(await outcome.error == .cancelled)
    #expect(await outcome.text.isEmpty)
    hold.finish()
  }
}

import Testing

@testable import Waiting

@Suite struct WithinTests {
  private struct Refusal: Error {}
  private static let never: @Sendable (Double) async -> Void = { _ in
    let (stream, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
  }

  @Test func `what comes in time is what comes`() async {
    let found = await within(5, pause: Self.never) { () throws(Never) in 7 }
    #expect(found == 7)
  }

  @Test func `a failure in time is a failure`() async {
    await #expect(throws: Refusal.self) {
      _ = try await within(5, pause: Self.never) { () throws(Refusal) -> Int in throw Refusal() }
    }
  }

  @Test func `what comes later is cancelled, and over`() async {
    let wasCancelled = Locked(false)
    let found = await within(5, pause: { _ in }) { () async throws(Never) -> Int in
      await Self.never(0)
      wasCancelled.withLock { $0 = Task.isCancelled }
      return 7
    }
    #expect(found == nil)
    #expect(wasCancelled.withLock { $0 })
  }
}

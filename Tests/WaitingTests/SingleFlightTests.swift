import Testing

@testable import Waiting

@Suite struct SingleFlightTests {
  /// A run that ends when the test says so.
  private struct Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() { (stream, end) = AsyncStream.makeStream() }

    func pass() async { for await _ in stream {} }
    func open() { end.finish() }
  }

  @Test func `who asks while it runs gets the same outcome, and who asks later begins anew`() async {
    let flight = SingleFlight<Int>()
    let gate = Gate()
    let runs = Locked(0)
    let begin: @Sendable () async -> Int = {
      await gate.pass()
      return runs.withLock { count in
        count += 1
        return count
      }
    }
    async let first = flight.outcome(of: begin)
    while !flight.isUnderWay { await Task.yield() }
    async let second = flight.outcome(of: { 100 })
    while flight.waiting < 2 { await Task.yield() }
    gate.open()
    #expect(await first == 1)
    #expect(await second == 1)
    while flight.isUnderWay { await Task.yield() }
    #expect(await flight.outcome(of: begin) == 2)
  }

  @Test func `who gives up leaves the run to the others`() async {
    let flight = SingleFlight<Int>()
    let gate = Gate()
    async let kept = flight.outcome(of: {
      await gate.pass()
      return 7
    })
    while !flight.isUnderWay { await Task.yield() }
    let impatient = Task { await flight.outcome(of: { 8 }) }
    impatient.cancel()
    #expect(await impatient.value == nil)
    #expect(flight.isUnderWay)
    gate.open()
    #expect(await kept == 7)
    await flight.finish()
  }

  @Test func `a run that is cancelled is over when that is said`() async {
    let flight = SingleFlight<Bool>()
    let gate = Gate()
    async let outcome = flight.outcome(of: {
      await gate.pass()
      return Task.isCancelled
    })
    while !flight.isUnderWay { await Task.yield() }
    await flight.cancel()
    #expect(await outcome == true)
    #expect(!flight.isUnderWay)
  }
}

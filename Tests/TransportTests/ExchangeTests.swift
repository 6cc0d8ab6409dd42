import Testing

@testable import Transport

@Suite struct ExchangeTests {
  // Its loop is never started: these tests are the loop.
  private let exchange = Exchange(
    HTTPRequest("GET", "http://127.0.0.1/"),
    on: CurlLoop(
      CurlLoop.Settings(proxy: ProxySettings(), userAgent: "test", trust: SystemTrust(), systemAuthorities: nil)))

  private func receive(_ text: String) -> Int {
    var bytes = Array(text.utf8)
    defer { #expect(bytes.isEmpty) }
    return exchange.receive(&bytes)
  }

  @Test func `what came before the end is read before the error`() async throws {
    exchange.receive(ResponseHead(status: 200, headers: []))
    #expect(receive("one ") == 4)
    #expect(receive("two") == 7)
    exchange.finish(.failure(.closedEarly("gone")))
    #expect(try await exchange.waitForHead().status == 200)
    #expect(try await exchange.next(timeout: nil) == Array("one two".utf8))
    #expect(
      await failure { () async throws(TransportError) in try await exchange.next(timeout: nil) } == .closedEarly("gone")
    )
  }

  @Test func `a cancel after the end takes nothing away`() async throws {
    _ = receive("one")
    exchange.finish(.success(()))
    exchange.cancel()
    #expect(try await exchange.next(timeout: nil) == Array("one".utf8))
    #expect(try await exchange.next(timeout: nil) == nil)
  }

  @Test func `a cancel before the end leaves nothing to read`() async throws {
    _ = receive("one")
    exchange.cancel()
    #expect(!exchange.finish(.success(())))
    #expect(receive("two") == 0)
    #expect(await failure { () async throws(TransportError) in try await exchange.next(timeout: nil) } == .cancelled)
  }

  @Test func `it pauses at the limit, unread and pending bytes together, until it is read`() async throws {
    _ = receive("0123456789")
    #expect(!exchange.pauses(with: Exchange.pauseLimit - 11))
    #expect(exchange.pauses(with: Exchange.pauseLimit - 10))
    _ = try await exchange.next(timeout: nil)
    #expect(!exchange.pauses(with: Exchange.pauseLimit - 10))
  }

  @Test func `the wait for the headers ends at its time and not before, and never when there is none`() throws {
    let (isEnded, deadline) = exchange.expire(at: .now)
    #expect(!isEnded)
    let due = try #require(deadline)
    #expect(exchange.expire(at: due - .milliseconds(1)).isEnded == false)
    #expect(exchange.expire(at: due).isEnded)

    var patient = exchange.request
    patient.headersTimeout = nil
    let other = Exchange(
      patient,
      on: CurlLoop(
        CurlLoop.Settings(proxy: ProxySettings(), userAgent: "test", trust: SystemTrust(), systemAuthorities: nil)))
    #expect(other.expire(at: .now + .seconds(1_000_000)) == (false, nil))
  }
}

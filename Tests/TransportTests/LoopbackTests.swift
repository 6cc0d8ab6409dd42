import Foundation
import Testing

@testable import Transport

struct LoopbackTests {
  private let http = CurlHTTP(proxy: ProxySettings(environment: [:]), version: "test")

  private func ask(
    _ listener: LoopbackListener, _ path: String, method: String = "GET", host: String? = nil
  ) async throws -> (status: Int, page: String) {
    var request = HTTPRequest(method, "http://127.0.0.1:\(listener.port)\(path)", headersTimeout: nil)
    if let host { request.headers.append((name: "Host", value: host)) }
    let response = try await http.send(request)
    return (response.status, String(decoding: try await response.body.readAll(timeout: nil), as: UTF8.self))
  }

  private func wait(_ listener: LoopbackListener, seconds: Double = 60) async -> LoopbackListener.End {
    await listener.wait(path: "/callback", seconds: seconds, isExpected: { $0.hasSuffix("state=right") })
  }

  @Test func `only the request that is expected ends the wait`() async throws {
    let listener = try LoopbackListener()
    async let end = wait(listener)
    for path in ["/", "/favicon.ico", "/callback", "/callback?state=wrong", "/callback/x?state=right"] {
      #expect(try await ask(listener, path).status == 404)
    }
    #expect(try await ask(listener, "/callback?state=right", method: "POST").status == 404)
    #expect(try await ask(listener, "/callback?state=right", host: "evil.example").status == 404)
    let (status, page) = try await ask(listener, "/callback?code=1&state=right")
    #expect(status == 200 && page.contains("go back to the terminal"))
    #expect(await end == .came(query: "code=1&state=right"))
  }

  @Test func `connections that say nothing, too much or the half of it hold nobody up`() async throws {
    let listener = try LoopbackListener()
    async let end = wait(listener)
    var silent: [Client] = []
    for _ in 0..<40 { silent.append(try Client(listener.port)) }
    silent[39].send("GET /callback?state=right HTTP/1.1\r\nHost: 127")
    let loud = try Client(listener.port)
    loud.send(String(repeating: "x", count: 20 << 10))
    #expect(try await ask(listener, "/callback?state=right").status == 200)
    #expect(await end == .came(query: "state=right"))
  }

  @Test func `a request may come in pieces`() async throws {
    let listener = try LoopbackListener()
    async let end = wait(listener)
    let client = try Client(listener.port)
    for piece in ["GET /callback?st", "ate=right HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r", "\n\r", "\n"] {
      client.send(piece)
    }
    #expect(await end == .came(query: "state=right"))
  }

  @Test func `the wait ends in time, or when it is cancelled`() async throws {
    let listener = try LoopbackListener()
    #expect(await wait(listener, seconds: 0.05) == .timedOut)
    let waiting = Task { await wait(listener) }
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
  }

  @Test func `each listener has a port of its own, on this machine only`() throws {
    let (one, other) = (try LoopbackListener(), try LoopbackListener())
    #expect(one.port != other.port)
    // Every address of 127/8 reaches a socket that listens everywhere.
    #expect(throws: Client.Failure.self) { try Client(one.port, at: 0x7F00_0002) }
  }
}

/// A connection to this machine, closed with the object.
private final class Client {
  struct Failure: Error {}

  private let descriptor: Int32

  init(_ port: Int, at host: UInt32 = 0x7F00_0001) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = host.bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure() }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
  }
}

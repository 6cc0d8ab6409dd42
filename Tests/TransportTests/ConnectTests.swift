import Glibc
import Testing

@testable import Transport

@Suite struct ConnectTests {
  private let http = CurlHTTP(proxy: ProxySettings(), version: "0")

  @Test func `a port where nobody listens refuses`() async throws {
    let port = try Listener(backlog: 1).port  // closed again by now
    let error = await failure { () async throws(TransportError) in
      try await http.send(HTTPRequest("GET", "http://127.0.0.1:\(port)/"))
    }
    #expect(error == .refused)
  }

  @Test func `a name that cannot be is unknown`() async throws {
    let error = await failure { () async throws(TransportError) in
      try await http.send(HTTPRequest("GET", "http://a..b/"))
    }
    #expect(error == .unknownHost("a..b"))
  }

  @Test func `a connection that does not stand in time is given up`() async throws {
    let listener = try Listener(backlog: 0)
    listener.fill()
    let error = await failure { () async throws(TransportError) in
      try await http.send(HTTPRequest("GET", "http://127.0.0.1:\(listener.port)/", connectTimeout: 0.2))
    }
    #expect(error == .connectTimeout)
  }

  @Test func `a look at a server that never answers ends in time`() async throws {
    let listener = try Listener(backlog: 8)
    let look = await http.inspect("https://127.0.0.1:\(listener.port)/", connectTimeout: 0.2)
    #expect(look.failure == .other("time-out"))
    #expect(look.certificate == nil)
  }

  @Test func `a look that is cancelled ends`() async throws {
    let listener = try Listener(backlog: 8)
    let url = "https://127.0.0.1:\(listener.port)/"
    let looking = Task { await http.inspect(url, connectTimeout: 600) }
    looking.cancel()
    #expect(await looking.value.failure == .other("cancelled"))
  }

  @Test(arguments: [
    "http://user:secret@127.0.0.1/", "http://user@127.0.0.1/", "ftp://127.0.0.1/", "file:///etc/passwd",
    "127.0.0.1/v1", "http://", "http://127.0.0.1:port/", "http://127.0.0.1:99999/", "", "http://a b/", "http://a\0b/",
  ])
  func `an address that is no plain http address is a bad request`(url: String) async {
    let error = await failure { () async throws(TransportError) in try await http.send(HTTPRequest("GET", url)) }
    #expect(error?.isBadRequest == true)
    #expect(!"\(String(describing: error))".contains("secret"))
  }

  @Test(arguments: [
    ("X-Key", "a\r\nX-Other: b"), ("X-Key", "a\nb"), ("X-Key", "a\0b"), ("X Key", "a"), ("", "a"), ("X-Key:", "a"),
    ("X-Key\r\n", "a"),
  ])
  func `a header that would be read as something else is a bad request`(name: String, value: String) async {
    let request = HTTPRequest("GET", "http://127.0.0.1:1/", headers: [(name, value)])
    #expect(await failure { () async throws(TransportError) in try await http.send(request) }?.isBadRequest == true)
  }

  @Test func `a method that is no word is a bad request`() async {
    let request = HTTPRequest("GET / HTTP/1.1\r\nX: ", "http://127.0.0.1:1/")
    #expect(await failure { () async throws(TransportError) in try await http.send(request) }?.isBadRequest == true)
  }

  @Test func `a task that was cancelled before it asked gets cancelled`() async {
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () async throws(TransportError) in
        try await http.send(HTTPRequest("GET", "http://127.0.0.1:1/"))
      }
    }
    #expect(await asking.value == .cancelled)
  }
}

/// A listening socket on loopback that nobody accepts from.
private final class Listener {
  let port: UInt16
  private let socket: Int32
  private var clients: [Int32] = []

  init(backlog: Int32) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = socket
    let code = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      guard bind(descriptor, address, size) == 0, listen(descriptor, backlog) == 0 else { return -1 }
      return getsockname(descriptor, address, &size)
    }
    try #require(code == 0)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit {
    for client in clients { close(client) }
    close(socket)
  }

  /// Takes every place in the queue: a further connection is left without an answer.
  func fill() {
    for _ in 1...4 {
      let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      var address = Self.loopback(port: port)
      withUnsafeBytes(of: &address) { bytes in
        guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
        _ = connect(client, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
      clients.append(client)
    }
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return address
  }
}

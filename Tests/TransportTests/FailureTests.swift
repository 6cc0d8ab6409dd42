import Foundation
import TestSupport
import Testing

@testable import Transport

extension WithServer {
  @Suite struct FailureTests {
    @Test(arguments: ["drop", "reset"])
    func `a stream that breaks off gives all that came, then says so`(name: String) async throws {
      let body = try await Scene(name).ask().body
      let (text, error) = await body.readToEnd()
      #expect(text.contains("three"))
      #expect(error?.isClosedEarly == true)
      #expect(await failure { () async throws(TransportError) in try await body.next(timeout: 60) } == error)
    }

    @Test func `a body shorter than its length is closed early`() async throws {
      let (text, error) = try await Scene("short").ask().body.readToEnd()
      #expect(text == "0123456789")
      #expect(error?.isClosedEarly == true)
    }

    @Test func `a connection that ends before the status is closed early`() async throws {
      let scene = try Scene("drop-headers")
      let error = await failure { () async throws(TransportError) in try await scene.ask() }
      #expect(error?.isClosedEarly == true)
    }

    @Test(arguments: ["silent", "hang-headers"])
    func `headers that do not come in time end the request and the connection`(name: String) async throws {
      let scene = try Scene(name)
      let error = await failure { () async throws(TransportError) in try await scene.ask { $0.headersTimeout = 0.1 } }
      #expect(error == .headersTimeout)
      #expect(try await scene.clientIsGone())
    }

    @Test func `a stream goes on when connections are forgotten`() async throws {
      let scene = try Scene("slow")
      let body = try await scene.ask().body
      scene.http.forgetConnections()
      let (first, other) = (try await body.next(timeout: 60), try await scene.get().status)
      #expect(first != nil)
      #expect(other == 200)
      scene.http.forgetConnections()
      #expect(try await body.next(timeout: 60) != nil)
      body.cancel()
      #expect(try await scene.clientIsGone())
    }

    @Test func `a stream that stalls ends the read in time and closes the connection`() async throws {
      let scene = try Scene("stall")
      let body = try await scene.ask().body
      var text = ""
      while !text.contains("three"), let more = try await body.next(timeout: 60) {
        text += String(decoding: more, as: UTF8.self)
      }
      let error = await failure { () async throws(TransportError) in
        while try await body.next(timeout: 0.2) != nil {}  // timed: nothing more ever comes
      }
      #expect(text.contains("three"))
      #expect(error == .readTimeout)
      #expect(try await scene.clientIsGone())
    }

    @Test func `a stream that drips cannot outlast the time for a whole body`() async throws {
      let scene = try Scene("slow")
      let body = try await scene.ask().body
      // The whole takes ten seconds.
      let error = await failure { () async throws(TransportError) in
        try await body.readAll(timeout: 0.5)  // timed: far less than it takes, however slow the machine
      }
      #expect(error == .readTimeout)
      #expect(try await scene.clientIsGone())
    }

    @Test func `a task that is cancelled while it waits for the status closes the connection`() async throws {
      let scene = try Scene("silent")
      let asking = Task { await failure { () async throws(TransportError) in try await scene.ask() } }
      #expect(try await scene.requestIsSeen())
      asking.cancel()
      #expect(await asking.value == .cancelled)
      #expect(try await scene.clientIsGone())
    }

    @Test func `a task that is cancelled while it reads closes the connection`() async throws {
      let scene = try Scene("stall")
      let body = try await scene.ask().body
      let reading = Task { await body.readToEnd() }
      reading.cancel()
      #expect(await reading.value.error == .cancelled)
      #expect(try await scene.clientIsGone())
    }

    @Test func `a reader that waits is told of a cancel`() async throws {
      let scene = try Scene("stall")
      let body = try await scene.ask().body
      async let end = body.readToEnd()
      body.cancel()
      #expect(await end.error == .cancelled)
      #expect(try await scene.clientIsGone())
    }

    @Test func `a body that is dropped unread closes the connection`() async throws {
      let scene = try Scene("stall")
      _ = try await scene.ask()
      #expect(try await scene.clientIsGone())
    }

    @Test func `a body over the limit is refused, and one of just that size is not`() async throws {
      let scene = try Scene("blob", argument: "1000")
      #expect(try await scene.get { $0.bodyLimit = 1000 }.body.readAll(timeout: 60).count == 1000)
      let body = try await scene.get { $0.bodyLimit = 999 }.body
      #expect(await body.readToEnd().error == .tooLarge(limit: 999))
    }

    @Test func `a decompression bomb is stopped at the limit`() async throws {
      let (text, error) = try await Scene("bomb").get { $0.bodyLimit = 4 << 20 }.body.readToEnd()
      #expect(error == .tooLarge(limit: 4 << 20))
      #expect(text.utf8.count <= 4 << 20)
    }

    @Test(arguments: ["big-headers", "long-header"])
    func `headers without end are refused`(name: String) async throws {
      let scene = try Scene(name)
      let error = await failure { () async throws(TransportError) in try await scene.get() }
      #expect(error == .tooLarge(limit: 256 << 10))
    }

    @Test func `a body that is not what its encoding says fails`() async throws {
      #expect(try await Scene("bad-gzip").get().body.readToEnd().error == .badEncoding)
    }

    @Test func `a peer that does not speak HTTP fails`() async throws {
      let scene = try Scene("not-http")
      #expect(await failure { () async throws(TransportError) in try await scene.get() } == .notHTTP)
    }

    @Test func `https to a server that speaks http is a failure of TLS`() async throws {
      let scene = try Scene("ok")
      let url = scene.models.replacingOccurrences(of: "http:", with: "https:")
      let error = await failure { () async throws(TransportError) in
        try await scene.http.send(HTTPRequest("GET", url))
      }
      #expect(error?.isTLS == true)
    }
  }
}

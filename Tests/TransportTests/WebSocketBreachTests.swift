import TestSupport
import Testing

@testable import Transport

extension WithWebSockets {
  @Suite struct WebSocketBreachTests {
    @Test(arguments: [
      ("utf8", "a message is not UTF-8", "1007"), ("utf8-cut", "a message is not UTF-8", "1007"),
      ("utf8-surrogate", "a message is not UTF-8", "1007"), ("masked", protocolBreach, "1002"),
      ("unknown", protocolBreach, "1002"), ("unknown-control", protocolBreach, "1002"),
      ("reserved", protocolBreach, "1002"), ("split-ping", protocolBreach, "0"), ("long-ping", protocolBreach, "0"),
      ("continuation", protocolBreach, "1002"), ("nested", protocolBreach, "1002"),
      ("oversize", "a message is larger than 64 MiB", "1009"),
      ("oversize-fragments", "a message is larger than 64 MiB", "1009"),
      ("endless", "a message is larger than 64 MiB", "1009"), ("close-code", protocolBreach, "1002"),
    ])
    func `what no server may send ends it, and what came before is read`(
      kind: String, words: String, code: String
    ) async throws {
      let scene = try SocketScene("broken/\(kind)")
      let socket = try await scene.open()
      #expect(try await socket.text() == "before")
      for _ in 1...2 {
        let error = await failure { () async throws(TransportError) in try await socket.text() }
        #expect(error == .breach(words))
      }
      #expect(await failure { () async throws(TransportError) in try await socket.send("a") } == .breach(words))
      #expect(try await scene.sees("close", [code]))
      #expect(try await scene.sees("gone", [""]))
    }

    private static let protocolBreach = "a frame breaks the WebSocket protocol"

    @Test(arguments: ["frame", "between"])
    func `a connection that ends without a goodbye is told`(kind: String) async throws {
      let socket = try await SocketScene("cut/\(kind)").open()
      let (texts, error) = await socket.readToEnd()
      #expect(texts == ["before"])
      #expect(error == .closedEarly("the connection ended without a goodbye"))
    }

    @Test func `a connection that is reset is told, to those who send too`() async throws {
      let socket = try await SocketScene("cut/reset").open()
      #expect(try await socket.text() == "before")
      try await socket.send("go")
      #expect(await socket.readToEnd().error?.isClosedEarly == true)
      #expect(await failure { () async throws(TransportError) in try await socket.send("a") }?.isClosedEarly == true)
    }

    @Test func `a server that says nothing is asked, and then lost`() async throws {
      let scene = try SocketScene("mute")
      let socket = try await scene.open(silence: Silence.Limits(0.3))
      #expect(await failure { () async throws(TransportError) in try await socket.text() } == .readTimeout)
      #expect(await failure { () async throws(TransportError) in try await socket.text() } == .readTimeout)
      #expect(try await scene.sees("ping", [""]))
      #expect(try await scene.sees("gone", [""]))
    }

    @Test func `a server is asked and lost when nobody reads`() async throws {
      let scene = try SocketScene("mute")
      let socket = try await scene.open(silence: Silence.Limits(0.3))
      #expect(try await scene.sees("gone", [""]))
      #expect(try scene.seen("ping") == [""])
      #expect(await failure { () async throws(TransportError) in try await socket.text() } == .readTimeout)
    }

    @Test func `a server that only answers pings is there`() async throws {
      let scene = try SocketScene("alive")
      let socket = try await scene.open(silence: Silence.Limits(asking: 0.1, answering: 600))
      #expect(try await socket.text() == "still here")
      #expect(try scene.seen("ping").count >= 3)
    }
  }
}

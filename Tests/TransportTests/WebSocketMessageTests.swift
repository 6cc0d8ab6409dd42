import TestSupport
import Testing

@testable import Transport

extension WithWebSockets {
  @Suite struct WebSocketMessageTests {
    @Test func `a message comes back as it went`() async throws {
      let scene = try SocketScene("echo")
      let socket = try await scene.open()
      for text in ["", "a", "grüße, 世界 👋", String(repeating: "x", count: 125), String(repeating: "y", count: 65536)] {
        try await socket.send(text)
        #expect(try await socket.text() == text)
      }
      #expect(try scene.seen("unmasked").isEmpty)
    }

    @Test func `a message of a mebibyte comes back as it went`() async throws {
      var numbers = SeededNumbers(seed: 7)
      let message = (0..<1 << 20).map { _ in UInt8(32 + numbers.below(95)) }
      let socket = try await SocketScene("echo").open()
      try await socket.send(message)
      #expect(try await socket.receive() == message)
    }

    @Test func `fragments are one message, whatever comes between`() async throws {
      let scene = try SocketScene("fragments")
      let socket = try await scene.open()
      #expect(try await socket.text() == "one message")
      #expect(try await scene.sees("pong", ["between"]))
    }

    @Test func `many messages keep their order, both ways`() async throws {
      let scene = try SocketScene("many")
      let socket = try await scene.open()
      for number in 0..<1000 { #expect(try await socket.text() == String(number)) }
      // Nobody reads meanwhile.
      for number in 0..<2000 { try await socket.send("\(number) \(String(repeating: "z", count: 2000))") }
      for number in 0..<2000 { #expect(try await socket.text()?.hasPrefix("\(number) ") == true) }
    }

    @Test func `pings are answered with what they hold`() async throws {
      let scene = try SocketScene("pings")
      let socket = try await scene.open()
      #expect(try await socket.text() == "answered")
      #expect(try scene.seen("pong") == ["", "two", String(repeating: "x", count: 100)])
    }

    @Test func `pings are answered when nobody reads`() async throws {
      let scene = try SocketScene("pings")
      let socket = try await scene.open()
      #expect(try await eventually { try scene.seen("pong").count == 3 })
      socket.close()
    }

    @Test func `binary messages are passed over`() async throws {
      let socket = try await SocketScene("binary").open()
      #expect(try await socket.text() == "text")
    }

    @Test func `where bytes are wanted both come, and what is sent is binary`() async throws {
      let scene = try SocketScene("binary")
      let socket = try await scene.open(form: .bytes)
      var messages: [[UInt8]] = []
      while messages.last != Array("text".utf8), let message = try await socket.receive() { messages.append(message) }
      #expect(messages.count == 3)
      try await socket.send([0xFF, 0x00])
      #expect(try await socket.receive() == [0xFF, 0x00])
      socket.close()
    }

    @Test func `what comes with the head is the beginning of the messages`() async throws {
      let socket = try await SocketScene("early").open()
      for text in ["first", "second", "third"] { #expect(try await socket.text() == text) }
    }

    @Test func `a head and a message that come byte by byte are whole`() async throws {
      let socket = try await SocketScene("bytewise").open()
      #expect(try await socket.text() == "slow")
    }

    @Test func `no more is read than is taken, and nothing is lost by that`() async throws {
      let scene = try SocketScene("flood")
      let socket = try await scene.open()
      #expect(try await eventually { try !scene.seen("blocked").isEmpty })
      // What waits here, what is on its way, and what the system holds.
      #expect(try scene.seen("sent").count < 150)
      for number in 0..<200 { #expect(try await socket.text()?.hasPrefix("\(number) ") == true) }
      try await socket.send("done")
      #expect(try await socket.text() == "done")
    }

    @Test func `who sends more than is taken waits, and a cancelled one does not`() async throws {
      let traffic = SocketTraffic()
      traffic.noteOpen()
      try await traffic.send(Array("first".utf8))
      let large = [UInt8](repeating: 1, count: SocketTraffic.unsentLimit)
      let (one, two) = (Task { try await traffic.send(large) }, Task { try await traffic.send(large) })
      two.cancel()
      try await two.value
      var sent: [Int] = []
      #expect(
        await eventually {
          while let message = traffic.takeUnsent() { sent.append(message.count) }
          return sent.count == 3
        })
      try await one.value
      #expect(sent.first == 5)
    }

    @Test func `who waits to send hears of the end`() async throws {
      let traffic = SocketTraffic()
      traffic.noteOpen()
      let large = [UInt8](repeating: 1, count: SocketTraffic.unsentLimit + 1)
      let sending = Task { await failure { () async throws(TransportError) in try await traffic.send(large) } }
      traffic.finish(.failure(.readTimeout))
      // Whether it waited already or came too late.
      #expect(await sending.value == .readTimeout)
      #expect(await failure { () async throws(TransportError) in try await traffic.send([]) } == .readTimeout)
    }
  }
}

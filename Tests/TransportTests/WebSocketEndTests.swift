import Glibc
import TestSupport
import Testing

@testable import Transport

extension WithWebSockets {
  @Suite struct WebSocketEndTests {
    @Test func `a goodbye of the server is answered, and is the end`() async throws {
      let scene = try SocketScene("goodbye")
      let socket = try await scene.open()
      #expect(try await socket.text() == "last")
      #expect(try await socket.text() == nil)
      #expect(try await socket.text() == nil)
      let error = await failure { () async throws(TransportError) in try await socket.send("more") }
      #expect(error?.isClosedEarly == true)
      #expect(try await scene.sees("close", ["1001"]))
      #expect(try await scene.sees("gone", [""]))
      socket.close()
    }

    @Test func `what came before a goodbye is read after it`() async throws {
      let scene = try SocketScene("goodbye")
      let socket = try await scene.open()
      #expect(try await scene.sees("close", ["1001"]))
      let (texts, error) = await socket.readToEnd()
      #expect(texts == ["last"])
      #expect(error == nil)
    }

    @Test func `a server that leaves with its goodbye has said it`() async throws {
      let socket = try await SocketScene("leave").open()
      let (texts, error) = await socket.readToEnd()
      #expect(texts == ["last"])
      #expect(error == nil)
    }

    @Test func `closing says goodbye after what was sent, once`() async throws {
      let scene = try SocketScene("echo")
      let socket = try await scene.open()
      for number in 0..<100 { try await socket.send(String(number)) }
      socket.close()
      socket.close()
      #expect(try await socket.text() == nil)
      #expect(await failure { () async throws(TransportError) in try await socket.send("a") }?.isClosedEarly == true)
      #expect(try await scene.sees("close", ["1000"]))
      #expect(try scene.seen("text") == (0..<100).map { String($0) })
      #expect(try await scene.sees("gone", [""]))
    }

    @Test func `closing ends a wait`() async throws {
      let socket = try await SocketScene("echo").open()
      let reading = Task { try await socket.text() }
      socket.close()
      #expect(try await reading.value == nil)
    }

    @Test func `a server that does not say goodbye is left`() async throws {
      let scene = try SocketScene("stay")
      let socket = try await scene.open()
      socket.close()
      #expect(try await scene.sees("close", ["1000"]))
      #expect(try await scene.sees("gone", [""]))
      #expect(try await eventually { try SocketRemains.threads == 0 })
    }

    @Test func `closing is not held up by what is unread`() async throws {
      let scene = try SocketScene("flood")
      let socket = try await scene.open()
      #expect(try await eventually { try !scene.seen("blocked").isEmpty })
      socket.close()
      #expect(try await scene.sees("gone", [""]))
    }

    @Test func `a cancelled wait for a message loses none`() async throws {
      let socket = try await SocketScene("echo").open()
      for number in 0..<100 {
        let reading = Task { await failure { () async throws(TransportError) in try await socket.text() } }
        reading.cancel()
        #expect(await reading.value == .cancelled)
        try await socket.send(String(number))
        #expect(try await socket.text() == String(number))
      }
    }

    @Test func `a cancelled wait and a message that meet lose none`() async throws {
      let socket = try await SocketScene("echo").open()
      for number in 0..<200 {
        try await socket.send(String(number))
        let reading = Task { try await socket.text() }
        reading.cancel()
        let text: String?
        switch await reading.result {
        case .success(let found): text = found
        case .failure(let error):
          #expect(error as? TransportError == .cancelled)
          text = try await socket.text()
        }
        #expect(text == String(number))
      }
    }

    @Test func `a task that was cancelled before it asked sends nothing`() async throws {
      let scene = try SocketScene("echo")
      let opening = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await failure { () async throws(TransportError) in try await scene.open() }
      }
      #expect(await opening.value == .cancelled)
      #expect(try scene.seen("request").isEmpty)
    }

    @Test func `cancelling ends the wait for an answer`() async throws {
      let scene = try SocketScene("refuse/silent")
      let opening = Task {
        await failure { () async throws(TransportError) in try await scene.open { $0.headersTimeout = nil } }
      }
      #expect(try await eventually { try scene.seen("request").count == 1 })
      opening.cancel()
      #expect(await opening.value == .cancelled)
      #expect(try await scene.sees("gone", [""]))
      #expect(try await eventually { try SocketRemains.threads == 0 })
    }

    @Test func `cancelling ends the wait for a handshake`() async throws {
      let listener = try LoopbackListener()  // which answers none
      let http = CurlHTTP(proxy: ProxySettings(), version: "0")
      let url = "wss://127.0.0.1:\(listener.port)/"
      let opening = Task {
        await failure { () async throws(TransportError) in
          try await http.open(
            HTTPRequest("GET", url, connectTimeout: 600, headersTimeout: nil), silence: 600)
        }
      }
      #expect(try await eventually { try SocketRemains.threads == 1 })
      opening.cancel()
      #expect(await opening.value == .cancelled)
      #expect(try await eventually { try SocketRemains.threads == 0 })
    }

    @Test func `sockets that nobody holds are gone, with their threads`() async throws {
      let server = try WebSocketServer()
      let http = CurlHTTP(proxy: ProxySettings(), version: "0")
      #expect(try await eventually { try SocketRemains.threads == 0 })
      var sockets: [any WebSocket] = []
      for number in 0..<20 {
        let scene = number % 2 == 0 ? "echo" : "mute"
        sockets.append(
          try await http.open(HTTPRequest("GET", "ws://127.0.0.1:\(server.port)/\(scene)/key"), silence: 600))
      }
      let ports = try server.events("accept")
      #expect(ports.count == 20)
      // A look may miss some while threads of others end.
      #expect(try await eventually { try SocketRemains.threads == 20 })
      let descriptors = try SocketRemains.descriptors(fromPorts: ports, to: server.port)
      #expect(descriptors.count == 20)
      for descriptor in descriptors { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
      sockets = []
      #expect(try await eventually { try SocketRemains.threads == 0 })
      #expect(try SocketRemains.descriptors(fromPorts: ports, to: server.port).isEmpty)
      #expect(try await eventually { try server.events("gone").count == 20 })
    }

    @Test func `a socket outlives what opened it`() async throws {
      var scene: SocketScene? = try SocketScene("echo")
      let socket = try #require(try await scene?.open())
      scene = nil
      try await socket.send("hello")
      #expect(try await socket.text() == "hello")
    }
  }
}

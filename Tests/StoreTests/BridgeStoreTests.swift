import Chat
import TestSupport
import Testing

@testable import Store

/// What is kept of agents behind bridges.
@Suite struct BridgeStoreTests {
  private let agent = BridgedAgent(id: "a-1", folder: "/work")

  @Test func `an agent behind a bridge survives, and is the one in use`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      var servers = Servers(path)
      _ = try servers.add(kind: "openai", url: "http://gpu1:8000/v1")
      let kept = try servers.keep(agent, at: "wss://box.example:8765")
      #expect(kept == Server(name: "box", kind: "acp", url: "wss://box.example:8765", bridge: agent))
      #expect(Servers(path).current?.server == kept)
    }
  }

  @Test func `one that moved keeps its name, and takes the place of what was there`() throws {
    var servers = Servers(nil)
    _ = try servers.keep(agent, at: "wss://box.example:8765")
    try servers.rename("box", to: "far")
    _ = try servers.keep(BridgedAgent(id: "b-2"), at: "wss://other.example")
    let moved = try servers.keep(agent, at: "wss://other.example", moving: "far", allowing: ["http://other.example"])
    #expect(moved.name == "far" && moved.allowedOrigins == ["http://other.example"])
    #expect(servers.entries.map(\.server) == [moved])
    #expect(servers.current?.server == moved)
  }

  @Test func `another agent at a known address is what is there now`() throws {
    var servers = Servers(nil)
    _ = try servers.keep(agent, at: "wss://box.example:8765")
    let other = try servers.keep(BridgedAgent(id: "b-2"), at: "wss://BOX.example:8765/")
    #expect(servers.entries.map(\.server.bridge?.id) == ["b-2"])
    #expect(other.name == "box")
  }

  @Test func `one that only says that it is known is kept beside the one that is`() throws {
    var servers = Servers(nil)
    _ = try servers.keep(agent, at: "wss://box.example:8765")
    _ = try servers.keep(agent, at: "wss://other.example")
    #expect(servers.entries.map(\.server.name) == ["box", "other"])
  }

  @Test func `sessions with an agent that moved begin anew where it is`() async throws {
    try await withHistory { history, _ in
      let server = Server(name: "box", kind: "acp", url: "wss://box.example:8765", bridge: agent)
      var session = Session(server: server)
      try await history.say("hello", in: &session)
      try await history.setRemote("theirs", of: session.id)
      try await history.renewSessions(of: "wss://elsewhere", nowAt: "wss://there")
      #expect(try await history.session(session.id)?.remote == "theirs")
      try await history.renewSessions(of: server.url, nowAt: "wss://new.example")
      let renewed = try #require(try await history.session(session.id))
      #expect(renewed.remote == nil && renewed.server?.url == "wss://new.example")
    }
  }

  @Test func `this installation has one name, which is made once`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/device-name"
      let first = DeviceName(path, writes: true).text
      #expect(first.count == 36)
      #expect(DeviceName(path, writes: true).text == first)
      #expect(DeviceName(path, writes: false).text == first)
      let other = DeviceName(directory.path + "/other", writes: false)
      #expect(other.text == other.text && other.text != first)
      let unwritten = try AtomicFile.read(directory.path + "/other")
      #expect(unwritten == nil)
    }
  }

  @Test func `the pass of a gate is kept with the token, and shown by nothing`() throws {
    let signIn = StoredSignIn(.key, token: Secret("t"), pass: GatePass(id: "i", secret: Secret("s")))
    #expect(StoredSignIn(signIn.revealed) == signIn)
    #expect(!"\(signIn)".contains("\"s\""))
  }
}

import Chat
import TestSupport
import Testing
import Transport
import Waiting
import Wire

@testable import Backends

/// What a real bridge cannot be made to do, or not at the moment that counts.
@Suite struct BridgeTests {
  private func hello(in conversation: String = "ours", remote: String? = nil) -> ChatRequest {
    ChatRequest(
      model: nil, messages: [Message(.user, "Hello")], conversation: conversation, remoteConversation: remote)
  }

  /// A turn under way whose prompt has come to the bridge.
  private func turn(
    _ bridge: ScriptedBridge, _ backend: ACPBackend, remote: String? = nil
  ) async throws -> (Task<Outcome, Never>, JSON) {
    let request = hello(remote: remote)
    let turn = Task { await Outcome(of: backend.answer(request)) }
    #expect(await eventually { bridge.socket?.last("session/prompt") != nil })
    return (turn, try #require(bridge.socket?.last("session/prompt")))
  }

  @Test func `a connection asks for a session that nobody has before anything else`() async throws {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    #expect(bridge.methods == [["initialize", "session/load", "session/new", "session/prompt"]])
    #expect(bridge.socket?.last("session/new")?["params"]?["cwd"] == "/work")
    #expect(bridge.socket?.last("initialize")?["params"]?["clientCapabilities"]?["terminal"] == false)
    bridge.socket?.update("Hi", in: "new-1")
    bridge.socket?.end(prompt)
    let outcome = await turn.value
    #expect((outcome.text, outcome.error == nil) == ("Hi", true))
    await backend.acp.close()
  }

  @Test func `the token travels in a header, and in no address`() async throws {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend()
    try await backend.acp.connect()
    let request = try #require(bridge.requests.first)
    #expect(request.url == "wss://bridge.example:8765")
    #expect(request.headers.map(\.name) == ["X-Bridge-Token", "X-Client-Id"])
    #expect(request.headers.map(\.value) == ["token-of-the-bridge", "us"])
    await backend.acp.close()
  }

  @Test func `what the agent repeats of our token is not told`() async throws {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    bridge.socket?.say(["method": "_x", "params": ["t": "token-of-the-bridge"]])
    for piece in ["no token-of", "-the-", "bridge here"] { bridge.socket?.update(piece, in: "new-1") }
    bridge.socket?.say([
      "id": prompt["id"] ?? .null, "error": ["code": -32603, "message": "no token-of-the-bridge here"],
    ])
    let outcome = await turn.value
    #expect(outcome.error == .failed(message: "no <secret> here"))
    #expect(outcome.text == "no <secret> here")
    #expect(!"\(outcome.events)".contains("token-of-the-bridge"))
    await backend.acp.close()
  }

  @Test func `without a token nothing is sent`() async {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend(token: nil)
    let outcome = await Outcome(of: backend.answer(.hello))
    #expect(outcome.error == .unauthorized(address: "bridge.example:8765", message: ""))
    #expect(bridge.requests.isEmpty)
  }

  @Test(arguments: [("first", []), ("kept", ["session/load"]), (nil, ["session/new"])] as [(String?, [String])])
  func `an agent that goes on is asked for no session that is open`(_ name: String?, _ asked: [String]) async throws {
    let bridge = ScriptedBridge(.goesOn)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend, remote: name)
    #expect(bridge.methods == [["initialize", "session/load"] + asked + ["session/prompt"]])
    #expect(prompt["params"]?["sessionId"]?.string == name ?? "new-1")
    bridge.socket?.end(prompt)
    #expect(await turn.value.error == nil)
    await backend.acp.close()
  }

  @Test func `a turn goes on over connections, and its prompt is sent once`() async throws {
    let bridge = ScriptedBridge(.fresh, .refused(.refused), .goesOn)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    bridge.socket?.update("one ", in: "new-1")
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    #expect(backend.acp.state.connection == .reconnecting)
    bridge.clock.advance(0.5)
    #expect(await eventually { bridge.clock.isAwaited(for: 1) })
    bridge.clock.advance(1)
    #expect(await eventually { bridge.methods.count == 2 && backend.acp.state.connection == .connected })
    bridge.socket?.update("two", in: "new-1")
    bridge.socket?.end(prompt)
    let outcome = await turn.value
    #expect((outcome.text, outcome.error == nil) == ("one two", true))
    #expect(outcome.events.contains(.notice(.connectionLost)) && outcome.events.contains(.notice(.connectedAgain)))
    #expect(bridge.methods.flatMap { $0 }.count { $0 == "session/prompt" } == 1)
    await backend.acp.close()
  }

  @Test func `a connection that cannot be made again is given up after two minutes`() async throws {
    let bridge = ScriptedBridge(.fresh, .refused(.refused))
    let backend = await bridge.backend()
    let (turn, _) = try await turn(bridge, backend)
    bridge.socket?.drop()
    for pause in [0.5, 1, 2, 4, 8, 16, 30, 30, 30] {
      #expect(await eventually { bridge.clock.isAwaited(for: pause) })
      bridge.clock.advance(pause)
    }
    #expect(await turn.value.error == .connectionLost(address: "bridge.example:8765", reason: .refused))
    #expect(bridge.requests.count == 10)
    #expect(await eventually { backend.acp.state.connection == .ended })
  }

  @Test func `a token that is refused ends it at once`() async throws {
    let bridge = ScriptedBridge(.fresh, .refused(.notSwitched(status: 401, text: "Unauthorized")))
    let backend = await bridge.backend()
    let (turn, _) = try await turn(bridge, backend)
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await turn.value.error == .unauthorized(address: "bridge.example:8765", message: "Unauthorized"))
    #expect(bridge.requests.count == 2)
  }

  @Test func `an agent that was started anew fails what the one before was asked`() async throws {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend()
    let (turn, _) = try await turn(bridge, backend)
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await turn.value.error == .agentBegunAnew)
    let (next, prompt) = try await self.turn(bridge, backend)
    #expect(bridge.methods[1] == ["initialize", "session/load", "session/new", "session/load", "session/prompt"])
    bridge.socket?.end(prompt)
    #expect(await next.value.error == nil)
    await backend.acp.close()
  }

  @Test(arguments: [ScriptedBridge.Fate.ungreeted, .greetedAlone])
  func `an agent that was slow to start is not the one before`(_ second: ScriptedBridge.Fate) async throws {
    let bridge = ScriptedBridge(.fresh, .tooSlow, second)
    let backend = await bridge.backend()
    let (turn, _) = try await turn(bridge, backend)
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    // The connection stands, and its greeting is given up.
    #expect(await eventually { bridge.methods.count == 2 && bridge.clock.isAwaited(for: 1000) })
    bridge.clock.advance(1000)
    #expect(await eventually { bridge.clock.isAwaited(for: 1) })
    bridge.clock.advance(1)
    #expect(await turn.value.error == .agentBegunAnew)
    let (next, prompt) = try await self.turn(bridge, backend)
    bridge.socket?.end(prompt)
    #expect(await next.value.error == nil)
    await backend.acp.close()
  }

  @Test func `an agent whose first connection was given up can be spoken with`() async throws {
    let bridge = ScriptedBridge(.ungreeted)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    #expect(bridge.methods == [["initialize", "session/new", "session/prompt"]])
    // It is the same one after a lost connection: the bridge keeps nothing of it then either.
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await eventually { bridge.methods.count == 2 && backend.acp.state.connection == .connected })
    bridge.socket?.update("Hi", in: "new-1")
    bridge.socket?.end(prompt)
    let outcome = await turn.value
    #expect((outcome.text, outcome.error == nil) == ("Hi", true))
    await backend.acp.close()
  }

  @Test func `an agent may take longer to start than a request`() async throws {
    let bridge = ScriptedBridge(.tooSlow)
    let backend = await bridge.backend(request: 2)
    let connecting = Task { () -> BackendError? in
      do throws(BackendError) { try await backend.acp.connect() } catch { return error }
      return nil
    }
    #expect(await eventually { bridge.clock.isAwaited(for: 60) })
    bridge.clock.advance(60)
    #expect(await connecting.value == .timedOut(address: "bridge.example:8765", .request, seconds: 60))
  }

  @Test func `an agent that somebody else has begun with since is not the one before`() async throws {
    let bridge = ScriptedBridge(.fresh, .another)
    let backend = await bridge.backend()
    let (turn, _) = try await turn(bridge, backend)
    bridge.socket?.say(["id": 0, "method": "ping-pong", "params": [:]])
    #expect(await eventually { bridge.socket?.came.last?["id"] == 0 })
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await turn.value.error == .agentBegunAnew)
    // Nor is it told what the one before was answered: its questions have the same numbers.
    #expect(bridge.methods[1] == ["initialize", "session/load"] && bridge.socket?.came.count == 2)
    await backend.acp.close()
  }

  @Test func `a turn goes on where the bridge keeps no session`() async throws {
    let bridge = ScriptedBridge(.fresh, .goesOnUnkept)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await eventually { bridge.methods.count == 2 && backend.acp.state.connection == .connected })
    bridge.socket?.update("whole", in: "new-1")
    bridge.socket?.end(prompt)
    let outcome = await turn.value
    #expect((outcome.text, outcome.error == nil) == ("whole", true))
    await backend.acp.close()
  }

  @Test func `what was said while nobody was there is no part of the next answer`() async throws {
    let bridge = ScriptedBridge(.goesOn, past: ["tick ", "tock"])
    let backend = await bridge.backend()
    try await backend.acp.enter("ours", known: "first")
    #expect(backend.acp.takeNews() == [.text("tick tock", conversation: "ours")])
    let (turn, prompt) = try await turn(bridge, backend, remote: "first")
    bridge.socket?.update("five", in: "first")
    bridge.socket?.end(prompt)
    #expect(await turn.value.text == "five")
    await backend.acp.close()
  }

  @Test func `a question for another device is left to it`() async throws {
    let bridge = ScriptedBridge(.goesOn)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    for method in ["session/request_permission", "fs/read_text_file", "_theirs"] {
      bridge.socket?.say(["id": .string(method), "method": .string(method), "params": ["sessionId": "first"]])
    }
    bridge.socket?.say(["id": "ours", "method": "_theirs", "params": ["sessionId": "new-1"]])
    #expect(await eventually { bridge.socket?.came.last?["id"] == "ours" })
    #expect(bridge.socket?.came.compactMap { $0["method"] == nil ? $0["id"] : nil } == ["ours"])
    bridge.socket?.end(prompt)
    #expect(await turn.value.error == nil)
    await backend.acp.close()
  }

  @Test func `a request that cannot be refused for want of a connection stops nobody`() async throws {
    let bridge = ScriptedBridge(.fresh, .goesOn)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    bridge.socket?.dropAfter(["id": "theirs", "method": "unknown", "params": ["sessionId": "new-1"]])
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await eventually { bridge.methods.count == 2 && bridge.socket?.came.last?["id"] == "theirs" })
    bridge.socket?.end(prompt)
    #expect(await turn.value.error == nil)
    await backend.acp.close()
  }

  @Test func `a message of which nothing shows is taken for lost, and not sent again`() async throws {
    let bridge = ScriptedBridge(.fresh, .goesOn)
    let backend = await bridge.backend()
    let (turn, _) = try await turn(bridge, backend)
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await eventually { backend.acp.state.connection == .connected && bridge.clock.isAwaited(for: 1000) })
    bridge.clock.advance(1000)
    #expect(await turn.value.error == .mayNotHaveArrived)
    #expect(bridge.methods.flatMap { $0 }.count { $0 == "session/prompt" } == 1)
    await backend.acp.close()
  }

  @Test func `a message that the bridge has told of has arrived, however long its answer takes`() async throws {
    let bridge = ScriptedBridge(.fresh, .goesOn)
    let backend = await bridge.backend()
    let answer = backend.answer(hello())
    let heard = Locked<[ChatEvent]>([])
    let turn = Task {
      do throws(BackendError) {
        for try await event in answer { heard.withLock { $0.append(event) } }
      } catch { Issue.record("\(error)") }
    }
    #expect(await eventually { bridge.socket?.last("session/prompt") != nil })
    let prompt = bridge.socket?.last("session/prompt")
    bridge.socket?.say(echo(from: "us", "Hello"))
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await eventually { backend.acp.state.connection == .connected && bridge.clock.isAwaited(for: 1000) })
    bridge.clock.advance(1000)
    // The doubt has come and gone: it tells that nothing is heard, and the turn goes on.
    #expect(await eventually { heard.withLock { $0.contains(.notice(.nothingHeard)) } })
    bridge.socket?.update("late", in: "new-1")
    bridge.socket?.end(prompt)
    await turn.value
    #expect(heard.withLock { $0.contains(.text("late")) })
    await backend.acp.close()
  }

  @Test func `an agent that died unseen is found out after a long silence`() async throws {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend()
    let (turn, _) = try await turn(bridge, backend)
    // What it says begins the silence anew.
    #expect(await eventually { bridge.clock.isAwaited(for: 2000) })
    bridge.socket?.update("Hm", in: "new-1")
    #expect(await eventually { backend.acp.known.withLock { $0.turn?.heard } == 1 })
    bridge.clock.advance(2000)
    #expect(await eventually { bridge.clock.isAwaited(for: 2000) })
    #expect(bridge.socket?.last("_parley/still_there") == nil)
    bridge.clock.advance(2000)
    #expect(await eventually { bridge.clock.isAwaited(for: 1) })
    bridge.clock.advance(1)
    #expect(await eventually { bridge.socket?.came.count { $0["method"] == "_parley/still_there" } == 2 })
    // The bridge has found that it can tell it nothing, and begins with another.
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await turn.value.error == .agentBegunAnew)
    await backend.acp.close()
  }

  private func echo(from sender: String, _ text: String) -> JSON {
    [
      "method": "bridge/remoteUserMessage",
      "params": ["senderId": .string(sender), "content": [["type": "text", "text": .string(text)]]],
    ]
  }

  @Test func `what another device asks is news, and so is its answer`() async throws {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    // The answer to somebody else's request.
    bridge.socket?.end(["id": 1])
    bridge.socket?.update("ours", in: "new-1")
    bridge.socket?.end(prompt)
    #expect(await turn.value.text == "ours")
    bridge.socket?.say(echo(from: "phone", "Who are you?"))
    bridge.socket?.update("An ", in: "new-1")
    bridge.socket?.update("agent", in: "new-1")
    var news: [AgentNews] = []
    #expect(
      await eventually {
        news += backend.acp.takeNews()
        return news.contains { if case .saidElsewhere(let text) = $0 { text.hasSuffix("agent") } else { false } }
      })
    #expect(news.first == .askedElsewhere("Who are you?"))
    await backend.acp.close()
  }

  @Test(arguments: ["fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"])
  func `this machine's files and programs are not there for it`(method: String) async throws {
    let bridge = ScriptedBridge(.fresh)
    let backend = await bridge.backend()
    try await backend.acp.begin("ours")
    bridge.socket?.say([
      "id": "theirs", "method": .string(method), "params": ["sessionId": "new-1", "path": "/etc/passwd"],
    ])
    #expect(await eventually { bridge.socket?.came.last?["error"]?["code"] == -32601 })
    await backend.acp.close()
  }

  @Test func `an answer to its question is told again by the next connection`() async throws {
    let bridge = ScriptedBridge(.fresh, .goesOn)
    let backend = await bridge.backend()
    let (turn, prompt) = try await turn(bridge, backend)
    bridge.socket?.say(["id": "theirs", "method": "ping-pong", "params": [:]])
    #expect(await eventually { bridge.socket?.came.last?["id"] == "theirs" })
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    bridge.clock.advance(0.5)
    #expect(await eventually { bridge.methods.count == 2 && bridge.socket?.came.last?["id"] == "theirs" })
    bridge.socket?.end(prompt)
    #expect(await turn.value.error == nil)
    await backend.acp.close()
  }

  @Test func `who gives up waiting for a connection has sent nothing`() async throws {
    let bridge = ScriptedBridge(.fresh, .refused(.refused), .goesOn)
    let backend = await bridge.backend()
    try await backend.acp.connect()
    bridge.socket?.drop()
    #expect(await eventually { bridge.clock.isAwaited(for: 0.5) })
    let answer = backend.answer(hello())
    let given = Task { await Outcome(of: answer) }
    // A message does not sit out the pause; the bridge is not there yet.
    #expect(await eventually { bridge.clock.isAwaited(for: 1) })
    answer.stop()
    #expect(await given.value.error == .cancelled)
    bridge.clock.advance(1)
    #expect(await eventually { bridge.methods.count == 2 && backend.acp.state.connection == .connected })
    let (next, prompt) = try await turn(bridge, backend)
    // What was to stop is told before what is asked next.
    #expect(bridge.methods[1] == ["initialize", "session/load", "session/cancel", "session/prompt"])
    bridge.socket?.end(prompt)
    #expect(await next.value.error == nil)
    await backend.acp.close()
  }

  @Test func `a question is asked, however much was said before it`() async throws {
    var news = ACPNews()
    news.add(.text(String(repeating: "x", count: 1 << 20), conversation: "ours"))
    news.add(.ended)
    #expect(news.take() == [.ended])
  }
}

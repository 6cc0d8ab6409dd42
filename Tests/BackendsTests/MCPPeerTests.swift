import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// Real servers, of the two majors of the `mcp` package and in the ways in which they can be run.
@Suite(.serialized) struct MCPPeerTests {
  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.all) func `a server is found, and its tools listed and called`(
    _ setting: PeerSetting
  )
    async throws
  {
    let scene = try await PeerScene(setting)
    let facts = try await scene.connection.about()
    #expect(facts.name == "peer")
    #expect(facts.protocolVersion == setting.version)
    #expect(facts.transport == setting.transport.words)
    #expect(facts.offersTools && facts.offersPrompts && facts.offersResources)

    let tools = try await scene.connection.tools()
    #expect(tools.count >= 15)
    let search = try #require(tools.first { $0.name == "web_search" })
    #expect(search.hints.isReadOnly == true)
    #expect(search.parameters["required"]?[0] == "query")

    let sum = await Called(scene.connection.call("add", ["a": 2, "b": 3]))
    #expect(sum.text == "5")
    #expect(sum.result?.structured == ["result": 5])
    await scene.connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `results of all kinds`(_ setting: PeerSetting)
    async throws
  {
    let scene = try await PeerScene(setting)
    let connection = scene.connection

    let failed = await Called(connection.call("fail", [:]))
    #expect(failed.result?.isError == true)
    #expect(failed.text?.contains("the disk is full") == true)
    #expect(await Called(connection.call("crash", [:])).result?.isError == true)
    #expect(await Called(connection.call("add", ["a": "no number"])).result?.isError == true)
    let unknown = await Called(connection.call("no_such_tool", [:]))
    #expect(unknown.result?.isError == true || unknown.error != nil)

    let image = await Called(connection.call("image", [:]))
    guard case .image(let data, "image/png")? = image.result?.content.first else {
      Issue.record("no picture: \(String(describing: image.result))")
      return
    }
    #expect(data.hasPrefix("iVBOR"))

    let weather = await Called(connection.call("weather", ["city": "Ål"]))
    #expect(weather.result?.structured?["city"] == "Ål")
    #expect(weather.result?.structured?["humidity"] == 88)

    let mixed = try #require(await Called(connection.call("mixed", [:])).result)
    #expect(mixed.content.count == 4)
    #expect(mixed.content.contains { if case .link(let link) = $0 { link.uri == "peer://notes/1" } else { false } })
    #expect(
      mixed.content.contains {
        $0
          == .resource(
            ResourceContent(uri: "peer://notes/2", mimeType: "text/plain", body: .text("an embedded note")))
      })

    // Longer than the longest line of an answer of a model.
    let big = await Called(connection.call("big", ["size": 3_000_000]))
    #expect(big.text?.utf8.count == 3_000_000)
    #expect(await Called(connection.call("escapes", [:])).text?.contains("\u{1B}[31m") == true)
    #expect(await Called(connection.call("route", ["region": "Zürich "])).text == "routed to Zürich")
    await connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `what happens during a call`(_ setting: PeerSetting)
    async throws
  {
    let scene = try await PeerScene(setting, timeouts: Timeouts(tool: 1.5))
    let connection = scene.connection

    // Longer in all than it may be silent.
    let slow = await Called(connection.call("slow", ["seconds": 2, "steps": 4]))
    #expect(slow.text == "slept 2.0 seconds")
    #expect(slow.progress.count == 5)
    #expect(slow.progress.last == ToolProgress(done: 4, total: 4, message: "done"))

    let lines = await Called(connection.call("log_lines", [:]))
    #expect(lines.log == ["peer: line 0", "peer: line 1", "peer: line 2"])
    await connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a tool asks the person, whose time is their own`(
    _ setting: PeerSetting
  )
    async throws
  {
    let scene = try await PeerScene(setting, timeouts: Timeouts(tool: 1))
    let connection = scene.connection

    let greeted = await Called(
      connection.call("greet", [:]), answering: .accept(["name": "Ada", "age": 36]), after: .seconds(1.5))
    #expect(greeted.text == "Hello Ada")
    let question = try #require(greeted.questions.first)
    #expect(question.message == "Who is calling?")
    guard case .form(let fields) = question.subject else {
      Issue.record("no form: \(question.subject)")
      return
    }
    #expect(fields.map(\.name) == ["name", "age"])
    #expect(fields.map(\.isRequired) == [true, false])
    #expect(fields[0].kind == .text(shortest: 1, longest: nil, format: nil))
    #expect(fields[1].kind == .number(from: 0, to: 150, isWhole: true))

    let declined = await Called(connection.call("greet", [:]), answering: .decline)
    #expect(declined.questions.count == 1)
    #expect(declined.result?.isError == true || declined.error != nil)
    #expect(await Called(connection.call("add", ["a": 1, "b": 1])).text == "2")
    await connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a call that is stopped is cancelled at its server`(
    _ setting: PeerSetting
  )
    async throws
  {
    let scene = try await PeerScene(setting)
    let stopped = await Called(
      scene.connection.call("slow", ["seconds": 60, "steps": 1]),
      stopAt: { if case .progress = $0 { true } else { false } })
    #expect(stopped.error == .cancelled)
    if scene.peer != nil { #expect(try await scene.peer?.says("slow: cancelled") == true) }
    #expect(await Called(scene.connection.call("add", ["a": 1, "b": 1])).text == "2")
    await scene.connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a call without progress is given up, and cancelled`(
    _ setting: PeerSetting
  )
    async throws
  {
    let scene = try await PeerScene(setting, timeouts: Timeouts(tool: 1))
    let silent = await Called(scene.connection.call("slow", ["seconds": 60, "steps": 1]))
    #expect(silent.error == .timedOut(.silence, seconds: 1))
    if scene.peer != nil { #expect(try await scene.peer?.says("slow: cancelled") == true) }
    #expect(await Called(scene.connection.call("add", ["a": 1, "b": 1])).text == "2")
    await scene.connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a list is asked for again when it has changed`(
    _ setting: PeerSetting
  )
    async throws
  {
    let scene = try await PeerScene(setting)
    let before = try await scene.connection.tools().map(\.name)
    #expect(await Called(scene.connection.call("toggle", [:])).text == "added")
    let deadline = Date() + 10
    var after = before
    while after == before, Date() < deadline {
      after = try await scene.connection.tools().map(\.name)
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(Set(after) == Set(before + ["extra"]))
    #expect(await Called(scene.connection.call("extra", [:])).text == "extra")
    await scene.connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires)
  func `calls at the same time do not get into each other's way`(
    _ setting: PeerSetting
  ) async throws {
    let scene = try await PeerScene(setting)
    let connection = scene.connection
    let sums = await withTaskGroup(of: (Int, Called).self) { group in
      for number in 0..<8 {
        group.addTask { (number, await Called(connection.call("add", ["a": .int(number), "b": 100]))) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1.text }
    }
    #expect(sums == Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, "\($0 + 100)") }))
    await connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `prompts and resources`(_ setting: PeerSetting)
    async throws
  {
    let scene = try await PeerScene(setting)
    let prompts = try await scene.connection.prompts()
    #expect(prompts.map(\.name) == ["summarise"])
    #expect(prompts[0].arguments.map(\.name) == ["topic", "words"])
    #expect(prompts[0].arguments.map(\.isRequired) == [true, false])
    let messages = try await scene.connection.prompt("summarise", ["topic": "tides"])
    #expect(messages == [PromptMessage(.user, .text("Summarise tides in at most 50 words."))])

    let resources = try await scene.connection.resources()
    #expect(resources.map(\.uri) == ["peer://about", "peer://notes/{number}"])
    #expect(resources.map(\.isTemplate) == [false, true])
    let note = try await scene.connection.read("peer://notes/7")
    #expect(note == [ResourceContent(uri: "peer://notes/7", mimeType: "text/plain", body: .text("Note number 7"))])
    await #expect(throws: ToolError.self) { try await scene.connection.read("peer://nothing") }
    await scene.connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.both) func `a server that wants a token`(_ setting: PeerSetting)
    async throws
  {
    var setting = setting
    setting.options = ["--token", "open-sesame"]
    let scene = try await PeerScene(setting, signer: FixedSigner(token: "open-sesame"))
    #expect(await Called(scene.connection.call("add", ["a": 2, "b": 2])).text == "4")
    let port = try #require(scene.peer?.port)
    let url = "http://127.0.0.1:\(port)/mcp"
    let unsigned = MCPConnection(
      ToolServer(id: "peer", name: "peer", address: .http(url: url)), http: PeerScene.network, timeouts: Timeouts(),
      memory: .inMemory())
    await #expect(throws: ToolError.signInNeeded(url: url)) { try await unsigned.tools() }
    #expect(await Called(unsigned.call("add", [:])).error == .signInNeeded(url: url))
    await scene.connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.both + [PeerSetting.wires[2], PeerSetting.wires[3]])
  func `a server that was started anew is called again`(_ setting: PeerSetting) async throws {
    let scene = try await PeerScene(setting)
    #expect(await Called(scene.connection.call("add", ["a": 2, "b": 3])).text == "5")
    let peer = try #require(scene.peer)
    try await onItsOwnThread { peer.stop() }
    let gone = await Called(scene.connection.call("add", ["a": 2, "b": 3]))
    guard case .server(.unreachable) = gone.error else {
      Issue.record("\(String(describing: gone.error))")
      return
    }
    let options = setting.options + (setting.transport == .sse ? ["--transport", "sse"] : [])
    let again = try await onItsOwnThread { try ToolPeer(setting.package, options, port: peer.port) }
    #expect(await Called(scene.connection.call("add", ["a": 4, "b": 5])).text == "9")
    await scene.connection.close()
    again.stop()
  }

  @Test(.peers(.mcp1, .mcp2)) func `what was remembered of a server may not hold any more`() async throws {
    for (setting, era) in [(PeerSetting.legacy, MCPVerdict.Era.modern), (.legacy, .legacy), (.modern, .legacy)] {
      let scene = try await PeerScene(setting)
      let url = "http://127.0.0.1:\(try #require(scene.peer).port)/mcp"
      for transport in [MCPVerdict.Transport.streamable, .sse] {
        let memory = WireMemory.inMemory()
        memory.keep(url, MCPVerdict(era: era, transport: transport, url: url))
        let connection = MCPConnection(
          ToolServer(id: "peer", name: "peer", address: .http(url: url)), http: PeerScene.network,
          timeouts: Timeouts(connect: 2), memory: memory)
        #expect(await Called(connection.call("add", ["a": 4, "b": 5])).text == "9")
        await connection.close()
      }
    }
  }

  @Test func `a program that ends in the middle of a call is told of, and started again`() async throws {
    let connection = MCPConnection(
      ToolServer(id: "m", name: "m", address: .command(["python3", "-c", Self.mayfly], passing: [])),
      http: PeerScene.network, timeouts: Timeouts(), memory: .inMemory(),
      programs: ToolPrograms(children: Children(), environment: ProcessInfo.processInfo.environment))
    let lived = await Called(connection.call("live", [:]))
    #expect(lived.text == "alive")
    #expect(lived.log == ["no message: a banner that does not belong here"])
    let died = await Called(connection.call("die", [:]))
    guard case .exited(_, 3, let words)? = died.error else {
      Issue.record("\(String(describing: died.error))")
      return
    }
    #expect(words.contains("farewell"))
    #expect(await Called(connection.call("live", [:])).text == "alive")
    await #expect(throws: ToolError.notOffered("prompts")) { try await connection.prompts() }
    await connection.close()
  }

  private static let mayfly = #"""
    import json, sys
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            print("a banner that does not belong here")
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "mayfly"}}
        elif method == "tools/call" and message["params"]["name"] == "die":
            print("farewell", file=sys.stderr)
            sys.exit(3)
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": "alive"}]}
        elif "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
            continue
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    """#

  @Test(.peers(.fastmcp)) func `another implementation, fastmcp`() async throws {
    let script = ToolPeer.script.deletingLastPathComponent().appendingPathComponent("fastmcp_peer.py")
    let peer = try await onItsOwnThread { try ToolPeer(.fastmcp, script: script) }
    let connection = MCPConnection(
      ToolServer(id: "f", name: "f", address: .http(url: "http://127.0.0.1:\(peer.port)/mcp")),
      http: PeerScene.network, timeouts: Timeouts(tool: 2), memory: .inMemory())
    let facts = try await connection.about()
    #expect(facts.name == "fastmcp peer")
    #expect(Set(try await connection.tools().map(\.name)).isSuperset(of: ["add", "fail", "slow", "weather"]))
    #expect(await Called(connection.call("add", ["a": 2, "b": 3])).text == "5")
    #expect(await Called(connection.call("fail", [:])).result?.isError == true)
    #expect(await Called(connection.call("weather", ["city": "Bath"])).result?.structured?["city"] == "Bath")
    let slow = await Called(connection.call("slow", ["seconds": 1, "steps": 4]))
    #expect(slow.progress.count == 4)
    #expect(try await connection.prompts().map(\.name) == ["summarise"])
    #expect(try await connection.read("peer://about").count == 1)
    #expect(
      await Called(connection.call("slow", ["seconds": 60, "steps": 1])).error == .timedOut(.silence, seconds: 2))
    #expect(try await peer.says("slow: cancelled"))
    await connection.close()
  }
}

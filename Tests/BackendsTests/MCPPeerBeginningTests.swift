import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// How a conversation with a real server begins, and begins anew.
@Suite(.serialized) struct MCPPeerBeginningTests {
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
          timeouts: Timeouts(), memory: memory)
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
    let clock = StandingClock()
    let connection = MCPConnection(
      ToolServer(id: "f", name: "f", address: .http(url: "http://127.0.0.1:\(peer.port)/mcp")),
      http: PeerScene.network, timeouts: Timeouts(tool: 60), memory: .inMemory(), clock: clock.source)
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
    let silent = await Called(
      connection.call("slow", ["seconds": 600, "steps": 1]),
      meanwhile: { event in
        if case .progress = event { clock.runOut(60) }
      })
    clock.stand()
    #expect(silent.error == .timedOut(.silence, seconds: 60))
    #expect(await peer.says("slow: cancelled"))
    await connection.close()
  }
}

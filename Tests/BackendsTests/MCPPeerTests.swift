import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// Real servers, of the two majors of the `mcp` package and in the ways in which they can be run. In three suites, whose
/// peers start side by side: what they have, what happens in a call, and how one begins.
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

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a list is asked for again when it has changed`(
    _ setting: PeerSetting
  )
    async throws
  {
    let scene = try await PeerScene(setting)
    let before = try await scene.connection.tools().map(\.name)
    #expect(await Called(scene.connection.call("toggle", [:])).text == "added")
    var after = before
    #expect(
      try await eventually {
        after = try await scene.connection.tools().map(\.name)
        return after != before
      })
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
}

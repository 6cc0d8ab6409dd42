import Chat
import Foundation
import TestSupport
import Testing

@testable import Store

/// What is kept of gateways.
@Suite struct GatewayStoreTests {
  @Test func `what was chosen survives, and leaves nothing when it is taken back`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      var servers = Servers(path)
      let name = try servers.add(kind: "gateway", url: "http://gw:8000/v1").server.name
      let choice = GatewayChoice(
        project: "p", tools: RemoteToolChoice(servers: ["fs"], tools: ["a", "b"], priority: ["b"], isAudited: true))
      try servers.choose(choice, of: name)
      #expect(Servers(path).named(name)?.server.gateway == choice)
      try servers.choose(nil, of: name)
      #expect(Servers(path).named(name)?.server.gateway == nil)
      #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("\"gateway\" :"))
    }
  }

  @Test func `what the answers of one server took is told, the newest first`() async throws {
    let history = try History.inMemory(now: { 1_700_000_000_000 })
    func ask(_ url: String, _ usage: Usage?) async throws {
      let server = Server(name: "gw", kind: "gateway", url: url)
      let session = Session(title: "Quinces", server: server, model: "m")
      let turn = try await history.ask(NewTurn(session: session, parent: nil, question: .text("Which?")))
      try await history.finish(
        turn.id, StoredAnswer(text: "This", status: .complete, model: "m", server: "gw", usage: usage))
    }
    try await ask("http://one/v1", Usage(promptTokens: 3, completionTokens: 4, cost: 0.5))
    try await ask("http://one/v1", nil)
    try await ask("http://two/v1", Usage(promptTokens: 9))
    let used = try await history.usage(of: "http://one/v1")
    #expect(used.count == 1)
    #expect(used.first?.tokens == 7 && used.first?.cost == 0.5 && used.first?.title == "Quinces")
    #expect(try await history.usage(of: "http://two/v1").first?.tokens == 9)
  }
}

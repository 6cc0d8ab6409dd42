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
    let one = Server(name: "one", kind: "gateway", url: "http://one/v1")
    let two = Server(name: "two", kind: "gateway", url: "http://two/v1")
    var session = Session(title: "Quinces", server: one, model: "m")
    var last: TurnID?
    func ask(of server: Server, as name: String? = nil, _ usage: Usage?) async throws {
      session.server = server
      let turn = try await history.ask(NewTurn(session: session, parent: last, question: .text("Which?")))
      last = turn.id
      try await history.finish(
        turn.id,
        StoredAnswer(text: "This", status: .complete, model: "m", server: name ?? server.name, usage: usage))
    }
    func tokens(of server: Server) async throws -> [Int?] {
      try await history.usage(of: server, besides: ["one", "two"].filter { $0 != server.name }).map(\.tokens)
    }
    try await ask(of: one, Usage(promptTokens: 3, completionTokens: 4, cost: 0.5))
    try await ask(of: one, nil)
    #expect(try await history.usage(of: one, besides: ["two"]).first?.cost == 0.5)
    // The same session goes on elsewhere: what it took here stays here.
    try await ask(of: two, Usage(promptTokens: 9))
    #expect(try await tokens(of: one) == [7])
    #expect(try await tokens(of: two) == [9])
    // What it was called before its name was changed counts with it.
    try await ask(of: two, as: "zwei", Usage(promptTokens: 1))
    #expect(try await tokens(of: two) == [1, 9])
    #expect(try await tokens(of: one) == [7])
  }
}

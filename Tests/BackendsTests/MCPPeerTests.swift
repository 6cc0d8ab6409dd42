import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// Real servers, of the two majors of the `mcp` package and in the ways in which they can be run.
@Suite(.serialized) struct MCPPeerTests {
  static let network = CurlHTTP(proxy: ProxySettings(environment: [:]), version: "test")

  /// A peer, and how it must be found to be spoken with.
  struct Setting: Sendable, CustomTestStringConvertible {
    var package: ToolPeer.Package
    var options: [String]
    var path = "/mcp"
    var version: String
    var transport: String

    var testDescription: String { "\(package) \(options.joined(separator: " "))" }

    static let modern = Setting(
      package: .mcp2, options: [], version: "2026-07-28", transport: "streamable HTTP")
    static let legacy = Setting(
      package: .mcp1, options: [], version: "2025-11-25", transport: "streamable HTTP")

    static let all = [
      modern, legacy,
      Setting(package: .mcp2, options: ["--json"], version: "2026-07-28", transport: "streamable HTTP"),
      Setting(package: .mcp2, options: ["--page-size", "4"], version: "2026-07-28", transport: "streamable HTTP"),
      Setting(package: .mcp1, options: ["--stateless"], version: "2025-11-25", transport: "streamable HTTP"),
      Setting(package: .mcp1, options: ["--resumable"], version: "2025-11-25", transport: "streamable HTTP"),
      Setting(package: .mcp1, options: ["--json"], version: "2025-11-25", transport: "streamable HTTP"),
      Setting(
        package: .mcp1, options: ["--transport", "sse"], path: "/sse", version: "2025-11-25", transport: "HTTP+SSE"),
      Setting(
        package: .mcp2, options: ["--transport", "sse"], path: "/sse", version: "2025-11-25", transport: "HTTP+SSE"),
    ]
  }

  /// A running peer and a connection to it.
  struct Scene {
    let peer: ToolPeer
    let connection: MCPConnection

    init(_ setting: Setting, timeouts: Timeouts = Timeouts(), signer: any MCPSigner = Unsigned()) async throws {
      let started = try await onItsOwnThread { try ToolPeer(setting.package, setting.options) }
      peer = started
      connection = MCPPeerTests.connection(started.port, setting.path, timeouts: timeouts, signer: signer)
    }
  }

  static func connection(
    _ port: Int, _ path: String = "/mcp", timeouts: Timeouts = Timeouts(), signer: any MCPSigner = Unsigned()
  ) -> MCPConnection {
    let server = ToolServer(
      id: "peer", name: "peer", address: .http(url: "http://127.0.0.1:\(port)\(path)"))
    return MCPConnection(server, http: network, timeouts: timeouts, signer: signer, memory: .inMemory(), wantsLog: true)
  }

  /// Whether there is such a peer; says why not.
  static func has(_ package: ToolPeer.Package) -> Bool {
    if package.python != nil { return true }
    print("skipped: \(package.rawValue) names no Python with that package")
    return false
  }

  @Test(arguments: Setting.all) func `a server is found, and its tools listed and called`(_ setting: Setting)
    async throws
  {
    guard Self.has(setting.package) else { return }
    let scene = try await Scene(setting)
    let facts = try await scene.connection.about()
    #expect(facts.name == "peer")
    #expect(facts.protocolVersion == setting.version)
    #expect(facts.transport == setting.transport)
    #expect(facts.offersTools && facts.offersPrompts && facts.offersResources)

    let tools = try await scene.connection.tools()
    #expect(tools.count >= 15)
    let search = try #require(tools.first { $0.name == "web_search" })
    #expect(search.hints.isReadOnly == true)
    #expect(search.parameters["required"]?[0] == "query")

    let sum = await Called(scene.connection.call("add", ["a": 2, "b": 3]))
    #expect(sum.result?.text == "5")
    #expect(sum.result?.structured == ["result": 5])
    await scene.connection.close()
  }
}

/// What came of a call.
struct Called {
  var events: [ToolEvent] = []
  var error: ToolError?

  init(_ run: ToolRun, answering reply: ToolQuestion.Reply? = nil, stopAt: ((ToolEvent) -> Bool)? = nil) async {
    do throws(ToolError) {
      for try await event in run {
        events.append(event)
        if case .question(let question) = event, let reply { question.reply(reply) }
        if let stopAt, stopAt(event) { run.stop() }
      }
    } catch {
      self.error = error
    }
  }

  var result: ToolResult? { if case .finished(let result) = events.last { result } else { nil } }
  var progress: [ToolProgress] { events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } } }
  var log: [String] { events.compactMap { if case .log(_, let text) = $0 { text } else { nil } } }
  var questions: [ToolQuestion] {
    events.compactMap { if case .question(let question) = $0 { question } else { nil } }
  }
}

extension ToolResult {
  var text: String { content.map { if case .text(let text) = $0 { text } else { "" } }.joined() }
}

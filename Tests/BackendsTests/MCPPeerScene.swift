import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// A peer, and how it must be found to be spoken with.
struct PeerSetting: Sendable, CustomTestStringConvertible {
  var package: ToolPeer.Package
  var options: [String] = []
  var version: String
  var transport = MCPVerdict.Transport.streamable
  /// What is remembered of it, in the place of asking.
  var isKnownAsLegacy = false

  var testDescription: String {
    ([String(describing: package), transport.words] + options + (isKnownAsLegacy ? ["known as legacy"] : []))
      .joined(separator: " ")
  }

  static let modern = PeerSetting(package: .mcp2, version: "2026-07-28")
  static let legacy = PeerSetting(package: .mcp1, version: "2025-11-25")
  static let both = [modern, legacy]

  /// All ways of speaking, once.
  static let wires =
    both + [
      PeerSetting(package: .mcp2, version: "2025-11-25", isKnownAsLegacy: true),
      PeerSetting(package: .mcp1, version: "2025-11-25", transport: .sse),
      PeerSetting(package: .mcp2, version: "2026-07-28", transport: .stdio),
      PeerSetting(package: .mcp1, version: "2025-11-25", transport: .stdio),
    ]

  static let all =
    wires + [
      PeerSetting(package: .mcp2, options: ["--json"], version: "2026-07-28"),
      PeerSetting(package: .mcp2, options: ["--page-size", "4"], version: "2026-07-28"),
      PeerSetting(package: .mcp2, version: "2025-11-25", transport: .sse),
      PeerSetting(package: .mcp1, options: ["--stateless"], version: "2025-11-25"),
      PeerSetting(package: .mcp1, options: ["--resumable"], version: "2025-11-25"),
      PeerSetting(package: .mcp1, options: ["--json"], version: "2025-11-25"),
    ]
}

/// A running peer and a connection to it.
struct PeerScene: Sendable {
  static let network = CurlHTTP(proxy: ProxySettings(environment: [:]), version: "test")

  /// nil for a program, which the connection starts.
  let peer: ToolPeer?
  let connection: MCPConnection

  init(
    _ setting: PeerSetting, timeouts: Timeouts = Timeouts(), signer: any MCPSigner = Unsigned(),
    clock: TimeSource = .system
  ) async throws {
    guard setting.transport != .stdio else {
      peer = nil
      let command = [try #require(setting.package.python), ToolPeer.script.path, "--transport", "stdio"]
      connection = MCPConnection(
        ToolServer(id: "peer", name: "peer", address: .command(command + setting.options, passing: [])),
        http: PeerScene.network, timeouts: timeouts, memory: .inMemory(),
        programs: ToolPrograms(children: Children(), environment: ProcessInfo.processInfo.environment),
        clock: clock, wantsLog: true)
      return
    }
    let options = setting.options + (setting.transport == .sse ? ["--transport", "sse"] : [])
    let started = try await onItsOwnThread { try ToolPeer(setting.package, options) }
    let url = "http://127.0.0.1:\(started.port)\(setting.transport == .sse ? "/sse" : "/mcp")"
    let memory = WireMemory.inMemory()
    if setting.isKnownAsLegacy { memory.keep(url, MCPVerdict(era: .legacy, transport: .streamable, url: url)) }
    peer = started
    connection = MCPConnection(
      ToolServer(id: "peer", name: "peer", address: .http(url: url)), http: PeerScene.network, timeouts: timeouts,
      signer: signer, memory: memory, clock: clock, wantsLog: true)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, and says so, where one of these peers is not installed.
  static func peers(_ packages: ToolPeer.Package...) -> Self {
    let missing = packages.filter { $0.python == nil }.map(\.rawValue).joined(separator: " and ")
    return .enabled(if: missing.isEmpty, "\(missing) names no Python with that package")
  }
}

extension ToolPeer {
  /// Waits until it has said something on its standard error.
  func says(_ words: String) async -> Bool { await eventually { said.contains(words) } }
}

/// What came of a call.
struct Called {
  var events: [ToolEvent] = []
  var error: ToolError?

  init(
    _ run: ToolRun, answering reply: ToolQuestion.Reply? = nil, stopAt: ((ToolEvent) -> Bool)? = nil,
    meanwhile: (ToolEvent) async -> Void = { _ in }
  ) async {
    do throws(ToolError) {
      for try await event in run {
        events.append(event)
        await meanwhile(event)
        if case .question(let question) = event, let reply { question.reply(reply) }
        if let stopAt, stopAt(event) { run.stop() }
      }
    } catch {
      self.error = error
    }
  }

  var result: ToolResult? { if case .finished(let result) = events.last { result } else { nil } }
  var text: String? { result?.text }
  var progress: [ToolProgress] { events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } } }
  var log: [String] { events.compactMap { if case .log(_, let text) = $0 { text } else { nil } } }
  var questions: [ToolQuestion] {
    events.compactMap { if case .question(let question) = $0 { question } else { nil } }
  }
}

extension ToolResult {
  var text: String { content.map { if case .text(let text) = $0 { text } else { "" } }.joined() }
}

/// Signs with a token that never changes.
struct FixedSigner: MCPSigner {
  let token: String

  func sign(_ request: inout HTTPRequest) async throws(ToolError) {
    request.headers.append((name: "Authorization", value: "Bearer \(token)"))
  }
  func refused(_ request: HTTPRequest, _ response: HTTPResponse) async throws(ToolError) -> Bool { false }
  var secrets: SecretMask? {
    let mask = SecretMask()
    mask.add(Secret(token))
    return mask
  }
}

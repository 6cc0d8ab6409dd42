import Chat
import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Transport

/// Signing in to real servers, of both majors of the `mcp` package.
@Suite(.serialized) struct ToolSignInPeerTests {
  private static let network = CurlHTTP(proxy: ProxySettings(environment: [:]), version: "test")
  private static let packages = [ToolPeer.Package.mcp2, .mcp1].filter { package in
    if package.python == nil { print("no sign-in is tried on \(package): \(package.rawValue) is not set") }
    return package.python != nil
  }

  /// A peer and those who sign in to it, run after run with one store.
  private struct Scene {
    let peer: ToolPeer
    let store = MemoryCredentials()
    var url: String { "http://127.0.0.1:\(peer.port)/mcp" }

    init(_ package: ToolPeer.Package, _ options: [String]) async throws {
      peer = try await onItsOwnThread { try ToolPeer(package, options) }
    }

    /// A connection of a new run.
    func connection(clock: TimeSource = .system) -> MCPConnection {
      let server = ToolServer(id: "peer", name: "peer", address: .http(url: url))
      return SignIns(store, clock: clock).connect(
        server, http: ToolSignInPeerTests.network, timeouts: Timeouts())
    }
  }

  /// What a browser does at a page whose answer is yes: it goes where it is sent.
  private static func follow(_ page: String) async throws -> Int {
    let sent = try await network.send(HTTPRequest("GET", page))
    let back = try #require(sent[header: "location"], "\(sent.status)")
    _ = try await sent.body.readAll(timeout: 60)
    let answer = try await network.send(HTTPRequest("GET", back))
    _ = try await answer.body.readAll(timeout: 60)
    return answer.status
  }

  private func signIn(_ connection: MCPConnection) async throws -> SignedIn {
    let signIn = try await #require(connection.account).signIn(clientID: nil)
    async let signedIn = signIn.finish()
    #expect(try await Self.follow(signIn.url) == 200)
    return try await signedIn
  }

  @Test(.timeLimit(.minutes(5)), arguments: packages)
  func `a browser signs in, tools run, and a later run renews what it finds`(package: ToolPeer.Package) async throws {
    let scene = try await Scene(package, ["--oauth"])
    let connection = scene.connection()
    await #expect(throws: ToolError.signInNeeded(url: scene.url)) { try await connection.tools() }
    #expect(try await signIn(connection).person.kind == .session)
    #expect(try await connection.tools().contains { $0.name == "add" })
    var result: ToolResult?
    for try await event in connection.call("add", ["a": 2, "b": 3]) {
      if case .finished(let finished) = event { result = finished }
    }
    #expect(result?.content == [.text("5")])
    await connection.close()

    let first = try #require(try await scene.store.read(scene.url))
    #expect(first.lifetime == 60 && first.issuer?.resource == scene.url && first.issuer?.scope == "tools")
    // A minute later by our clock: the token has to be renewed before anything is asked.
    let later = TimeSource(
      now: TimeSource.system.now, sleep: TimeSource.system.sleep,
      sinceEpoch: { TimeSource.system.sinceEpoch() + 61 })
    let next = scene.connection(clock: later)
    #expect(try await next.about().offersTools)
    await next.close()
    let second = try #require(try await scene.store.read(scene.url))
    #expect(second.token != first.token && second.refresh != first.refresh && second.issuer == first.issuer)

    // A refresh token that was spent is worth nothing any more, and the person is asked again.
    var spent = first
    spent.expiresAt = 0
    _ = try await scene.store.write(spent, for: scene.url)
    let last = scene.connection()
    await #expect(throws: ToolError.signInNeeded(url: scene.url)) { try await last.tools() }
    #expect(try await signIn(last).person.kind == .session)
    #expect(try await !last.tools().isEmpty)
    try await #require(last.account).signOut()
    await last.close()
    let nobody = scene.connection()
    await #expect(throws: ToolError.signInNeeded(url: scene.url)) { try await nobody.tools() }
    await nobody.close()
  }

  @Test(.timeLimit(.minutes(5)), arguments: packages)
  func `a token that the person brings is tried before it is kept`(package: ToolPeer.Package) async throws {
    let scene = try await Scene(package, ["--token", "t-1"])
    let connection = scene.connection()
    let account = try #require(connection.account)
    let address = "127.0.0.1:\(scene.peer.port)"
    await #expect(throws: ToolError.server(.signInRefused(address: address, .wrongToken))) {
      try await account.signIn(token: Secret("t-2"))
    }
    #expect(await !account.hasSignIn())
    #expect(try await account.signIn(token: Secret("t-1")).place == .memory)
    #expect(try await !connection.tools().isEmpty)
    await connection.close()
    let later = scene.connection()
    #expect(try await !later.tools().isEmpty)
    await later.close()
  }
}

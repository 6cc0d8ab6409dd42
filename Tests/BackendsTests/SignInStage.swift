import Foundation
import Wire

@testable import Backends
@testable import Chat
@testable import Transport

/// An HTTP that answers each request by itself, whatever the order they come in.
// Sendable: what varies is behind the lock.
final class SiteHTTP: HTTP, @unchecked Sendable {
  typealias Route = @Sendable (HTTPRequest) async -> ScriptedHTTP.Reply

  private let lock = NSLock()
  private var seen: [HTTPRequest] = []
  private let route: Route

  init(_ route: @escaping Route) { self.route = route }

  var requests: [HTTPRequest] { lock.withLock { seen } }

  /// What was asked for, such as `POST /auth/token`, without queries.
  var lines: [String] { requests.map(\.line) }

  func requests(_ line: String) -> [HTTPRequest] { requests.filter { $0.line == line } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    lock.withLock { seen.append(request) }
    return try await ScriptedHTTP([await route(request)]).send(request)
  }
}

extension HTTPRequest {
  /// Its method and path, the API root left out.
  var line: String {
    let path = url.prefix { $0 != "?" }.split(separator: "/").dropFirst(2).joined(separator: "/")
    return "\(method) /\(path.hasPrefix("api/") ? String(path.dropFirst(4)) : path)"
  }

  var query: QueryItems { QueryItems(String(url.drop { $0 != "?" }.dropFirst())) }
  var fields: QueryItems { QueryItems(String(decoding: body ?? [], as: UTF8.self)) }
  var json: JSON? { try? JSON(parsing: body ?? []) }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// The token that it is signed with.
  var bearer: String? { header("Authorization").map { $0.replacing("Bearer ", with: "") } }
}

extension ScriptedHTTP.Reply {
  static func json(_ text: String, status: Int = 200) -> Self { .response(status, [.text(text)]) }

  static func tokens(_ access: String, refresh: String? = nil, lifetime: Int = 300) -> Self {
    let refresh = refresh.map { #","refresh_token":"\#($0)""# } ?? ""
    return .json(#"{"access_token":"\#(access)","token_type":"bearer","expires_in":\#(lifetime)\#(refresh)}"#)
  }

  static let notFound = json(#"{"detail":"Not Found"}"#, status: 404)
}

/// Waits until as many have come as are expected; then all go on at once.
actor Gathering {
  private let count: Int
  private var arrived: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { self.count = count }

  func wait() async {
    await withCheckedContinuation { arrived.append($0) }
  }

  var isFull: Bool { arrived.count >= count }

  func release() {
    for continuation in arrived { continuation.resume() }
    arrived = []
  }
}

/// A store that fails in all it is asked, where no lock can be made either.
struct BrokenCredentials: CredentialStore {
  static let failure = CredentialError.broken(path: "/credentials.json")

  func read(_ account: String) async throws(CredentialError) -> StoredSignIn? { throw Self.failure }

  func write(
    _ signIn: StoredSignIn, for account: String, replacing spent: Secret?
  ) async throws(CredentialError) -> CredentialPlace { throw Self.failure }

  func erase(_ account: String) async throws(CredentialError) { throw Self.failure }

  func exclusively<T: Sendable>(
    _ account: String, _ body: @Sendable () async -> T
  ) async throws(CredentialError) -> T { await body() }
}

/// A store that a test breaks and mends, and that says what was written.
actor FickleCredentials: CredentialStore {
  static let locked = CredentialError.file(path: "/credentials.lock", reason: "another process holds it")

  private let memory = MemoryCredentials()
  /// What reading throws.
  var failure: CredentialError?
  /// Another process works on the account: what it does before the lock is given up as lost.
  private var other: (@Sendable (MemoryCredentials) async -> Void)?
  /// The refresh tokens that were said to be spent, a sign-in each.
  private(set) var spent: [Secret?] = []
  /// Where it says that it keeps things.
  private let place: CredentialPlace

  init(_ signIn: StoredSignIn? = nil, for server: Server = .kamiwaza, place: CredentialPlace = .memory) async throws {
    self.place = place
    if let signIn { _ = try await memory.write(signIn, for: server.url) }
  }

  func fail(_ failure: CredentialError?) { self.failure = failure }
  func beLocked(while other: @escaping @Sendable (MemoryCredentials) async -> Void) { self.other = other }

  func read(_ account: String) async throws(CredentialError) -> StoredSignIn? {
    if let failure { throw failure }
    return try await memory.read(account)
  }

  func write(
    _ signIn: StoredSignIn, for account: String, replacing spent: Secret?
  ) async throws(CredentialError) -> CredentialPlace {
    self.spent.append(spent)
    _ = try await memory.write(signIn, for: account)
    return place
  }

  func erase(_ account: String) async throws(CredentialError) { try await memory.erase(account) }

  func exclusively<T: Sendable>(
    _ account: String, _ body: @Sendable () async -> T
  ) async throws(CredentialError) -> T {
    guard let other else { return await body() }
    await other(memory)
    throw Self.locked
  }
}

extension TestTime {
  /// Milliseconds since 1970, of a time that stands still.
  static let milliseconds = 784_111_777_000
}

extension Server {
  static let kamiwaza = Server(name: "kz", kind: "kamiwaza", url: "https://kz.lan/api")
}

extension StoredSignIn {
  /// A session that ends in so many seconds of its five minutes.
  static func session(_ token: String, refresh: String? = "refresh-1", endsIn seconds: Int) -> StoredSignIn {
    StoredSignIn(
      .session, token: Secret(token), refresh: refresh.map { Secret($0) },
      expiresAt: TestTime.milliseconds + seconds * 1000, lifetime: 300, username: "ann")
  }
}

extension SignIns {
  /// Those of a run with this in its store.
  static func holding(
    _ signIn: StoredSignIn?, for server: Server = .kamiwaza, store: MemoryCredentials = MemoryCredentials()
  ) async throws -> SignIns {
    if let signIn { _ = try await store.write(signIn, for: server.url) }
    return SignIns(store, clock: TestTime().source)
  }
}

/// A JWT that nobody signed.
func jwt(_ claims: String) -> String { "e30.\(Base64URL.encode(Array(claims.utf8))).sig" }

/// All that an error or a value tells of itself.
func told(_ value: Any) -> String {
  var text = String(describing: value) + String(reflecting: value)
  dump(value, to: &text)
  return text
}

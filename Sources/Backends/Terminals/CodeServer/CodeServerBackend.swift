import Chat
import Transport
import Wire

extension Kind {
  static let codeServer = Kind.ofTerminals(
    "code-server", summary: "the mobile terminal extension of code-server", probe: CodeServerProbe.find
  ) {
    CodeServerBackend(api: CodeServerAPI(endpoint: $0, sockets: $1))
  }
}

/// The terminals of an editor elsewhere (docs/terminals.md 8).
struct CodeServerBackend: TerminalsAlone {
  let api: CodeServerAPI

  var server: Server { api.endpoint.server }
  var account: (any Account)? { CodeServerAccount(api: api) }
  var terminals: (any Terminals)? {
    MaskedTerminals(terminals: CodeServerTerminals(api: api), mask: api.endpoint.bearer.mask)
  }
}

/// In which of its forms the server speaks, as its health tells: the written one, or that of its code, which differs.
enum CodeServerForm: Sendable, Equatable {
  /// Signed in by name and password, a connection for each terminal, keys as they are typed.
  case written
  /// Signed by a key, one connection for all terminals, whole lines alone; terminals are neither made nor closed.
  case built

  /// nil for what is no health of such a server.
  init?(health: JSON) {
    guard health["version"] != nil, health["uptime"] != nil, let terminals = health["terminals"] else { return nil }
    if terminals["active"]?.int != nil {
      self = .written
    } else if terminals.int != nil {
      self = .built
    } else {
      return nil
    }
  }
}

/// Finds a server by its health, which everybody may ask for.
enum CodeServerProbe {
  @Sendable static func find(_ place: inout ProbedOrigin) async throws(TransportError) -> FoundServer? {
    for base in place.bases where place.isOnlyKind || !base.hasSuffix("/v1") {
      let health = try await place.get(base + "/api/health", authorized: false)
      if health.status == 200, let json = health.json, CodeServerForm(health: json) != nil {
        return FoundServer(kind: Kind.codeServer.name, url: base, models: nil)
      }
      guard place.isOnlyKind else { continue }
      let list = try await place.get(base + "/api/terminals")
      let isGuarded = [401, 403].contains(list.status) && list.json != nil
      if isGuarded || list.status == 200 && (list.json?.array ?? list.json?["terminals"]?.array) != nil {
        return FoundServer(kind: Kind.codeServer.name, url: base, models: nil)
      }
      place.note(base + "/api/terminals", list, else: "JSON of another program")
    }
    return nil
  }
}

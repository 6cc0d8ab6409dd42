import Chat
import Transport
import Wire

extension Kind {
  static let ttyd = Kind.ofTerminals(
    "ttyd", summary: "ttyd, which starts a program for whoever attaches", probe: TtydProbe.find
  ) {
    TtydBackend(api: TtydAPI(endpoint: $0, sockets: $1))
  }
}

/// A server of one command, which each connection starts anew (docs/terminals.md 6).
struct TtydBackend: TerminalsAlone {
  let api: TtydAPI

  var server: Server { api.endpoint.server }
  var account: (any Account)? { TtydAccount(api: api) }
  var terminals: (any Terminals)? {
    MaskedTerminals(terminals: TtydTerminals(api: api), mask: api.endpoint.bearer.mask)
  }
}

/// Finds a server by the token that it gives to whoever may connect, or by the name that it asks for a password in.
enum TtydProbe {
  @Sendable static func find(_ place: inout ProbedOrigin) async throws(TransportError) -> FoundServer? {
    for base in place.bases where place.isOnlyKind || !base.hasSuffix("/v1") {
      let url = base + "/token"
      let document = try await place.get(url, authorized: false)
      let isGuarded =
        document.status == 401 && document.response[header: "www-authenticate"]?.contains("realm=\"ttyd\"") == true
      if isGuarded || document.status == 200 && document.json?["token"]?.string != nil {
        return FoundServer(kind: Kind.ttyd.name, url: base, models: isGuarded ? nil : [])
      }
      if place.isOnlyKind { place.note(url, document, else: "JSON of another program") }
    }
    return nil
  }
}

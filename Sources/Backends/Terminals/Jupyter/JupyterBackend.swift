import Chat
import Transport
import Wire

extension Kind {
  static let jupyter = Kind.ofTerminals(
    "jupyter", summary: "Jupyter Server, for its terminals", probe: JupyterProbe.find
  ) {
    JupyterBackend(api: JupyterAPI(endpoint: $0, sockets: $1))
  }
}

/// A server of notebooks, of which the terminals are used (docs/terminals.md 5).
struct JupyterBackend: TerminalsAlone {
  let api: JupyterAPI

  var server: Server { api.endpoint.server }
  var account: (any Account)? { KeyAccount(api.endpoint, asking: "/api/status") }
  var terminals: (any Terminals)? {
    MaskedTerminals(terminals: JupyterTerminals(api: api), mask: api.endpoint.bearer.mask)
  }
}

/// Finds a server by what it says of itself to everybody, and by its list of terminals.
enum JupyterProbe {
  @Sendable static func find(_ place: inout ProbedOrigin) async throws(TransportError) -> FoundServer? {
    for base in bases(place.bases.filter { place.isOnlyKind || !$0.hasSuffix("/v1") }) {
      let about = try await place.get(base + "/api", authorized: false)
      guard about.status == 200, about.json?["version"]?.string != nil else {
        if place.isOnlyKind { place.note(base + "/api", about, else: "JSON of another program") }
        continue
      }
      let url = base + "/api/terminals"
      let list = try await place.get(url)
      let isGuarded = [401, 403].contains(list.status) && list.json != nil
      guard isGuarded || list.status == 200 && list.json?.array != nil else {
        place.note(url, list, else: "no terminals")
        continue
      }
      return FoundServer(kind: Kind.jupyter.name, url: base, models: isGuarded ? nil : [])
    }
    return nil
  }

  /// Where it may be, for an address of one of its pages too.
  static func bases(_ typed: [String]) -> [String] {
    typed.flatMap { base -> [String] in
      guard let scheme = base.firstRange(of: "://") else { return [base] }
      // What a host or a person is called is no page.
      let parts = base[scheme.upperBound...].split(separator: "/", omittingEmptySubsequences: false)
      return [base]
        + parts.indices.dropFirst().filter { pages.contains(parts[$0]) }.map {
          base[..<scheme.upperBound] + parts[..<$0].joined(separator: "/")
        }
    }
  }

  private static let pages: Set<Substring> = ["lab", "tree", "notebooks", "terminals", "api", "login", "doc"]
}

package import Chat
package import Transport

/// The kinds of server this program speaks with. A new kind is one file or folder, and one line in `kinds`.
package enum Backends {
  /// In the order in which an unknown address is probed.
  package static let kinds: [Kind] = [
    .openAI,
    .demo,
  ]

  /// The backend for a server; nil when its kind is not in the table. `timeouts` are for requests that are not answers.
  package static func make(
    _ server: Server, http: any HTTP, credential: Credential? = nil, timeouts: Timeouts = Timeouts()
  ) -> (any Backend)? {
    kinds.first { $0.name == server.kind }?.make(Endpoint(server, http, credential, timeouts))
  }

  /// Finds out what answers at an address a person typed. Throws `notFound` with what each address tried said, or why
  /// none could be reached.
  package static func probe(
    _ address: ServerAddress, http: any HTTP, credential: Credential? = nil, timeouts: Timeouts = Timeouts()
  ) async throws(BackendError) -> FoundServer {
    var tried: [BackendError.Attempt] = []
    for kind in kinds {
      guard let probe = kind.probe else { continue }
      do throws(BackendError) {
        return try await probe(address, http, credential, timeouts)
      } catch {
        guard case .notFound(let attempts) = error else { throw error }
        tried += attempts
      }
    }
    throw .notFound(tried: tried)
  }
}

/// A kind of server.
package struct Kind: Sendable {
  typealias Probe =
    @Sendable (ServerAddress, any HTTP, Credential?, Timeouts) async throws(BackendError) -> FoundServer

  /// What `Server.kind` holds.
  package let name: String
  /// What it is, in a few words.
  package let summary: String
  let make: @Sendable (Endpoint) -> any Backend
  /// nil for a kind that is never found by itself.
  let probe: Probe?
}

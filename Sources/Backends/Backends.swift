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
  /// `signIns` is asked only by a kind that has an address.
  package static func make(
    _ server: Server, http: any HTTP, timeouts: Timeouts = Timeouts(), signIns: SignIns = SignIns()
  ) -> (any Backend)? {
    kinds.first { $0.name == server.kind }?.make(server) { signIns.endpoint(server, http, timeouts) }
  }

  /// Finds out what server a person means. Throws `notFound` with what each address tried said, or why none could be
  /// reached; `unreachable` with `badAddress` for what is no address. `credential` is asked for a key once, and not at
  /// all when a kind knows what was typed.
  package static func probe(
    _ typed: String, http: any HTTP, timeouts: Timeouts = Timeouts(),
    credential: (ServerAddress) -> Credential? = { _ in nil }
  ) async throws(BackendError) -> FoundServer {
    if let claimed = kinds.lazy.compactMap({ $0.claim?(typed) }).first { return claimed }
    let address = try ServerAddress(typed)
    let credential = credential(address)
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
  /// The endpoint is made only for a kind that asks for it.
  let make: @Sendable (Server, () -> Endpoint) -> any Backend
  /// The server that was typed, when its spelling alone tells that it is of this kind; nil for a kind that is known by
  /// what it answers.
  let claim: (@Sendable (_ typed: String) -> FoundServer?)?
  /// nil for a kind that is never found by itself.
  let probe: Probe?
}

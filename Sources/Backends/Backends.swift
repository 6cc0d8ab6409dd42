package import Chat
package import Transport

/// The kinds of server this program speaks with. A new kind is one file or folder, and one line in `kinds`.
package enum Backends {
  /// In the order in which an unknown address is probed.
  package static let kinds: [Kind] = [
    // Before OpenAI's: a platform answers 401 to a request for models, as a guarded server of that kind does.
    .kamiwaza,
    // Before OpenAI's, whose questions it takes too.
    .gateway,
    .openAI,
    .chatUI,
    .jupyter,
    .ttyd,
    .codeServer,
    .demo,
    .acp,
  ]

  /// The backend for a server; nil when its kind is not in the table. `timeouts` are for requests that are not answers.
  /// `signIns` is asked only by a kind that has an address.
  package static func make(
    _ server: Server, http: any HTTP, timeouts: Timeouts = Timeouts(), surroundings: Surroundings = Surroundings(),
    signIns: SignIns = SignIns()
  ) -> (any Backend)? {
    var surroundings = surroundings
    surroundings.timeouts = timeouts
    return kinds.first { $0.name == server.kind }?.make(server, surroundings) {
      signIns.endpoint(server, http, timeouts)
    }
  }
}

/// A kind of server.
package struct Kind: Sendable {
  /// Asks one origin whether it is of this kind; nil when it is not.
  typealias Probe = @Sendable (inout ProbedOrigin) async throws(TransportError) -> FoundServer?

  /// What `Server.kind` holds.
  package let name: String
  /// What it is, in a few words.
  package let summary: String
  /// The endpoint is made only for a kind that asks for it.
  let make: @Sendable (Server, Surroundings, () -> Endpoint) -> any Backend
  /// The server that was typed, when its spelling alone tells that it is of this kind; nil for a kind that is known by
  /// what it answers.
  let claim: (@Sendable (_ typed: String) -> FoundServer?)?
  /// nil for a kind that is never found by itself.
  let probe: Probe?
}

package import Chat
package import Transport
import Wire

/// Gets the credentials of a bridge, and keeps them (docs/acp.md 10).
package struct Pairer: Sendable {
  private let http: any HTTP
  private let signIns: SignIns

  package init(_ http: any HTTP, _ signIns: SignIns) {
    self.http = http
    self.signIns = signIns
  }

  /// Reads what a bridge's code says.
  /// - Parameter plain: whether plain http beyond this machine is taken too.
  package func read(_ text: String, plain: Bool) throws(PairingProblem) -> PairingText {
    try PairingText(text, plain: plain)
  }

  /// A link from an address and a code that were typed.
  package func link(to host: String, code: String, plain: Bool) throws(PairingProblem) -> PairingLink {
    try PairingLink(host: host, code: code, plain: plain)
  }

  /// Spends the code of a link. Whom it is sent to has been looked at before: the certificate is trusted.
  /// - Parameter shown: the certificate that the bridge showed; nil in plain http.
  package func redeem(
    _ link: PairingLink, shown: Fingerprint?, plain: Bool, timeouts: Timeouts
  ) async throws(BackendError) -> Pairing {
    let server = Server(name: "", kind: Kind.acp.name, url: link.url)
    // Of nobody yet: no sign-in goes along.
    let endpoint = Endpoint(server, http, Bearer.none, timeouts)
    endpoint.bearer.mask.add(link.code)
    let document: Document
    do throws(BackendError) { document = try await endpoint.get(link.address, signed: .not) } catch {
      if case .unreachable(let address, let reason) = error, reason.isHangUp {
        throw .notPaired(address: address, .dropped)
      }
      throw error
    }
    let address = endpoint.address
    if let refusal = document.refusal { throw .notPaired(address: address, refusal) }
    guard document.isSuccess else {
      throw endpoint.failures.status(document.status, ErrorBody(document.said), location: document.location)
    }
    guard let json = document.unmaskedJSON else { throw .malformed(address: address, detail: "no credentials") }
    let pairing: Pairing
    do throws(PairingProblem) { pairing = try Pairing(json, plain: plain) } catch {
      throw .notPaired(address: address, .badCredentials(error))
    }
    if let named = pairing.fingerprint, let shown, named != shown {
      throw .notPaired(address: address, .otherCertificate)
    }
    return pairing
  }

  /// Puts the secrets where sign-ins are kept, in the place of those before.
  package func keep(
    _ pairing: Pairing, for server: Server
  ) async -> (place: CredentialPlace, problem: CredentialError?) {
    let endpoint = signIns.endpoint(server, http, Timeouts())
    return await endpoint.bearer.keep(StoredSignIn(.key, token: pairing.token, pass: pairing.pass))
  }

  package func forget(_ server: Server) async throws(CredentialError) {
    try await signIns.endpoint(server, http, Timeouts()).bearer.forget()
  }
}

extension Document {
  /// What a bridge says when it gives no credentials; nil of another answer.
  fileprivate var refusal: PairingRefusal? {
    switch (status, json?.text("error")) {
    case (400, "missing_code"): .missingCode
    case (401, _): .invalidCode
    case (429, _): .rateLimited
    case (503, "pairing_disabled"): .disabled
    default: nil
    }
  }
}

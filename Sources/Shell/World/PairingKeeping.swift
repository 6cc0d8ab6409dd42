package import Chat

/// Pairs with bridges to agents on other machines (docs/acp.md 10).
package struct PairingKeeping: Sendable {
  /// What a bridge's code says. - Parameter plain: plain http beyond this machine is taken too.
  package var read: @Sendable (_ text: String, _ plain: Bool) throws(PairingProblem) -> PairingText
  /// A link from what was typed.
  package var link: @Sendable (_ host: String, _ code: String, _ plain: Bool) throws(PairingProblem) -> PairingLink
  /// Spends the code of a link. - Parameter shown: the certificate that the bridge showed.
  package var redeem:
    @Sendable (PairingLink, _ shown: Fingerprint?, _ plain: Bool, Timeouts) async throws(BackendError) -> Pairing
  /// Puts the secrets where sign-ins are kept.
  package var keep: @Sendable (Pairing, Server) async -> (place: CredentialPlace, problem: CredentialError?)
  package var forget: @Sendable (Server) async throws(CredentialError) -> Void

  package init(
    read: @escaping @Sendable (_ text: String, _ plain: Bool) throws(PairingProblem) -> PairingText,
    link: @escaping @Sendable (_ host: String, _ code: String, _ plain: Bool) throws(PairingProblem) -> PairingLink,
    redeem:
      @escaping @Sendable (PairingLink, _ shown: Fingerprint?, _ plain: Bool, Timeouts)
      async throws(BackendError) -> Pairing,
    keep: @escaping @Sendable (Pairing, Server) async -> (place: CredentialPlace, problem: CredentialError?),
    forget: @escaping @Sendable (Server) async throws(CredentialError) -> Void
  ) {
    self.read = read
    self.link = link
    self.redeem = redeem
    self.keep = keep
    self.forget = forget
  }

  /// Where there are no bridges.
  package static let none = PairingKeeping(
    read: { _, _ throws(PairingProblem) in throw .unknown }, link: { _, _, _ throws(PairingProblem) in throw .unknown },
    redeem: { link, _, _, _ throws(BackendError) in throw .notPaired(address: link.url, .disabled) },
    keep: { _, _ in (.memory, nil) }, forget: { _ throws(CredentialError) in })
}

package import Chat

/// What is known of servers' certificates. A protocol because the process ends here. Called on the thread that moves
/// bytes, before each handshake and again before each request (docs/rules.md T7).
package protocol Trust: Sendable {
  /// - Parameter host: in lower case, without brackets and without a dot at the end.
  func expectation(of host: String, port: Int) -> TrustExpectation

  /// The system trusted the server's certificate, for the first time among the connections that stand.
  func noteSystemTrust(in host: String, port: Int)

  /// A handshake showed the pinned certificate (docs/rules.md T1), which is then last seen.
  func notePinUse(in host: String, port: Int)
}

extension Trust {
  package func notePinUse(in host: String, port: Int) {}
}

/// What a server's certificate is expected to be.
package struct TrustExpectation: Sendable, Equatable {
  /// A certificate that the person trusts, whoever signed it.
  package var pin: Pin?
  /// A file of authorities (PEM) that are believed besides those of the system.
  package var authorities: String?
  /// Whether the system has trusted this host and port before (docs/rules.md T5).
  package var wasTrustedBySystem: Bool
  /// The line that says whom to trust there and cannot be read: only the system is believed then.
  package var damagedLine: Int?

  package init(
    pin: Pin? = nil, authorities: String? = nil, wasTrustedBySystem: Bool = false, damagedLine: Int? = nil
  ) {
    self.pin = pin
    self.authorities = authorities
    self.wasTrustedBySystem = wasTrustedBySystem
    self.damagedLine = damagedLine
  }
}

/// Believes the system and nobody else.
package struct SystemTrust: Trust {
  package init() {}
  package func expectation(of host: String, port: Int) -> TrustExpectation { TrustExpectation() }
  package func noteSystemTrust(in host: String, port: Int) {}
}

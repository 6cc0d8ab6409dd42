/// What a bridge shows to be paired with, as a picture or as text (docs/acp.md 10).
package enum PairingText: Sendable, Equatable {
  /// Where the credentials are to be had, once.
  case link(PairingLink)
  /// The credentials themselves.
  case credentials(Pairing)
}

/// A link to a bridge's credentials.
package struct PairingLink: Sendable, Equatable {
  /// Without the code, such as `https://192.168.1.5:8765/pair/local`.
  package var url: String
  /// It is good for a minute, once.
  package var code: Secret
  /// What the bridge's certificate must be; nil where the code does not say.
  package var fingerprint: Fingerprint?

  package init(url: String, code: Secret, fingerprint: Fingerprint? = nil) {
    self.url = url
    self.code = code
    self.fingerprint = fingerprint
  }
}

/// What a bridge gives to who is paired with it.
package struct Pairing: Sendable, Equatable {
  /// The bridge's own id, the same by every way to it.
  package var agent: String
  /// Such as `wss://192.168.1.5:8765`.
  package var url: String
  package var token: Secret
  /// What a gate before the bridge wants besides.
  package var pass: GatePass?
  /// Where the agent works, on its own machine; older bridges do not say.
  package var folder: String?
  package var fingerprint: Fingerprint?

  package init(
    agent: String, url: String, token: Secret, pass: GatePass? = nil, folder: String? = nil,
    fingerprint: Fingerprint? = nil
  ) {
    self.agent = agent
    self.url = url
    self.token = token
    self.pass = pass
    self.folder = folder
    self.fingerprint = fingerprint
  }
}

/// What opens a gate before a server, as Cloudflare Access has them.
package struct GatePass: Sendable, Equatable {
  package var id: String
  package var secret: Secret

  package init(id: String, secret: Secret) {
    self.id = id
    self.secret = secret
  }
}

/// Why a text is nothing to be paired by.
package enum PairingProblem: Error, Sendable, Equatable {
  case empty
  /// Neither a link nor JSON.
  case unknown
  /// A link of another scheme than https, and http on this machine.
  case scheme(String)
  /// Plain http beyond this machine.
  case inTheClear(host: String)
  /// A link to something else.
  case otherPath(String)
  case badAddress
  case noCode
  case badCode
  case badFingerprint
  /// Credentials for another protocol.
  case otherProtocol(String)
  /// A field that must be there and is not, or is not what it should be.
  case missing(String)
}

/// Why a bridge gave no credentials.
package enum PairingRefusal: Sendable, Equatable {
  /// It says that the link lacks its code.
  case missingCode
  /// Wrong, used, or too old.
  case invalidCode
  /// After too many wrong tries.
  case rateLimited
  case disabled
  /// It ended the connection before a word was said, as it does after too many.
  case dropped
  /// What it gave is no credentials.
  case badCredentials(PairingProblem)
  /// The certificate in its credentials is not the one that the link named, or that it showed.
  case otherCertificate
}

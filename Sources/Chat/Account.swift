/// Signing in to a server.
package protocol Account: Sendable {
  /// What the server asks of whoever comes, and which ways in it offers. Needs no sign-in.
  func gate() async throws(BackendError) -> Gate

  /// Tells the server that the person agreed to what it shows.
  func acceptConsent() async throws(BackendError)

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn

  /// A key or personal access token that the person brought; it is tried before it is kept.
  func signIn(token: Secret) async throws(BackendError) -> SignedIn

  /// Begins a sign-in that the person finishes in a browser.
  /// - Parameters:
  ///   - provider: nil is the server's own page.
  ///   - elsewhere: the browser is not on this machine.
  func signIn(with provider: IdentityProvider?, elsewhere: Bool) async throws(BackendError) -> BrowserSignIn

  /// For how many seconds the server would let this device be remembered, asked once somebody is signed in; nil when it
  /// lets nobody, or not this person.
  func rememberLimit() async throws(BackendError) -> Int?

  /// Puts a token for this device in the place of what signed the person in.
  /// - Parameter name: what the server lists it as.
  func remember(as name: String) async throws(BackendError) -> Remembered

  /// Who the server thinks is asking.
  func person() async throws(BackendError) -> Person

  /// Whether there is anything to sign a request with; asks no server.
  func hasSignIn() async -> Bool

  /// Whether the environment has a key for the server. What the user types wins over it until this run ends.
  var hasEnvironmentKey: Bool { get }

  /// Revokes what can be revoked, tells the server, and forgets. Nothing is kept here afterwards, whatever the server
  /// says: what it left alive is in the result.
  func signOut() async throws(CredentialError) -> SignedOut
}

package struct Gate: Sendable, Equatable {
  /// false where the server knows no users.
  package var needsSignIn: Bool
  /// What the person must agree to first, as plain text.
  package var consent: Consent?
  /// Lines that a classified site wants shown, top and bottom.
  package var banner: [String]
  package var takesPassword: Bool
  package var takesToken: Bool
  /// Set if the server answers without a sign-in what `signIn(token:)` tries a token with: it may need no sign-in, or ask
  /// for one only when it is sent a message.
  package var isOpen: Bool
  /// What the server knows people by, where that is no token: such as `cookie of a browser that is signed in`.
  package var tokenName: String?
  package var providers: [IdentityProvider]
  /// For how many seconds a device may be remembered at most; nil when it cannot. What the server lets be said is told to
  /// those only who have signed in: see `rememberLimit`.
  package var rememberFor: Int?

  package struct Consent: Sendable, Equatable {
    package var text: String
    /// Such as `I agree`.
    package var button: String?

    package init(text: String, button: String? = nil) {
      self.text = text
      self.button = button
    }
  }

  package init(
    needsSignIn: Bool, consent: Consent? = nil, banner: [String] = [], takesPassword: Bool = false,
    takesToken: Bool = true, isOpen: Bool = false, tokenName: String? = nil, providers: [IdentityProvider] = [],
    rememberFor: Int? = nil
  ) {
    self.isOpen = isOpen
    self.tokenName = tokenName
    self.needsSignIn = needsSignIn
    self.consent = consent
    self.banner = banner
    self.takesPassword = takesPassword
    self.takesToken = takesToken
    self.providers = providers
    self.rememberFor = rememberFor
  }
}

package struct IdentityProvider: Sendable, Equatable {
  /// Such as `google`.
  package var alias: String
  /// Such as `Google`.
  package var name: String

  package init(alias: String, name: String) {
    self.alias = alias
    self.name = name
  }
}

package struct Person: Sendable, Equatable {
  package var name: String
  package var email: String?
  package var groups: [String]
  package var roles: [String]
  /// Milliseconds since 1970.
  package var expiresAt: Int?
  /// nil when the environment brought the key, or the server knows no users.
  package var kind: StoredSignIn.Kind?

  package init(
    name: String, email: String? = nil, groups: [String] = [], roles: [String] = [], expiresAt: Int? = nil,
    kind: StoredSignIn.Kind? = nil
  ) {
    self.name = name
    self.email = email
    self.groups = groups
    self.roles = roles
    self.expiresAt = expiresAt
    self.kind = kind
  }
}

/// A sign-in that the server did not refuse.
package struct SignedIn: Sendable, Equatable {
  package var person: Person
  /// Cleared if the server accepts anything where the token was tried: only its first answer shows whether it accepts
  /// the token.
  package var isChecked: Bool
  package var place: CredentialPlace
  /// Why it is kept for this run only.
  package var problem: CredentialError?

  package init(person: Person, isChecked: Bool = true, place: CredentialPlace, problem: CredentialError? = nil) {
    self.person = person
    self.isChecked = isChecked
    self.place = place
    self.problem = problem
  }
}

/// A sign-in that waits for a browser.
package struct BrowserSignIn: Sendable {
  /// What to open.
  package var url: String
  /// What to type there; nil when the page knows.
  package var code: String?
  /// Waits until the person is done. Cancelling the task ends the wait.
  package var finish: @Sendable () async throws(BackendError) -> SignedIn

  package init(url: String, code: String?, finish: @escaping @Sendable () async throws(BackendError) -> SignedIn) {
    self.url = url
    self.code = code
    self.finish = finish
  }
}

/// A device that is remembered.
package struct Remembered: Sendable, Equatable {
  /// Milliseconds since 1970; nil when the server does not say.
  package var expiresAt: Int?
  /// What the person may do and the device's token may not.
  package var missingRoles: [String]
  package var place: CredentialPlace
  /// Why it is kept for this run only.
  package var problem: CredentialError?

  package init(
    expiresAt: Int?, missingRoles: [String] = [], place: CredentialPlace, problem: CredentialError? = nil
  ) {
    self.expiresAt = expiresAt
    self.missingRoles = missingRoles
    self.place = place
    self.problem = problem
  }
}

package struct SignedOut: Sendable, Equatable {
  /// What the server did not take back, in the words of the failure; nil when it did, or had nothing to.
  package var left: BackendError?
  /// Whether a token of this device was revoked.
  package var revokedDevice: Bool
  /// A page that ends the sign-in at the identity provider too.
  package var page: String?

  package init(left: BackendError? = nil, revokedDevice: Bool = false, page: String? = nil) {
    self.left = left
    self.revokedDevice = revokedDevice
    self.page = page
  }
}

import Chat
import Store
import Text

extension Wording {
  /// Where a sign-in went.
  static func kept(_ place: CredentialPlace) -> SafeText {
    switch place {
    case .keyring: "the sign-in is kept in the keyring"
    case .helper(let name): "the sign-in is kept by docker-credential-\(name)"
    case .file(let path): "the sign-in is kept in \(path), readable by you alone and not encrypted"
    case .memory: "the sign-in holds for this run"
    }
  }

  /// How long a sign-in lasts if the user does not want the device remembered.
  static func notRemembered(_ place: CredentialPlace) -> SafeText {
    switch place {
    case .memory: "you are signed in for this run"
    case .keyring, .helper, .file:
      "signed in until the server ends the session; \(kept(place)); /logout deletes it"
    }
  }

  /// What signs somebody in.
  static func signIn(_ kind: StoredSignIn.Kind?) -> SafeText {
    switch kind {
    case .key: "token"
    case .device: "token of this device"
    case .session: "password or browser"
    case .guest: "a name that parley made up"
    case nil: "none, or a key of the environment"
    }
  }
}

extension Complaint {
  init(_ error: CredentialError) {
    switch error {
    case .unavailable(let place, let reason):
      self.init(
        "the credential store \(place) is not available (\(reason))", hint: "/settings credential-store auto",
        .storeUnusable)
    case .exposed(let exposure): self.init(exposure)
    case .broken(let path):
      self.init("\(path) is damaged: sign-ins in it cannot be read", hint: "/login signs in again", .storeUnusable)
    case .program(let name, let reason):
      self.init("\(name) failed (\(reason))", hint: "/settings credential-store file", .storeUnusable)
    case .file(let path, let reason): self.init("\(path): \(reason)", .storeUnusable)
    case .stillThere(let place):
      self.init("the sign-in is still in \(place)", hint: "take it away there by hand", .storeUnusable)
    }
  }

  /// A sign-in that was not taken.
  static func refusal(_ refusal: BackendError.SignInRefusal, at address: String) -> (text: SafeText, hint: SafeText?) {
    switch refusal {
    case .wrongPassword: ("Invalid username or password.", "/login tries again")
    case .wrongToken: ("\(address) does not take this token", "/login tries another")
    case .wrongEnvironmentKey:
      (
        "\(address) does not take the key of the environment",
        "unset PARLEY_TOKEN or KAMIWAZA_API_KEY, or type /login in the shell"
      )
    case .locked: ("this account is locked at \(address)", "ask your administrator")
    case .disabled: ("this account is disabled or not set up at \(address)", "ask your administrator")
    case .noPasswords: ("\(address) takes no passwords", "/login, then Enter alone, takes a token")
    case .providerDown: ("the identity provider of \(address) does not answer", "/login tries again later")
    case .browser(let reason): ("the browser sign-in did not come to its end (\(reason))", "/login takes a token too")
    case .nothingOffered: ("\(address) offers no way to sign in", nil)
    }
  }
}

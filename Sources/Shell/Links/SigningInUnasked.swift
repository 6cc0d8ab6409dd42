import Chat
import Store
import Text

/// Signing in without a question, and out.
extension Links {
  /// Signs in with what came on standard input: for scripts, without a question.
  mutating func signIn(
    user: String, password: Secret, remembers: Bool, _ desk: inout Desk
  ) async throws(ShellError) {
    let gate = try await passGate(&desk)
    desk.beginSignIn()
    guard gate.needsSignIn else {
      desk.endSignIn()
      return desk.say("server '\(link.server.name)' asks for no sign-in")
    }
    let signedIn = try await asking(&desk) { backend throws(BackendError) in
      try await backend.requireAccount().signIn(name: user, password: password)
    }
    report(signedIn, &desk)
    if remembers { try await rememberDevice(&desk) } else { try desk.sayWhereKept(signedIn) }
    reportEnvironmentKey(link.backend.account, desk)
  }

  /// Signs in with a token that was read.
  mutating func signIn(token: Secret, _ desk: inout Desk) async throws(ShellError) {
    desk.beginSignIn()
    let signedIn = try await asking(&desk) { backend throws(BackendError) in
      try await backend.requireAccount().signIn(token: token)
    }
    report(signedIn, &desk)
    try desk.sayWhereKept(signedIn)
    reportEnvironmentKey(link.backend.account, desk)
  }

  /// Signs out: what can be revoked is, and nothing is kept here afterwards.
  mutating func signOut(of other: Link, _ desk: inout Desk) async throws(ShellError) {
    guard let account = other.backend.account else { throw .noSignIn(server: other.server.name) }
    let wasIn = await account.hasSignIn()
    switch await desk.interruptible({ () throws(CredentialError) in try await account.signOut() }) {
    case .failure(let error): throw .credentials(error)
    case .success(let signedOut):
      let server = other.server
      if signedOut.revokedDevice { desk.say("the token of this device is revoked") }
      // A server that wants a sign-in has ended this one already.
      if let left = signedOut.left, left.exitsForSignIn == false {
        desk.say("the server was not told: \(Complaint(left, server: server.name, kind: server.kind).text)", .warning)
      }
      if let page = signedOut.page { desk.say("to sign out at the provider too, open \(page)") }
      desk.world.forgetConnections()
      desk.world.browseKeeping.forget(server.url)
      await unwatch(at: server.url)
      browsed = [:]
      desk.say(wasIn ? "signed out of \(server.name)" : "you were not signed in to \(server.name)")
      forgetModels(of: server, desk)
    }
  }

  /// What may be asked is for who is signed in; the next start then says that nobody is.
  private mutating func forgetModels(of server: Server, _ desk: Desk) {
    if front?.server.url == server.url {
      front?.models = []
      front?.modelsFetchedAt = nil
      endOverview()
    }
    guard server.kind == "kamiwaza", kept.named(server.name) != nil else { return }
    try? kept.remember([], of: server.name, at: desk.world.now())  // a list that stays is replaced at the next use
  }
}

extension BackendError {
  fileprivate var exitsForSignIn: Bool { if case .unauthorized = self { true } else { false } }
}

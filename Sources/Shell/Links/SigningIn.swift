import Chat
import Store
import Text

/// Signing in at a terminal: what the server wants agreed to, a way in, and whether to remember this device.
extension Links {
  /// Asks the user for a sign-in.
  /// - Parameter name: the user name, if it is known already.
  mutating func signIn(
    as name: String? = nil, with provider: String? = nil, remembers: Bool? = nil, _ desk: inout Desk
  ) async throws(ShellError) {
    let server = link.server.name
    guard let account = link.backend.account else { throw .noSignIn(server: server) }
    desk.beginSignIn()
    let gate = try await passGate(&desk)
    guard gate.needsSignIn else {
      desk.endSignIn()
      desk.say("server '\(server)' asks for no sign-in")
      return
    }
    guard desk.options.canType else { throw .signInNeeded(server: server) }
    if gate.isOpen, !link.hasAskedForSignIn {
      guard try await desk.agrees("\(server) answers without a sign-in. Save a key for it anyway?") else {
        desk.endSignIn()
        return desk.say("cancelled")
      }
    }
    try await desk.probeCredentials()
    if provider == nil { desk.say("Ctrl-C ends the sign-in") }
    let signedIn = try await enter(gate, as: name, with: provider, &desk)
    report(signedIn, &desk)
    if signedIn.person.kind == .session, gate.rememberFor != nil {
      try await offerToRemember(account, gate, remembers, signedIn, &desk)
    } else {
      try desk.sayWhereKept(signedIn)
    }
    reportEnvironmentKey(account, desk)
  }

  /// Reports a sign-in, and whether the server has checked it.
  mutating func report(_ signedIn: SignedIn, _ desk: inout Desk) {
    desk.endSignIn()
    link.hasUncheckedKey = !signedIn.isChecked
    desk.say(
      signedIn.isChecked
        ? "signed in as \(signedIn.person.name)"
        : "key saved; \(link.server.name) will check it with the first message")
    beginOverview(desk)
  }

  /// Reports that the next start uses a key of the environment in place of the sign-in.
  func reportEnvironmentKey(_ account: (any Account)?, _ desk: Desk) {
    guard account?.hasEnvironmentKey == true else { return }
    desk.say(
      """
      a key for \(link.server.name) is also set in the environment; parley will use that one from the next start \
      (/help environment)
      """, .warning)
  }

  /// Shows the banner and has the person agree to what the server wants agreed to.
  mutating func passGate(_ desk: inout Desk) async throws(ShellError) -> Gate {
    let server = link.server.name
    let gate = try await asking(&desk) { backend throws(BackendError) in
      try await backend.account?.gate() ?? Gate(needsSignIn: false)
    }
    for line in gate.banner { desk.say("\(line)", .warning) }
    guard let consent = gate.consent else { return gate }
    desk.world.terminal.write(.text(consentText(consent, desk) + "\n"), to: .notices)
    if !desk.options.answersYes {
      guard desk.options.canType else {
        throw .needsTerminal("server '\(server)' wants its terms agreed to", hint: "/login at a terminal, or --yes")
      }
      guard try await desk.agrees("\(consent.button ?? "Do you agree?")") else { throw .notAgreed(server: server) }
    }
    do throws(ShellError) {
      try await asking(&desk) { backend throws(BackendError) in try await backend.account?.acceptConsent() }
    } catch {
      if case .interrupted = error { throw error }
      // The gate is one of the platform's pages; it must not stop who is let in (docs/kamiwaza.md 3.3).
      desk.say("that you agreed could not be told: \(Complaint(error).text)", .warning)
    }
    return gate
  }

  private func consentText(_ consent: Gate.Consent, _ desk: Desk) -> SafeText {
    var flow = TextFlow(columns: desk.wrapColumns)
    let body = flow.feed(consent.text)
    return body + flow.finish()
  }

  private enum Way {
    case password(user: String)
    case token
    case browser(IdentityProvider)
  }

  /// A user name leads straight to its password; Enter alone shows what else there is.
  private func way(
    into gate: Gate, as name: String?, with provider: String?, _ desk: inout Desk
  ) async throws(ShellError) -> Way {
    if let provider { return .browser(try gate.provider(provider)) }
    if let name, gate.takesPassword { return .password(user: name) }
    if gate.takesPassword {
      let others = (gate.takesToken ? ["a token"] : []) + gate.providers.map(\.name)
      let note: SafeText = others.isEmpty ? "" : " (Enter alone for \(others.joined(separator: ", ")))"
      let user = try await userName(after: .text("user name\(note): "), &desk)
      if !user.isEmpty { return .password(user: user) }
      guard !others.isEmpty else { throw .noSecret }
    }
    guard !gate.providers.isEmpty else { return .token }
    return try await otherWay(gate, &desk)
  }

  /// A command in place of a name is a slip.
  private func userName(after prompt: StyledText, _ desk: inout Desk) async throws(ShellError) -> String {
    while true {
      let name = try await desk.answer(to: prompt)
      if LikelySecret.isKey(name) {
        desk.say("that looks like a key, which is not a user name; Enter alone leads to the prompt for one", .warning)
      } else if !name.hasPrefix("/") {
        return name
      } else {
        desk.say("a user name is asked for; Ctrl-C ends the sign-in, for a command", .warning)
      }
    }
  }

  private func otherWay(_ gate: Gate, _ desk: inout Desk) async throws(ShellError) -> Way {
    var lines: [SafeText] = gate.providers.map { "sign in with \($0.name)" }
    if gate.takesToken { lines.append("paste a \(gate.tokenName ?? "token")") }
    for (index, line) in lines.enumerated() {
      desk.world.terminal.write(.text("  \(index + 1)  \(line)\n"), to: .notices)
    }
    while true {
      let word = try await desk.answer(to: .text("which (1 to \(lines.count)): "))
      guard let number = Int(word), number >= 1, number <= lines.count else {
        if word.isEmpty { throw .interrupted }
        continue
      }
      return number <= gate.providers.count ? .browser(gate.providers[number - 1]) : .token
    }
  }

  /// Signs in. After a wrong password, asks for it again, or for another user name or a token; twice at most.
  private mutating func enter(
    _ gate: Gate, as name: String?, with provider: String?, _ desk: inout Desk
  ) async throws(ShellError) -> SignedIn {
    var (name, tries) = (name, 1)
    while true {
      switch try await way(into: gate, as: name, with: provider, &desk) {
      case .token: return try await enterToken(gate, &desk)
      case .browser(let provider): return try await enterInBrowser(provider, &desk)
      case .password(let user):
        guard let password = try await password(of: user, isAgain: tries > 1, &desk) else {
          name = nil
          continue
        }
        do throws(ShellError) {
          return try await asking(&desk) { backend throws(BackendError) in
            try await backend.requireAccount().signIn(name: user, password: password)
          }
        } catch {
          guard case .backend(.signInRefused(_, .wrongPassword), _, _) = error, tries < 3 else { throw error }
          desk.say(Complaint(error).text, .error)
          (name, tries) = (user, tries + 1)
        }
      }
    }
  }

  /// Asks for a token, and twice more where the server refuses it.
  private mutating func enterToken(_ gate: Gate, _ desk: inout Desk) async throws(ShellError) -> SignedIn {
    var tries = 1
    while true {
      let typed = try await desk.token(after: .text("\(gate.tokenName ?? "token") (not shown): "))
      // A whole address with one in it, as Jupyter prints it, is what people paste.
      let token = LikelySecret.withoutToken(typed.reveal()).token ?? typed
      do throws(ShellError) {
        return try await asking(&desk) { backend throws(BackendError) in
          try await backend.requireAccount().signIn(token: token)
        }
      } catch {
        guard case .backend(.signInRefused(_, .wrongToken), _, _) = error, tries < 3 else { throw error }
        tries += 1
        desk.say(Complaint(error).text, .error)
      }
    }
  }

  /// Asks for a password, which is never empty.
  /// - Parameter isAgain: whether the last one was wrong. Enter alone then returns nil, to ask for the user name again: a
  ///   password that is typed there would be shown.
  private func password(of user: String, isAgain: Bool, _ desk: inout Desk) async throws(ShellError) -> Secret? {
    guard isAgain else { return try await desk.secret(after: .text("password of \(user) (not shown): ")) }
    return try await desk.secretIfAny(
      after: .text("password of \(user) (not shown; Enter alone for another user name): "))
  }

  private mutating func enterInBrowser(
    _ provider: IdentityProvider?, _ desk: inout Desk
  ) async throws(ShellError) -> SignedIn {
    let elsewhere = !["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains { desk.world.environment[$0]?.isEmpty == false }
    let begun = try await asking(&desk) { backend throws(BackendError) in
      try await backend.requireAccount().signIn(with: provider, elsewhere: elsewhere)
    }
    // What a browser would take for another host is for the person to look at.
    let canOpen = begun.code == nil && (try? WebAddress(begun.url)) != nil
    let isOpen = canOpen && desk.world.openBrowser(begun.url)
    desk.say(
      isOpen ? "sign in on the page that opens in your browser; if none does, open" : "open in a browser", .plain)
    // Whole, on a line of its own: it is to be copied.
    desk.world.terminal.write(.text("  \(begun.url)\n", .accent), to: .notices)
    if let code = begun.code { desk.say("and type the code \(code) there", .plain) }
    desk.say("waiting for it; Ctrl-C ends the wait")
    return try await asking(&desk) { _ throws(BackendError) in try await begun.finish() }
  }

  /// The question of docs/kamiwaza.md 3.3.
  private mutating func offerToRemember(
    _ account: any Account, _ gate: Gate, _ remembers: Bool?, _ signedIn: SignedIn, _ desk: inout Desk
  ) async throws(ShellError) {
    // Whatever goes wrong from here on, the sign-in has worked: nothing is asked for anew.
    guard remembers != false,
      case .success(let limit?) = await desk.interruptible({ () throws(BackendError) in
        try await account.rememberLimit()
      })
    else { return try desk.sayWhereKept(signedIn) }
    let length = SigningInTime.text(limit)
    let wanted: Bool
    if let remembers {
      wanted = remembers
    } else {
      desk.say("Remember this device?", .plain)
      do throws(ShellError) {
        wanted = try await desk.agrees("Stay signed in for \(length) without re-entering your credentials.")
      } catch {
        // The person is signed in already: Ctrl-C says no to this question only.
        guard case .interrupted = error else { throw error }
        wanted = false
      }
    }
    guard wanted else {
      if signedIn.problem == nil, remembers == nil { return desk.say(Wording.notRemembered(signedIn.place)) }
      return try desk.sayWhereKept(signedIn)
    }
    try await rememberDevice(&desk)
  }

  /// Puts a token of its own in the place of the sign-in; a failure leaves the sign-in as it is.
  mutating func rememberDevice(_ desk: inout Desk) async throws(ShellError) {
    let name = "parley on \(desk.world.hostName)"
    let remembered: Remembered
    do throws(ShellError) {
      remembered = try await remembering(as: name, desk)
    } catch {
      if case .interrupted = error { throw error }
      // Who asked for it in a script learns that it is not so by the exit status.
      if !desk.options.canType { throw error }
      desk.say("this device is not remembered: \(Complaint(error).text)", .warning)
      return
    }
    if let problem = remembered.problem {
      if !desk.options.isInteractive { throw .credentials(problem) }
      desk.say("not kept: \(Complaint(.credentials(problem)).text)", .warning)
    }
    let until: SafeText = remembered.expiresAt.map { " until \(Moments.day($0 / 1000))" } ?? ""
    desk.say("this device is remembered\(until); \(Wording.kept(remembered.place))")
    if !remembered.missingRoles.isEmpty {
      desk.say("it may do less than you: no \(remembered.missingRoles.joined(separator: ", "))", .warning)
    }
  }

  private func remembering(as name: String, _ desk: Desk) async throws(ShellError) -> Remembered {
    guard let account = link.backend.account else { throw .noSignIn(server: link.server.name) }
    switch await desk.interruptible({ () throws(BackendError) in try await account.remember(as: name) }) {
    case .success(let remembered): return remembered
    case .failure(.cancelled): throw .interrupted
    case .failure(let error): throw link.failure(error)
    }
  }
}

extension Gate {
  func provider(_ word: String) throws(ShellError) -> IdentityProvider {
    let wanted = word.lowercased()
    guard let found = providers.first(where: { $0.alias.lowercased() == wanted || $0.name.lowercased() == wanted })
    else { throw .unknown(.provider, word, nearest: providers.map(\.alias)) }
    return found
  }
}

extension Backend {
  /// Asked only where there is one; a server that changes its kind meanwhile has none.
  func requireAccount() throws(BackendError) -> any Account {
    guard let account else { throw .signInRefused(address: server.name, .nothingOffered) }
    return account
  }
}

/// How long a device is remembered, in the largest unit that says it.
enum SigningInTime {
  static func text(_ seconds: Int) -> SafeText {
    let (count, unit) =
      seconds >= 86_400
      ? (seconds / 86_400, "day") : seconds >= 3600 ? (seconds / 3600, "hour") : (seconds / 60, "minute")
    return "\(count) \(unit)\(count == 1 ? "" : "s")"
  }
}

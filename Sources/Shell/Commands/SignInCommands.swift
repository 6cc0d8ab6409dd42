import Chat
import Store
import Text
import Wire

extension Commands {
  static let signIn = [login, logout, whoAmI]

  private static let login = Command(
    "login", .servers, summary: "sign in to the server in use",
    forms: [Form(.optional(.userName), flags: loginFlags)], flags: loginFlags,
    examples: ["/login", "/login anna", "parley /login --token-file ~/token", "parley /login anna --password-stdin"],
    details: """
      Passwords and tokens are typed unseen, or come on standard input or in a file; never on the line. What is kept \
      goes to the desktop's keyring, else to credentials.json, which is not encrypted (setting credential-store).
      """, needsPrompt: true
  ) { shell, match throws(ShellError) in
    try match.requireAtMostOne(of: [passwordStdin, tokenStdin, tokenFile, provider], in: "login")
    try match.requireAtMostOne(of: [remember, noRemember], in: "login")
    for token in [tokenStdin, tokenFile] {
      // A token is of somebody, and the device is remembered with a password alone.
      if match.value(of: token) != nil, !match.values.isEmpty {
        throw .exclusive(Parameter.userName.rawValue, token.name, command: "login")
      }
      try match.requireAtMostOne(of: [token, remember], in: "login")
      try match.requireAtMostOne(of: [token, noRemember], in: "login")
    }
    let readsPassword = match.value(of: passwordStdin) != nil
    let readsToken = match.value(of: tokenStdin) != nil
    let file = match.value(of: tokenFile)
    let provider = match.value(of: provider)
    let wants = match.value(of: remember) != nil
    let wantsNot = match.value(of: noRemember) != nil
    let user = match.values.first
    if let user, LikelySecret.isToken(user) { throw .secretOnLine }
    try await shell.links.connected(&shell.desk)
    if readsPassword || readsToken || file != nil { try await shell.desk.probeCredentials() }
    if readsPassword {
      guard let user else { throw .missing(.userName, command: "login") }
      try await shell.links.signIn(
        user: user, password: try await shell.desk.secret(after: []), remembers: wants, &shell.desk)
    } else if readsToken {
      try await shell.links.signIn(token: try await shell.desk.token(after: []), &shell.desk)
    } else if let file {
      try await shell.links.signIn(token: try await secret(in: file, shell), &shell.desk)
    } else {
      try await shell.links.signIn(
        as: user, with: provider, remembers: wants ? true : wantsNot ? false : nil, &shell.desk)
    }
    if !shell.links.link.backend.keepsTerminalsAlone { try await shell.links.takeModels(&shell.desk) }
    return .prompt
  }

  private static let loginFlags = [passwordStdin, tokenStdin, tokenFile, provider, remember, noRemember]
  private static let passwordStdin = Flag("--password-stdin", summary: "read the password from standard input")
  private static let tokenStdin = Flag("--token-stdin", summary: "read a token from standard input")
  private static let tokenFile = Flag("--token-file", .file, summary: "read a token from a file")
  private static let provider = Flag("--with", .provider, summary: "sign in with a provider, in the browser")
  private static let remember = Flag("--remember", summary: "remember this device without asking")
  private static let noRemember = Flag("--no-remember", summary: "do not ask to remember this device")

  private static func secret(in file: String, _ shell: Shell) async throws(ShellError) -> Secret {
    let text = try await shell.desk.readText(file).trimmed
    guard !text.isEmpty else { throw .noSecret }
    // As much as is taken at a prompt.
    guard text.utf8.count <= 64 << 10 else { throw .file(FileProblem(path: file, reason: "too long for a token")) }
    return Secret(text)
  }

  private static let logout = Command(
    "logout", .servers, summary: "sign out of the server in use", examples: ["/logout"],
    details: "A token that was made for this device is revoked first. The history stays.", needsPrompt: true
  ) { shell, _ throws(ShellError) in
    let link = try await shell.links.connected(&shell.desk)
    try await shell.links.signOut(of: link, &shell.desk)
    return .prompt
  }

  private static let whoAmI = Command(
    "whoami", .servers, summary: "who you are to the server in use", examples: ["/whoami", "parley /whoami --json"]
  ) { shell, match throws(ShellError) in
    let link = try await shell.links.connected(&shell.desk)
    guard link.backend.account != nil else { throw .noSignIn(server: link.server.name) }
    let person = try await shell.links.asking(&shell.desk) { backend throws(BackendError) in
      try await backend.requireAccount().person()
    }
    try await show(person, at: link.server, asJSON: match.asJSON, shell.desk)
    return .prompt
  }

  private static func show(_ person: Person, at server: Server, asJSON: Bool, _ desk: Desk) async throws(ShellError) {
    let kind = Wording.signIn(person.kind)
    // A sign-in that is renewed by itself has no end that anybody needs to know.
    let until = person.kind == .session ? nil : person.expiresAt.map { Moments.day($0 / 1000) }
    let facts: [(key: String, value: JSON)] = [
      ("server", .string(server.name)), ("name", .string(person.name)),
      ("email", person.email.map(JSON.string) ?? .null),
      ("roles", .array(person.roles.map(JSON.string))), ("groups", .array(person.groups.map(JSON.string))),
      ("signIn", .string(kind.string)), ("until", until.map(JSON.string) ?? .null),
    ]
    if asJSON || desk.options.output != .text {
      desk.show(.object(facts.map { .init($0.key, $0.value) }))
      return
    }
    let rows: [JSON] = facts.compactMap { fact in
      let text = fact.value.array.map { $0.compactMap(\.string).joined(separator: ", ") } ?? fact.value.string ?? ""
      return text.isEmpty
        ? nil : ["what": .string(fact.key == "signIn" ? "sign-in" : fact.key), "value": .string(text)]
    }
    try await desk.show(
      Listing(
        columns: [Listing.Column("WHAT", "what"), Listing.Column("VALUE", "value")], rows: rows, whenEmpty: ""),
      asJSON: false)
  }
}

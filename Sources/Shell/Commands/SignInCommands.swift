import Chat
import Store
import Text
import Wire

extension Commands {
  static let signIn = [login, logout, whoAmI]

  private static let login = Command(
    "login", .servers, summary: "sign in to the server in use", forms: [Form(.optional(.userName))],
    flags: [
      passwordStdin, tokenStdin, tokenFile, provider, remember,
      Flag("--no-remember", summary: "do not ask to remember this device"),
    ],
    examples: ["/login", "/login anna", "parley /login --token-file ~/token", "parley /login anna --password-stdin"],
    details: """
      Passwords and tokens are typed unseen, or come on standard input or in a file; never on the line. What is kept \
      goes to the desktop's keyring, else to credentials.json, which is not encrypted (setting credential-store).
      """
  ) { shell, arguments throws(ShellError) in
    var arguments = arguments
    let readsPassword = arguments.take(passwordStdin) != nil
    let readsToken = arguments.take(tokenStdin) != nil
    let file = arguments.take(tokenFile)
    let provider = arguments.take(provider)
    let wants = arguments.take(remember) != nil
    let wantsNot = arguments.take(Flag("--no-remember", summary: "")) != nil
    let user = arguments.words.first
    if let user, LikelySecret.isToken(user) { throw .secretOnLine }
    var connection = try await shell.connected()
    if readsPassword || readsToken || file != nil { try await shell.desk.probeCredentials() }
    if readsPassword {
      guard let user else { throw .missing(.userName, command: "login") }
      try await shell.signIn(
        &connection, user: user, password: try await shell.desk.secret(after: []), remembers: wants)
    } else if readsToken {
      try await shell.signIn(&connection, token: try await shell.desk.token(after: []))
    } else if let file {
      guard !file.isEmpty else { throw .missing(.file, command: "login --token-file") }
      try await shell.signIn(&connection, token: try secret(in: file, shell))
    } else {
      try await shell.signIn(
        &connection, as: user, with: provider, remembers: wants ? true : wantsNot ? false : nil)
    }
    try await shell.takeModels(&connection)
    return .prompt
  }

  private static let passwordStdin = Flag("--password-stdin", summary: "read the password from standard input")
  private static let tokenStdin = Flag("--token-stdin", summary: "read a token from standard input")
  private static let tokenFile = Flag("--token-file", .file, summary: "read a token from a file")
  private static let provider = Flag("--with", .provider, summary: "sign in with a provider, in the browser")
  private static let remember = Flag("--remember", summary: "remember this device without asking")

  private static func secret(in file: String, _ shell: Shell) throws(ShellError) -> Secret {
    let text: String
    do throws(FileProblem) { text = try shell.desk.world.readFile(file).trimmed } catch { throw .file(error) }
    guard !text.isEmpty else { throw .noSecret }
    // As much as is taken at a prompt.
    guard text.utf8.count <= 64 << 10 else { throw .file(FileProblem(path: file, reason: "too long for a token")) }
    return Secret(text)
  }

  private static let logout = Command(
    "logout", .servers, summary: "sign out of the server in use", examples: ["/logout"],
    details: "A token that was made for this device is revoked first. The history stays."
  ) { shell, _ throws(ShellError) in
    let connection = try await shell.connected()
    try await shell.signOut(of: connection)
    return .prompt
  }

  private static let whoAmI = Command(
    "whoami", .servers, summary: "who you are to the server in use", examples: ["/whoami", "parley /whoami --json"]
  ) { shell, arguments throws(ShellError) in
    var arguments = arguments
    let asJSON = arguments.takeJSONFlag()
    var connection = try await shell.connected()
    guard connection.backend.account != nil else { throw .noSignIn(server: connection.server.name) }
    let person = try await shell.asking(&connection) { backend throws(BackendError) in
      try await backend.requireAccount().person()
    }
    shell.connection = connection
    shell.show(person, at: connection.server, asJSON: asJSON)
    return .prompt
  }
}

extension Shell {
  /// Signs in with what came on standard input: for scripts, without a question.
  mutating func signIn(
    _ connection: inout Connection, user: String, password: Secret, remembers: Bool
  ) async throws(ShellError) {
    let gate = try await passGate(&connection)
    guard gate.needsSignIn else { return desk.say("server '\(connection.server.name)' asks for no sign-in") }
    let signedIn = try await asking(&connection) { backend throws(BackendError) in
      try await backend.requireAccount().signIn(name: user, password: password)
    }
    desk.say("signed in as \(signedIn.person.name)")
    if remembers { try await remember(&connection) } else { try desk.sayWhereKept(signedIn) }
  }

  /// Signs in with a token that was read.
  mutating func signIn(_ connection: inout Connection, token: Secret) async throws(ShellError) {
    let signedIn = try await asking(&connection) { backend throws(BackendError) in
      try await backend.requireAccount().signIn(token: token)
    }
    desk.say("signed in as \(signedIn.person.name)")
    try desk.sayWhereKept(signedIn)
  }

  /// Signs out: what can be revoked is, and nothing is kept here afterwards.
  mutating func signOut(of connection: Connection) async throws(ShellError) {
    guard let account = connection.backend.account else { throw .noSignIn(server: connection.server.name) }
    let wasIn = await account.hasSignIn()
    switch await desk.interruptible({ () throws(CredentialError) in try await account.signOut() }) {
    case .failure(let error): throw .credentials(error)
    case .success(let signedOut):
      let server = connection.server
      if signedOut.revokedDevice { desk.say("the token of this device is revoked") }
      // A server that wants a sign-in has ended this one already.
      if let left = signedOut.left, left.exitsForSignIn == false {
        desk.say("the server was not told: \(Complaint(left, server: server.name, kind: server.kind).text)", .warning)
      }
      if let page = signedOut.page { desk.say("to sign out at the provider too, open \(page)") }
      desk.world.forgetConnections()
      desk.world.browseKeeping.forget(server.url)
      browsed = [:]
      desk.say(wasIn ? "signed out of \(server.name)" : "you were not signed in to \(server.name)")
      forgetModels(of: server)
    }
  }

  /// What may be asked is for who is signed in; the next start then says that nobody is.
  private mutating func forgetModels(of server: Server) {
    if connection?.server.url == server.url {
      connection?.models = []
      connection?.modelsFetchedAt = nil
    }
    guard server.kind == "kamiwaza", servers.named(server.name) != nil else { return }
    try? servers.remember([], of: server.name, at: desk.world.now())  // a list that stays is replaced at the next use
  }

  fileprivate func show(_ person: Person, at server: Server, asJSON: Bool) {
    let kind = Wording.signIn(person.kind)
    // A sign-in that is renewed by itself has no end that anybody needs to know.
    let until = person.kind == .session ? nil : person.expiresAt.map { Day.text($0 / 1000) }
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
    desk.show(
      Listing(
        columns: [Listing.Column("WHAT", "what"), Listing.Column("VALUE", "value")], rows: rows, whenEmpty: ""),
      asJSON: false)
  }
}

extension BackendError {
  fileprivate var exitsForSignIn: Bool { if case .unauthorized = self { true } else { false } }
}

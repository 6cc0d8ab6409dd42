import Chat
import Store
import Text
import Wire

extension Commands {
  static let servers = [connect, server]

  private static let connect = Command(
    "connect", .servers, summary: "use a server and keep it",
    forms: [Form(.required(.url), .optional(.newName), flags: [kind]).switching()], flags: [kind],
    examples: [
      "/connect localhost:8080", "/connect https://kamiwaza.example.com lab", "/connect gpu1:8000 --kind openai",
    ],
    details: """
      A host, host:port or whole address, with or without /v1 or /api. The address is asked what it is, what worked is \
      kept, and the next start uses it. You are asked about a certificate that nobody vouches for, and to sign in where \
      the server wants it. A key may come from PARLEY_TOKEN (/help environment). --kind openai also takes a server that \
      does not list its models; /model NAME or -m NAME then names the one to ask.
      """
  ) { shell, match throws(ShellError) in
    let (address, token) = LikelySecret.withoutToken(match[0])
    let name = match.values.dropFirst().first
    let wanted = match.value(of: kind)
    if let name, LikelySecret.isToken(name) { throw .secretOnLine }
    try refusePortAlone(address, name)
    if let wanted, !shell.desk.world.kinds.contains(wanted) {
      throw .unknown(.kind, wanted, nearest: Nearest.words(to: wanted, among: shell.desk.world.kinds))
    }
    var link = try await shell.links.probed(address, named: name, kind: wanted, &shell.desk)
    if link.backend.keepsTerminalsAlone {
      try await shell.links.meetTerminals(link, named: name, token: token, &shell.desk)
      return .prompt
    }
    do throws(Servers.Failure) {
      link.server = try shell.links.kept.add(kind: link.server.kind, url: link.server.url, name: name)
        .server
    } catch {
      throw .servers(error)
    }
    link.isKept = true
    link.backend = try shell.links.backend(for: link.server, shell.desk)
    await shell.links.closeAgent(at: link.server.url)
    shell.links.stash(besides: link.server.url)
    shell.links.front = link
    if link.hasModelList { shell.links.keepModels(&shell.desk) } else { shell.links.noteMissingList(&shell.desk) }
    if case .broken(_, .some) = shell.links.kept.problem { shell.sayProblemWithServers() }
    shell.desk.say(
      "connected to \(link.server.name) (\(link.server.kind), \(link.server.url))\(offer(link))"
    )
    shell.links.sayExpiredCertificate(of: link.server, &shell.desk)
    if let token {
      try await shell.desk.probeCredentials()
      try await shell.links.signIn(token: token, &shell.desk)
    }
    if link.modelsFetchedAt == nil { try await shell.links.arrive(&shell.desk) }
    return .prompt
  }

  /// A number alone would be read as an IPv4 address, and one behind the host as the name that the server is given.
  private static func refusePortAlone(_ address: String, _ name: String?) throws(ShellError) {
    func isPort(_ word: String) -> Bool { UInt16(word) != nil }
    // Servers print `:8000` and `*:8000` for every address of this machine.
    let port = ["*:", ":"].first(where: address.hasPrefix).map { String(address.dropFirst($0.count)) } ?? address
    if isPort(port) { throw .unknown(.server, address, nearest: ["localhost:" + port]) }
    if let name, isPort(name) { throw .unknown(.server, "\(address) \(name)", nearest: ["\(address):\(name)"]) }
  }

  private static let kind = Flag("--kind", .kind, summary: "take it for a server of this kind")

  private static func offer(_ link: Link) -> SafeText {
    if link.modelsFetchedAt == nil { return "" }
    return link.models.count == 1 ? ": 1 model" : ": \(link.models.count) models"
  }

  private static let server = Command(
    "server", .servers, summary: "list or switch servers",
    forms: [
      Form(summary: "list the servers you keep") { shell, match throws(ShellError) in
        try await shell.desk.show(listing(of: shell), asJSON: match.asJSON)
      },
      Form(.word("use"), .required(.server), summary: "switch to one") { shell, match throws(ShellError) in
        try await use(match[0], &shell)
      }.switching(),
      Form(.word("settings"), summary: "what you have set on the server itself") { shell, match throws(ShellError) in
        try await RemoteSetting.list(match.asJSON, &shell)
      },
      Form(
        .word("settings"), .required(.remoteSetting), .required(.settingValue),
        summary: "change one; '' removes an entry"
      ) { shell, match throws(ShellError) in
        try await RemoteSetting.set(match[0], to: match.values.dropFirst().joined(separator: " "), &shell)
      },
      Form(.word("rename"), .required(.server), .required(.newName), summary: "give it another name") {
        shell, match throws(ShellError) in
        try rename(match[0], to: match[1], &shell)
      },
      Form(.word("remove"), .required(.server), summary: "forget one; its sessions stay") {
        shell, match throws(ShellError) in
        try await remove(match[0], &shell)
      },
      Form(
        .word("trust"), .optional(.server), .optional(.fingerprintOrFile), summary: "list or trust certificates"
      ) { shell, match throws(ShellError) in
        guard match.values.isEmpty else { return try await trust(match.values, &shell) }
        try await shell.desk.show(trustListing(of: shell), asJSON: match.asJSON)
      },
      Form(.word("forget-trust"), .required(.server), summary: "no longer trust its certificate") {
        shell, match throws(ShellError) in
        try forgetTrust(match[0], &shell)
      },
      Form(.word("allow"), .required(.origin), .optional(.server), summary: "let its sign-in go there too") {
        shell, match throws(ShellError) in
        try await allow(match.values, &shell)
      },
    ],
    unlisted: [
      Form(.required(.server)) { shell, match throws(ShellError) in try await use(match[0], &shell) }.switching(),
      Form(.word("allow")) { shell, match throws(ShellError) in
        try await shell.desk.show(allowListing(of: shell), asJSON: match.asJSON)
      },
    ],
    examples: [
      "/server", "/server use lab", "/server rename gpu1 lab", "/server trust lab ~/lab-ca.pem",
      "/server forget-trust lab", "/server allow http://10.0.0.7:61105 lab",
    ],
    details: """
      Certificates that the system trusts need nothing. Others are shown and asked about at first use, and refused when \
      they change. PROOF is the SHA-256 fingerprint that it must have, or, better, a file of certificates (PEM) of the \
      authority that signed it. A sign-in goes to its own server alone until you say where else it may go: ORIGIN is \
      http://HOST:PORT, which is not encrypted, or https://HOST:PORT. /server allow alone lists them.
      """)

  private static func use(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let name = try known(word, shell)
    try await shell.links.use(server: name, &shell.desk)
    do throws(Servers.Failure) { try shell.links.kept.use(name) } catch { throw .servers(error) }
    shell.desk.say("server: \(name)")
    if shell.links.link.backend.keepsTerminalsAlone {
      shell.desk.say("it keeps terminals and answers no messages: \(shell.desk.asTyped("/terminals"))")
    }
  }

  private static func rename(_ word: String, to new: String, _ shell: inout Shell) throws(ShellError) {
    let name = try known(word, shell)
    let url = try shell.links.kept.required(name).server.url
    do throws(Servers.Failure) { try shell.links.kept.rename(name, to: new) } catch { throw .servers(error) }
    shell.links.behind[url]?.server.name = new
    shell.links.renameWatched(at: url, to: new)
    if shell.links.front?.server.name == name { shell.links.front?.server.name = new }
    shell.desk.say("\(name) is \(new) now")
  }

  private static func remove(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let name = try known(word, shell)
    guard try await shell.desk.confirm("Forget server '\(name)' and its sign-in? Its sessions stay in the history.")
    else {
      return
    }
    let url = try shell.links.kept.required(name).server.url
    await shell.links.closeAgent(at: url)
    await shell.links.unwatch(at: url)
    try await shell.links.forgetSignIn(of: name, &shell.desk)
    do throws(Servers.Failure) { try shell.links.kept.remove(name) } catch { throw .servers(error) }
    if shell.links.front?.server.url == url { shell.links.leaveFront() }
    shell.desk.say("forgot server '\(name)'")
  }

  static func known(_ word: String, _ shell: Shell) throws(ShellError) -> String {
    try shell.links.kept.required(word).server.name
  }

  private static func listing(of shell: Shell) -> Listing {
    let current = shell.links.front?.server.name ?? shell.links.kept.current?.server.name
    return Listing(
      columns: [
        Listing.Column("SERVER", "name"), Listing.Column("KIND", "kind"), Listing.Column("ADDRESS", "url"),
        Listing.Column("MODEL", "model"), Listing.Column("") { $0["current"] == true ? "current" : "" },
      ],
      rows: shell.links.kept.entries.map { entry in
        [
          "name": .string(entry.server.name), "kind": .string(entry.server.kind), "url": .string(entry.server.url),
          "model": entry.model.map(JSON.string) ?? .null, "models": .int(entry.models.count),
          "current": .bool(entry.server.name == current),
        ]
      },
      whenEmpty: "no servers yet: /connect ADDRESS keeps one")
  }
}

import Chat
import Store
import Text

extension Commands {
  static let pairing = [pair]

  private static let pair = Command(
    "pair", .servers, summary: "pair with a bridge to an agent elsewhere",
    forms: [
      Form(flags: [plain], summary: "pair with a bridge, by a pasted code") { shell, match throws(ShellError) in
        shell.desk.beginSignIn()
        let isPlain = isPlain(match)
        let text = try await askedForCode(shell.desk)
        try await pair(try read(text, isPlain, shell), isPlain, &shell)
        shell.desk.endSignIn()
      }.switching(),
      Form(.required(.pairingCode), flags: [plain], summary: "pair by a link or a picture of the code") {
        shell, match throws(ShellError) in
        let isPlain = isPlain(match)
        let text = try await text(of: match[0], &shell)
        try await pair(try read(text, isPlain, shell), isPlain, &shell)
      }.switching(),
      Form(.required(.bridge), .required(.code), flags: [plain], summary: "pair by what it shows besides") {
        shell, match throws(ShellError) in
        let link: PairingLink
        do throws(PairingProblem) {
          link = try shell.desk.world.pairing.link(match[0], match[1], isPlain(match))
        } catch { throw .pairing(error) }
        try await pair(.link(link), isPlain(match), &shell)
      }.switching(),
    ],
    flags: [plain],
    examples: ["/pair", "/pair code.png", "/pair 192.168.1.5:8765 482913"],
    details: """
      A bridge runs beside an agent and shows a code to whoever stands before it, good for a minute. Its certificate is \
      held against the fingerprint in the code before anything is sent, and trusted by it from then on. What the bridge \
      gives goes where sign-ins go. An agent that is known already gets new credentials, and its sessions begin anew. An \
      agent elsewhere gets none of this machine's files and programs.
      """, needsPrompt: true)

  private static let plain = Flag("--plain", summary: "pair in the clear too, over http")

  private static func isPlain(_ match: Match) -> Bool { match.value(of: plain) != nil }

  private static func askedForCode(_ desk: Desk) async throws(ShellError) -> String {
    if desk.options.canType {
      desk.say("paste the link or the JSON of the bridge's code: it is not shown, and Ctrl-C leaves", .plain)
    }
    do throws(ShellError) { return try await desk.token(after: .text("code: ", .accent)).reveal() } catch {
      if case .noSecret = error { throw .pairing(.empty) }
      throw error
    }
  }

  /// Of a link itself, a picture of one, or a file with its text. Credentials belong on no line.
  private static func text(of word: String, _ shell: inout Shell) async throws(ShellError) -> String {
    if word.hasPrefix("{") { throw .secretOnLine }
    if word.contains("://") { return word }
    guard shell.desk.world.fileExists(word) else {
      if word.contains(":") { throw .missing(.code, command: "pair") }
      if word.allSatisfy(\.isNumber) { throw .missing(.bridge, command: "pair") }
      throw .file(FileProblem(path: word, reason: "it is no link, and there is no such file"))
    }
    let isText = ["txt", "json"].contains { word.lowercased().hasSuffix("." + $0) }
    if isText { return try await shell.desk.readText(word) }
    let (read, path) = (shell.desk.world.readPicture, shell.desk.world.absolutePath(word))
    let tried: Result<String, FileProblem> = await shell.desk.interruptible { () throws(FileProblem) in
      try await read(path)
    }
    do throws(FileProblem) { return try tried.get() } catch { throw .file(error) }
  }

  private static func read(_ text: String, _ plain: Bool, _ shell: Shell) throws(ShellError) -> PairingText {
    do throws(PairingProblem) { return try shell.desk.world.pairing.read(text, plain) } catch { throw .pairing(error) }
  }

  private static func pair(_ text: PairingText, _ plain: Bool, _ shell: inout Shell) async throws(ShellError) {
    let before = shell.links.front?.server.url
    guard let paired = try await shell.links.pair(by: text, plain: plain, &shell.desk) else { return }
    try await shell.renewSessions(of: paired)
    await shell.links.connectPaired(&shell.desk)
    shell.goOver(from: before, to: shell.links.link.server.url)
  }

  /// What was given out for an agent goes with it.
  static func forgetPairing(with server: Server, _ shell: Shell) async throws(ShellError) {
    do throws(CredentialError) { try await shell.desk.world.pairing.forget(server) } catch {
      throw .credentials(error)
    }
  }
}

extension Shell {
  /// An agent that was paired with anew knows none of its sessions by what it called them.
  fileprivate mutating func renewSessions(of paired: Links.Paired) async throws(ShellError) {
    let url = paired.server.url
    if paired.isInPlaceOfAnother { try await forgetNames(givenBy: url) }
    guard let before = paired.before else { return }
    // What was allowed there was allowed to who is not there any more.
    if before != url { try revokePermissions(of: before) }
    try await talk.fromHistory(desk) { history throws(HistoryError) in
      try await history.renewSessions(of: before, nowAt: url)
    }
    talk.parked[before] = nil
    if talk.conversation.session.server?.url == before { leaveSession() }
  }

  /// What was known of the agent that was there is not of the one that is there now.
  private mutating func forgetNames(givenBy url: String) async throws(ShellError) {
    try revokePermissions(of: url)
    try await talk.fromHistory(desk) { history throws(HistoryError) in
      try await history.renewSessions(of: url, nowAt: url)
    }
    talk.parked[url] = nil
    if talk.conversation.session.server?.url == url { leaveSession() }
  }

  private mutating func revokePermissions(of url: String) throws(ShellError) {
    do throws(FileError) { try toolbox.permissions.revoke(nil, of: url) } catch { throw .permissions(error) }
  }
}

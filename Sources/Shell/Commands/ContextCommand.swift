import Chat
import Store
import Text

extension Commands {
  static let context = Command(
    "context", .chat, summary: "how full what the model reads is",
    forms: [
      Form(summary: "how much is used, and by which turns") { shell, match throws(ShellError) in
        try await stand(&shell)
        try show(match.asJSON, &shell)
      },
      Form(.word("drop"), .optional(.number), summary: "leave out the oldest turns") {
        shell, match throws(ShellError) in
        try await drop(match.values.first, &shell)
      },
      Form(.word("summary"), summary: "have it summed up, go on from that") { shell, _ throws(ShellError) in
        try await standOverWhatIsSent(&shell)
        guard shell.talk.conversation.path[...].sent.contains(where: \.isSent) else {
          throw .context(.nothingToSumUp)
        }
        try await shell.sumUp()
      },
      Form(.word("all"), summary: "send all turns again") { shell, _ throws(ShellError) in
        try await standOverWhatIsSent(&shell)
        let had = shell.talk.conversation.path[...].sent.startIndex > 0
        await shell.talk.clearContext(shell.desk)
        shell.desk.say(had ? "all turns are sent again" : "all turns are sent already")
      },
    ],
    examples: ["/context", "/context drop 3", "/context summary"],
    details: """
      A model reads a conversation anew for each answer, and no more than so many tokens at once. From half of them on the \
      prompt shows how much is used, and at a message that does not fit you choose what becomes of it. Turns that are \
      left out stay in the history, where they are. Without a number as many are left out as it takes for the rest to \
      fill half. A summary is a turn as any other, and what is sent begins with it.
      """)

  /// One command from outside is about the last session, and about a server that may have to be asked for its models.
  private static func stand(_ shell: inout Shell) async throws(ShellError) {
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    try await shell.links.connectedWithModel(for: shell.talk.conversation.session, &shell.desk)
  }

  private static func standOverWhatIsSent(_ shell: inout Shell) async throws(ShellError) {
    try await stand(&shell)
    let link = shell.links.link
    guard link.backend.isSentAll else {
      throw .context(.keptThere(server: link.server.name))
    }
  }

  private static func show(_ asJSON: Bool, _ shell: inout Shell) throws(ShellError) {
    let (desk, link) = (shell.desk, shell.links.link)
    let isElsewhere = !link.backend.isSentAll
    if isElsewhere, shell.contextUse == nil { throw .context(.keptThere(server: link.server.name)) }
    let use = shell.contextUse ?? shell.talk.conversation.contextUse(of: link.window, by: link.server.name)
    if asJSON || desk.options.output != .text {
      return desk.show(ContextPage.json(use, model: link.model, server: link.server.name))
    }
    desk.show(
      ContextPage.text(
        use, model: "\(link.model ?? link.server.name)", bar: desk.barSign, columns: desk.wrapColumns))
  }

  private static func drop(_ word: String?, _ shell: inout Shell) async throws(ShellError) {
    try await standOverWhatIsSent(&shell)
    let sent = shell.talk.conversation.path[...].sent
    guard !sent.isEmpty else { throw .context(.nothingToLeaveOut) }
    var count = 0
    if let word {
      guard let number = Int(word) else { throw .badNumber(word, command: "context drop") }
      count = number
    } else {
      let tokens = shell.contextUse?.tokens ?? 0
      let room = (shell.links.link.window ?? tokens) / 2
      count = max(1, shell.talk.conversation.turnsToLeaveOut(before: .new(""), of: tokens, within: room))
    }
    guard 1...sent.count ~= count else { throw .context(.tooMany(sent.count)) }
    await shell.leaveOut(sent.prefix(count))
  }
}

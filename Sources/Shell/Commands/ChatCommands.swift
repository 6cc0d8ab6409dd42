import Chat
import Store
import Text

extension Commands {
  static let chat = [new, retry, edit, goOn, raw, system, title]

  private static let new = Command(
    "new", .chat, summary: "start a session", forms: [Form(.optional(.title))], examples: ["/new Plans for the garden"],
    details: "The session before stays in the history; /resume goes back to it.", needsPrompt: true
  ) { shell, match throws(ShellError) in
    // It is kept with its first message.
    if shell.desk.isOneCommand {
      throw .doesNothingAlone(command: "new", hint: "parley -c \"/new Plans\" -c \"a message\"")
    }
    await shell.talk.keepBeforeLeaving(shell.desk)
    shell.leaveSession(for: match.text.isEmpty ? nil : match.prose)
    shell.desk.say("new session")
    return .prompt
  }

  private static let retry = Command(
    "retry", .chat, summary: "ask again; the earlier answer is kept", forms: [Form(.optional(.handle))],
    examples: ["/retry", "/retry #2"]
  ) { shell, match throws(ShellError) in
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    try await shell.catchUpBeforeChoosing()
    guard
      let turn = try await shell.talk.turn(match.values.first, command: "retry", shell.desk)
        ?? shell.talk.conversation.path.last
    else {
      throw .noAnswer(.nothingToRetry)
    }
    try await shell.talk.standBeside(turn, shell.desk)
    return .send(.retry(turn))
  }

  private static let edit = Command(
    "edit", .chat, summary: "change an earlier message and ask again",
    forms: [
      Form(summary: "put the last message on the line"),
      Form(.required(.handle), summary: "put that one there"),
      Form(.required(.handle), .required(.text), summary: "ask this in its place"),
    ], examples: ["/edit", "/edit #2", "/edit #2 And the one of Spain?"],
    details: "Nothing is overwritten: the message before, and what followed it, stay in the history on another branch."
  ) { shell, match throws(ShellError) in
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    try await shell.catchUpBeforeChoosing()
    guard
      let turn = try await shell.talk.turn(match.values.first, command: "edit", shell.desk)
        ?? shell.talk.conversation.path.last
    else { throw .noAnswer(.nothingToRetry) }
    if match.values.count > 1 {
      try await shell.talk.standBeside(turn, shell.desk)
      return .send(.edited(turn, text: match.values.dropFirst().joined(separator: " "), files: turn.files))
    }
    guard shell.desk.isAtPrompt else { throw .missing(.text, command: "edit") }
    shell.talk.draft = turn.question
    shell.talk.replaced = turn
    shell.desk.say("what you send now takes the place of #\(turn.number); an empty line leaves it as it is")
    return .prompt
  }

  private static let goOn = Command(
    "continue", .chat, summary: "go on with an unfinished answer", examples: ["/continue"],
    details: "The server is sent the answer so far and writes on from there; how well depends on the model."
  ) { shell, match throws(ShellError) in
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    await shell.talk.keepUnkept(shell.desk)
    guard let last = shell.talk.conversation.path.last else { throw .noAnswer(.nothingToContinue(status: nil)) }
    let running = try await shell.meetServer()
    shell.showGrown(since: last)
    if let running { return .send(.continuing(running)) }
    let turn = try await shell.talk.newest(shell.talk.conversation.path.last ?? last, shell.desk)
    // A question whose answer never began is simply asked again, in its place.
    guard let answer = turn.answer, !answer.text.isBlank || !turn.steps.isEmpty || answer.status?.isUnfinished == false
    else { return .send(shell.links.front?.backend.showsConversations == true ? .retry(turn) : .continuing(turn)) }
    try await shell.links.require(.continues, &shell.desk)
    guard answer.status?.isUnfinished ?? true else { throw .noAnswer(.nothingToContinue(status: answer.status)) }
    return .send(.continuing(turn))
  }

  private static let system = Command(
    "system", .chat, summary: "show or set this session's system prompt",
    forms: [Form(summary: "show this session's system prompt"), Form(.required(.text), summary: "set it")],
    examples: ["/system You answer in one sentence.", "/system ''    no system prompt"],
    details: "New sessions begin with the setting system-prompt."
  ) { shell, match throws(ShellError) in
    guard !match.text.isEmpty else {
      let prompt = shell.talk.conversation.session.systemPrompt ?? ""
      shell.desk.show(.text(prompt.isEmpty ? "no system prompt\n" : Filter.block(prompt) + "\n"))
      return .prompt
    }
    if shell.desk.isOneCommand, !shell.talk.conversation.isStored {
      throw .doesNothingAlone(
        command: "system", hint: "-C is for the last session, --system TEXT with a message for one answer")
    }
    if shell.desk.isOneCommand { try await shell.talk.requireKeeping(shell.desk) }
    let prompt = match.prose
    try await shell.confirmSecret(in: prompt, as: .systemPrompt)
    if shell.talk.conversation.isStored {
      let id = shell.talk.conversation.session.id
      try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
        try await history.setSystemPrompt(prompt.isEmpty ? nil : prompt, of: id)
      }
    }
    shell.talk.conversation.session.systemPrompt = prompt.isEmpty ? nil : prompt
    shell.desk.say(prompt.isEmpty ? "no system prompt from here on" : "system prompt set for this session")
    return .prompt
  }

  private static let title = Command(
    "title", .chat, summary: "show or set this session's title", forms: [Form(.optional(.title))],
    examples: ["/title Capitals of Europe"]
  ) { shell, match throws(ShellError) in
    if shell.desk.isOneCommand {
      try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
      guard shell.talk.conversation.isStored else { throw .noSessions }
    }
    guard !match.text.isEmpty else {
      shell.desk.show(.text(SessionPage.name(shell.talk.conversation.session, shell.talk.conversation.path) + "\n"))
      return .prompt
    }
    try await shell.talk.requireKeeping(shell.desk)
    let title = match.prose
    guard !title.trimmed.isEmpty else { throw .missing(.title, command: "title") }
    try await shell.talk.setTitle(title, shell.desk)
    shell.desk.say("title: \(title)")
    return .prompt
  }
}

import Chat
import Store
import Text
import Wire

/// A message on its way: asked, answered, shown and kept.
extension Shell {
  /// Sends a question and shows its answer as it comes. What goes along with it and cannot is thrown before anything is
  /// asked or kept, and the line comes back.
  mutating func send(_ asked: Question) async throws(ShellError) {
    await talk.leaveTitle()
    let asked = await talk.keepUnkept(before: asked, desk)
    do throws(ShellError) {
      guard let sent = try await ready(asked) else { return }
      await send(sent)
    } catch {
      talk.mentioned = []
      if desk.isAtPrompt { talk.draft = lastLine }
      throw error
    }
  }

  /// A question in the form that the server takes.
  private struct Ready {
    let question: Question
    let form: AttachmentForm
    let offered: [OfferedTool]
    let messages: [Message]
  }

  /// What is sent, with what goes along; nil when something stands in the way, which is said.
  private mutating func ready(_ asked: Question) async throws(ShellError) -> Ready? {
    let files = try talk.files(for: asked, desk)
    let whole = try await talk.reading(files, desk)
    let question = asked.attaching(talk.attachment).with(whole)
    await tellNews()
    guard let offered = await prepared(for: question) else {
      if question.isNew { talk.letGo() }
      return nil
    }
    let form = try await links.link.attachmentForm(
      hasImages: talk.conversation.hasImages(asking: question), desk)
    try links.link.require(files, as: form)
    try await allowMove(of: question, to: links.link)
    let scale = try await makeRoom(for: question, offering: offered, as: form)
    let messages = messages(asking: question, of: try await talk.conversationToSend(as: form, desk), as: form)
    if question.isNew {
      for file in files { desk.say(file.file.line) }
      if let crowding = links.link.crowding(files.map(\.file), as: form, scale: scale) {
        desk.say(crowding, .warning)
      }
      talk.letGo()
    }
    return Ready(question: question, form: form, offered: offered, messages: messages)
  }

  private mutating func send(_ sent: Ready) async {
    let (question, form) = (sent.question, sent.form)
    sayWhatIsKnown(before: question)
    if form == .words, talk.conversation.hasImages(asking: question) {
      desk.sayOnce(
        "'\(links.link.model ?? links.link.server.name)' takes no images: of earlier ones the names are sent")
    }
    let kept = await talk.storeQuestion(question, to: links.front, desk)
    var turn = TurnUnderWay(
      question, in: talk.conversation.session.id, offered: sent.offered, messages: sent.messages,
      kept: kept, files: form == .files ? question.files : [], began: desk.world.uptime())
    let answered = await askInRounds(&turn)
    // Kept before it is looked at: that may take longer than anybody waits.
    await talk.storeAnswer(answered, of: turn, by: links.link, desk)
    let outcome = await checked(answered, turn)
    conclude(outcome, turn)
    if outcome.status == .complete {
      desk.lacksSignIn = false
      links.front?.hasUncheckedKey = false
    }
    await noteContext(outcome, turn)
    notify(outcome.status, after: desk.world.uptime() - turn.began)
    if outcome.status == .complete, !links.link.isModelChosen { try? links.noteAsked() }  // a note, no more
    await links.offerModels(after: outcome.error, &desk)
  }

  /// What the server is sent, if it keeps nothing itself. One that has system prompts of its own is told none that the
  /// person did not ask for.
  func messages(
    asking question: Question, of conversation: Conversation, as form: AttachmentForm
  ) -> [Message] {
    var messages = conversation.messages(asking: question, as: form)
    // What of an answer is here is not handed out again when it is listened to again.
    if case .continuing(let turn) = question, links.link.backend.showsConversations, let answer = turn.answer {
      if messages.last?.role == .assistant, !answer.text.isBlank { messages.removeLast() }
      messages.append(Message(.assistant, answer.text, reasoning: answer.reasoning))
    }
    guard links.link.backend.abilities.contains(.hasSystemPrompts), desk.options.system == nil,
      desk.preferences.origin(of: "system-prompt") == .standard,
      talk.conversation.session.systemPrompt == desk.preferences.systemPrompt
    else { return messages }
    return messages.filter { $0.role != .system }
  }

  /// An agent elsewhere may have gone on with this session while nobody was connected: that is part of what was said
  /// before.
  private mutating func catchUp() async throws(ShellError) {
    if remoteConversation != nil, links.front?.backend.showsConversations == true {
      return try await catchUpWithServer()
    }
    guard let remote = remoteConversation, let link = links.front, !link.server.isProgram,
      let agent = link.backend.agent,
      [.none, .ended].contains(agent.state.connection)
    else { return }
    let session = talk.conversation.session.id.text
    let tried: Result<Void, BackendError> = await desk.interruptible { () throws(BackendError) in
      try await agent.enter(session, known: remote)
    }
    switch tried {
    case .failure(.cancelled): throw .interrupted
    case .failure(.unreachable(let address, let reason)):
      throw link.failure(.unreachable(address: address, reason: reason))
    case .failure(.timedOut(let address, let wait, let seconds)):
      throw link.failure(.timedOut(address: address, wait, seconds: seconds))
    // What else is in the way is settled by who asks.
    case .failure, .success: await tellNews()
    }
  }

  /// Whom to ask, and the tools to offer; nil when something stands in the way, which is said.
  private mutating func prepared(for question: Question) async -> [OfferedTool]? {
    do throws(ShellError) {
      try await links.connectedWithModel(for: talk.conversation.session, &desk)
      try await catchUp()
      return try await toolbox.offeredTools(in: talk.conversation.session.id, &links, &desk)
    } catch {
      let kept = await talk.storeUnasked(question, to: links.front, error, desk)
      let complaint = Complaint(error)
      // The server that the command line names does not exist: /retry would ask another one.
      let isWrongServer = desk.options.server != nil && links.front == nil && complaint.status == .usage
      fail(complaint.offeringRetry(kept.mayRetry && !isWrongServer), turn: kept.number)
      return nil
    }
  }

  /// What the next answer does not follow from what is seen: a question that was never answered is not sent along, and
  /// an answer that is asked for again is not forgotten by who keeps the conversation.
  private mutating func sayWhatIsKnown(before question: Question) {
    let remembers = links.link.backend.abilities.contains(.keepsConversations)
    switch question {
    case .new:
      guard !remembers, let last = talk.conversation.path.last, last.isUnanswered else { return }
      desk.say("your previous message has no answer; it is not sent again")
    case .retry(let turn):
      if remembers, !links.link.backend.showsConversations, !turn.isUnanswered {
        desk.sayOnce("the agent remembers the first answer too")
      }
    case .continuing, .edited: break
    }
  }

  /// Asks, carries out what the answer asks for, and asks again, until an answer asks for nothing more.
  private mutating func askInRounds(_ turn: inout TurnUnderWay) async -> Outcome {
    while true {
      let request = ChatRequest(
        model: links.link.model, messages: turn.messages, tools: turn.offered.map(\.tool),
        toolFormat: desk.preferences.toolFormat,
        sampling: desk.preferences.sampling, hasDefaultTemperature: desk.preferences.hasDefaultTemperature,
        timeouts: desk.preferences.timeouts, schema: schema?.json,
        conversation: talk.conversation.session.id.text, remoteConversation: remoteConversation,
        place: !links.link.backend.showsConversations ? nil : talk.conversation.place(of: turn.question),
        files: turn.files, watch: TransferWatch())
      if desk.options.isVerbose { tell(request, to: links.link.server) }
      let outcome = await ask(request, &turn)
      turn.note(outcome)
      let calls = outcome.growing.calls
      if calls.isEmpty { return outcome }
      guard outcome.status == .complete else {
        desk.say(ToolWording.notRun(calls), .warning)
        return outcome
      }
      if let ending = await toolbox.carryOut(outcome, &turn, &links, &desk) {
        return outcome.ended(ending, at: desk.world.uptime())
      }
    }
  }

  /// Asks until there is an answer, or a failure that the person cannot remove. Nothing is asked again once a word of
  /// the answer has come.
  private mutating func ask(_ request: ChatRequest, _ turn: inout TurnUnderWay) async -> Outcome {
    var request = request
    var settled = Settled()
    while true {
      // What was made before it failed is gone on with.
      request.remoteConversation = remoteConversation
      let answer = links.link.backend.answer(request)
      desk.world.terminal.whenInterrupted { _ in answer.stop() }
      let outcome = await read(answer, watching: request.watch, &turn)
      desk.world.terminal.whenInterrupted(nil)
      desk.isAnswering = !outcome.growing.isUntouched
      guard let error = outcome.error, outcome.growing.isUntouched else { return outcome }
      do throws(ShellError) {
        if error.isAboutModel {
          guard try await links.switchModel(isNew: talk.conversation.path.isEmpty, &settled, &desk) else {
            return outcome
          }
          request.model = links.link.model
          await talk.keepModel(request.model)
        } else {
          guard try await links.settle(error, &settled, &desk) else { return outcome }
        }
      } catch {
        if case .interrupted = error { return outcome.interrupted }
        desk.complain(Complaint(error).offeringRetry(talk.mayRetry(turn.kept, desk)))
        return outcome.explained(by: error)
      }
    }
  }

  /// One loop: the same event is folded, shown and kept.
  private mutating func read(
    _ answer: Answer, watching watch: TransferWatch?, _ turn: inout TurnUnderWay
  ) async -> Outcome {
    let incoming = IncomingAnswer(
      GrowingAnswer(began: desk.world.uptime(), continuing: turn.earlierAnswer), uptime: desk.world.uptime,
      pause: desk.world.pause, save: turn.kept?.grow)
    var output = AnswerOutput(
      desk, by: links.link.model ?? links.link.server.name, of: links.link.server.name, watching: watch,
      follows: turn.hasNewSteps && turn.texts.contains { !$0.isEmpty }, after: turn.earlierAnswer?.text)
    var failure: BackendError?
    do throws(BackendError) {
      for try await event in answer {
        incoming.absorb(event)
        await keep(event, of: incoming, in: &turn)
        output.show(event)
        if case .question(let question) = event {
          if question.isOpen() { output.pause(for: question) }
          await reply(to: question, stopping: answer)
        }
      }
    } catch {
      failure = error
    }
    output.end()
    var outcome = Outcome(
      growing: incoming.end(), error: failure, uptime: desk.world.uptime(), hidden: output.hidden)
    await talk.concludeActivities(
      of: &turn, endedWell: [.complete, .length, .filtered].contains(outcome.status), desk)
    outcome.isRemembered = links.link.backend.abilities.contains(.keepsConversations)
    return outcome
  }

  /// What an agent's server says besides the answer is kept as it comes.
  private mutating func keep(_ event: ChatEvent, of incoming: IncomingAnswer, in turn: inout TurnUnderWay) async {
    switch event {
    case .activity(let activity):
      await talk.keep(activity, after: incoming, in: &turn, of: links.link.server, desk)
    case .conversation(let id): await talk.keepRemote(id, desk)
    case .named(let name):
      turn.remote = name
      await talk.keep(name, of: turn, desk)
    case .title(let title): await talk.keepTitle(title, desk)
    default: break
    }
  }

  /// What an agent waits for. A Ctrl-C that leaves the question stops the turn that it is of (docs/acp.md 5).
  private mutating func reply(to question: AgentQuestion, stopping answer: Answer) async {
    guard question.isOpen() else { return }
    desk.world.terminal.whenInterrupted(nil)
    let link = links.link
    let reply = await toolbox.reply(to: question, of: link.server, in: link.backend.agent?.state.folder, &desk)
    // A question that is left is answered by the stop, which the agent hears of first.
    if reply == .cancel { answer.stop() } else { question.reply(reply) }
    desk.world.terminal.whenInterrupted { _ in answer.stop() }
  }

  /// What the server in use calls this conversation.
  var remoteConversation: String? {
    talk.conversation.session.server?.url == links.front?.server.url ? talk.conversation.session.remote : nil
  }

  /// What is sent, for `--verbose`.
  private func tell(_ request: ChatRequest, to server: Server) {
    desk.say(Wording.request(request, to: server))
    for message in request.messages {
      desk.say("  \(message.role.rawValue): \(Filter.inline(message.content, width: 200))")
      for image in message.images { desk.say("    image \(image.name), \(ByteSize.text(image.bytes.count))") }
    }
    for file in request.files { desk.say("  file \(file.name), \(ByteSize.text(file.bytes.count))") }
  }
}

extension Question {
  /// The answer that is gone on with.
  var earlierAnswer: StoredAnswer? {
    if case .continuing(let turn) = self { turn.answer } else { nil }
  }
}

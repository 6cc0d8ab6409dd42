import Chat
import Store
import Text

/// Room in what a model reads at once: nothing of a conversation is left out but by the person's choice, and it is said
/// which turns are.
extension Shell {
  /// What the conversation takes; nil where nothing is known of it.
  var contextUse: ContextUse? {
    guard let link = links.front, !talk.conversation.path.isEmpty else { return nil }
    guard !link.backend.isSentAll else {
      var use = talk.conversation.contextUse(of: link.window, by: link.server.name, since: talk.counted)
      let told = toldTokens(before: .new(""))
      if told > use.tokens { (use.tokens, use.isCounted) = (told, false) }
      return use
    }
    guard let state = link.backend.agent?.state, let used = state.used else { return nil }
    return ContextUse(tokens: used, isCounted: true, window: state.size)
  }

  /// Lets the person choose what becomes of a message that does not fit any more. Throws `leftAsItIs`, `needsYes` where
  /// nobody can be asked, and `context` when a summary that was wanted did not come.
  /// - Returns: how many tokens the server counts for one that is estimated; 1 where nothing was counted.
  mutating func makeRoom(
    for question: Question, offering tools: [OfferedTool], as form: AttachmentForm
  ) async throws(ShellError) -> Double {
    guard links.link.backend.isSentAll, let window = links.link.window, question.text != ContextPage.request else {
      return 1
    }
    let estimate = tokens(before: question, offering: tools) + question.tokens
    // An estimate may be wrong by half. What is far from the limit fits all the same.
    let counted = estimate > window / 2 ? try await countedTokens(of: question, offering: tools, as: form) : nil
    let scale = counted.map { Double($0) / Double(max(1, estimate)) } ?? 1
    let hasTurns = talk.conversation.sent(before: question).contains(where: \.isSent)
    let own = counted.flatMap { hasTurns ? nil : $0 } ?? Int(Double(question.tokens) * scale)
    if own > window {
      try await confirmLength(own, isCounted: counted != nil, on: links.link)
      return scale
    }
    guard desk.isAtPrompt else { return scale }
    // Many a person allows an answer as many tokens as the model reads.
    let answer = min(desk.preferences.sampling.maxTokens ?? 0, window / 4)
    let needed = (counted ?? estimate) - own
    let leaving = turnsToLeaveOut(before: question, of: needed, within: max(0, window - own - answer) / 2)
    guard needed + own + answer > window, !leaving.isEmpty else { return scale }
    let model: SafeText = "\(links.link.model ?? links.link.server.name)"
    desk.warn(ContextPage.full(needed + own + answer, of: window, model: model, hasKeys: desk.observer == nil))
    switch try await choice(leaving: leaving, for: question) {
    case .send: break
    case .leaveOut: await leaveOut(leaving)
    case .sumUp: try await sumUp()
    }
    return scale
  }

  /// Asks before a message is sent that by itself is longer than what the model reads: leaving turns out does not help it.
  /// `--yes` answers. Throws `leftAsItIs`, and `needsYes` where nobody can be asked.
  func confirmLength(_ tokens: Int, isCounted: Bool, on link: Link) async throws(ShellError) {
    // An editor has no input line to restore.
    guard desk.observer == nil, let window = link.window else { return }
    let words = ContextPage.tooLong(
      tokens, isCounted: isCounted, of: window, model: "\(link.model ?? link.server.name)")
    if !desk.options.answersYes, !desk.options.canAsk { throw .needsYes(words.string) }
    desk.warn(words)
    if desk.options.answersYes { return }
    guard
      try await isWanted({ desk throws(ShellError) in
        try await desk.agrees("Send it all the same?")
      })
    else { throw .leftAsItIs }
  }

  /// The tokens of a whole request, as the server counts them; nil where it does not count.
  private mutating func countedTokens(
    of question: Question, offering tools: [OfferedTool], as form: AttachmentForm
  ) async throws(ShellError) -> Int? {
    let request = ChatRequest(
      model: links.link.model,
      messages: messages(asking: question, of: try await talk.conversationToSend(as: form, desk), as: form),
      tools: tools.map(\.tool), toolFormat: desk.preferences.toolFormat)
    let counted: Result<Int?, BackendError> = await desk.interruptible {
      [backend = links.link.backend] () throws(BackendError) in
      let count = await backend.countTokens(of: request)
      if Task.isCancelled { throw .cancelled }
      return count
    }
    guard case .success(let count) = counted else { throw .interrupted }
    return count
  }

  /// Asks; Ctrl-C at a prompt leaves everything as it is. Throws `leftAsItIs`.
  private func isWanted<T>(_ ask: (Desk) async throws(ShellError) -> T) async throws(ShellError) -> T {
    do throws(ShellError) { return try await ask(desk) } catch {
      guard case .interrupted = error, desk.observer == nil, desk.world.terminal.endingSignal == nil else {
        throw error
      }
      throw .leftAsItIs
    }
  }

  private enum RoomChoice { case send, leaveOut, sumUp }

  private func choice(leaving: ArraySlice<Turn>, for question: Question) async throws(ShellError) -> RoomChoice {
    // A summary stands at the end, and what is asked in the place of an earlier one does not follow it.
    let maySumUp = if case .new = question { true } else { false }
    let numbers = leaving.map(\.number)
    for _ in 0..<3 {
      let word = try await isWanted { desk throws(ShellError) in
        try await desk.answer(
          to: .text(
            ContextPage.question(leaving: numbers, maySumUp: maySumUp, hasKeys: desk.observer == nil), .warning),
          among: ContextPage.alternatives(leaving: numbers, maySumUp: maySumUp))
      }
      switch word.lowercased() {
      case "", "send": return .send
      case "d": return .leaveOut
      case "s" where maySumUp: return .sumUp
      default: continue
      }
    }
    throw .leftAsItIs
  }

  /// What was counted with other tools or by another model is believed only where the words are as many.
  private func tokens(before question: Question, offering tools: [OfferedTool]) -> Int {
    let counted = talk.conversation.tokens(before: question, since: talk.counted).count
    let isLike = talk.counted?.isLike(
      server: links.link.server.url, model: links.link.model, systemPrompt: talk.conversation.session.systemPrompt,
      tools: tools.map(\.tool.name))
    let likely = isLike == true ? counted : min(counted, talk.conversation.reckonedTokens(before: question))
    return max(likely, toldTokens(before: question))
  }

  /// What the server's own count of a request that was too long says of the turns before a question; 0 where there was none.
  private func toldTokens(before question: Question) -> Int {
    guard let refused = talk.refused, refused.session == talk.conversation.session.id,
      refused.server == links.front?.server.url, refused.model == links.front?.model
    else { return 0 }
    let isAgain = if case .retry(let turn) = question { turn.id == refused.turn } else { false }
    let reckoned = talk.conversation.reckonedTokens(before: question)
    return refused.tokens(ofReckoned: reckoned + question.tokens, isAgain: isAgain) - question.tokens
  }

  private func turnsToLeaveOut(before question: Question, of tokens: Int, within room: Int) -> ArraySlice<Turn> {
    let count = talk.conversation.turnsToLeaveOut(before: question, of: tokens, within: room)
    return talk.conversation.sent(before: question).prefix(count)
  }

  /// - Parameter turns: the first of those that are sent now.
  mutating func leaveOut(_ turns: ArraySlice<Turn>) async {
    guard !turns.isEmpty else { return }
    await talk.beginContext(after: turns.endIndex - 1, desk)
    desk.say(desk.asTyped(ContextPage.left(turns.map(\.number), hasSummary: turns.contains(where: \.isSummary))))
  }

  /// Asks for a summary. What asks for it is a turn as any other. Throws `context` when there is none.
  mutating func sumUp() async throws(ShellError) {
    let question = Question.new(ContextPage.request)
    let before = talk.conversation.path.last?.id
    // What goes with a message, and what an answer is held against, is none of its.
    let (waiting, schema) = ((talk.waiting, talk.mentioned, talk.attachment), schema)
    talk.letGo()
    self.schema = nil
    defer {
      (talk.waiting, talk.mentioned, talk.attachment) = waiting
      self.schema = schema
    }
    let left = try leaveOutForNow(besides: question)
    defer { if let left { talk.conversation.restore(left) } }
    try await send(question)
    guard let last = talk.conversation.path.last, last.id != before, last.isSummary else {
      throw .context(.notSummedUp)
    }
  }

  /// A summary that does not fit beside all of it is of the rest. That holds for its request alone.
  /// - Returns: the turn that was marked, as it was before.
  private mutating func leaveOutForNow(besides question: Question) throws(ShellError) -> Turn? {
    guard let window = links.front?.window else { return nil }
    // An eighth is for the summary.
    let turns = turnsToLeaveOut(
      before: question, of: contextUse?.tokens ?? 0, within: window - window / 8 - question.tokens)
    guard let last = turns.last else { return nil }
    guard talk.conversation.sent(before: question)[turns.endIndex...].contains(where: \.isSent) else {
      throw .context(.tooLongToSumUp)
    }
    talk.conversation.path[turns.endIndex - 1].contextEnd = talk.conversation.path.last?.number
    desk.say(ContextPage.notSummedUp(turns.map(\.number)), .warning)
    return last
  }

  /// What is sent begins with a summary that has come, at once or by `/retry`.
  mutating func goOnFromSummary() async {
    guard let last = talk.conversation.path.last, last.isSummary, talk.conversation.path.count > 1 else { return }
    await talk.beginContext(with: talk.conversation.path.count - 1, desk)
    desk.say(desk.asTyped(ContextPage.summedUp(last.number)))
  }
}

extension Turn {
  /// Whether it is the summary that `/context summary` asks for.
  var isSummary: Bool { question == ContextPage.request && answer?.status == .complete && !isUnanswered }
}

extension Conversation {
  /// Puts back how much a turn leaves out.
  fileprivate mutating func restore(_ turn: Turn) {
    guard let index = path.firstIndex(where: { $0.id == turn.id }) else { return }
    path[index].contextEnd = turn.contextEnd
  }
}

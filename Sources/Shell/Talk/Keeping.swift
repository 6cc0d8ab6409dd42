import Chat
import Glibc
import Store
import Text

/// What of an answer is kept: the question before the request leaves, the answer as it grows and when it ends.
extension Talk {
  /// The history, opened when it is first needed; what happened when it was opened is said once.
  mutating func history(_ desk: Desk) async throws(ShellError) -> History {
    if let opened { return opened }
    let history: History
    do throws(HistoryError) {
      history =
        try desk.options.isPrivate
        ? History.inMemory(now: desk.world.now) : History.open(at: desk.world.paths.history, now: desk.world.now)
    } catch {
      throw .history(error)
    }
    opened = history
    for notice in history.notices {
      // What another run left behind is no concern of a script's.
      if case .recovered = notice, !desk.options.isInteractive { continue }
      switch notice {
      case .inMemory, .readOnly, .newer: desk.warn(Wording.history(notice))
      case .recovered, .quarantined, .remote, .foreignFolder: desk.say(Wording.history(notice), .warning)
      }
    }
    return history
  }

  /// Asks the history on disk, opened if need be.
  mutating func fromHistory<T>(
    _ desk: Desk, _ ask: (History) async throws(HistoryError) -> T
  ) async throws(ShellError) -> T {
    for case .inMemory(let error) in try await history(desk).notices { throw .history(error) }
    return try await fromThisRun(desk, ask)
  }

  /// Asks the history about what this run has told it, where one in memory does as well.
  mutating func fromThisRun<T>(
    _ desk: Desk, _ ask: (History) async throws(HistoryError) -> T
  ) async throws(ShellError) -> T {
    let history = try await history(desk)
    do throws(HistoryError) { return try await ask(history) } catch { throw .history(error) }
  }

  /// The same for a change: what cannot be written is not said to be done.
  mutating func changeHistory<T>(
    _ desk: Desk, _ change: (History) async throws(HistoryError) -> T
  ) async throws(ShellError) -> T {
    try await requireKeeping(desk)
    return try await fromHistory(desk, change)
  }

  /// Refuses what is only of use when it is kept, where the history is one that this run cannot write.
  mutating func requireKeeping(_ desk: Desk) async throws(ShellError) {
    for notice in try await history(desk).notices {
      switch notice {
      case .inMemory(let error), .readOnly(let error): throw .history(error)
      case .newer:
        throw .history(.unwritable(path: desk.world.paths.history, detail: "a later version of parley made it"))
      case .recovered, .quarantined, .remote, .foreignFolder: break
      }
    }
  }

  /// Puts the question on disk; without a history the answer still comes, and the person is told once.
  mutating func storeQuestion(_ question: Question, to link: Link?, _ desk: Desk) async -> KeptTurn? {
    // Nobody could ever look at it: making a history in memory would take longer than the answer.
    if desk.options.isPrivate, desk.purpose == .oneMessage { return nil }
    do throws(ShellError) {
      let history = try await history(desk)
      if case .continuing(let turn) = question, turn.isKept {
        return KeptTurn(history: history, turn: turn.id, number: turn.number)
      }
      return try await store(question, to: link, in: history, desk)
    } catch {
      desk.warn("this turn is not kept: \(Complaint(error).text)")
      return nil
    }
  }

  private mutating func store(_ question: Question, to link: Link?, in history: History, _ desk: Desk)
    async throws(ShellError) -> KeptTurn
  {
    if let link {
      // Another server knows nothing of what this one called it.
      if conversation.session.server?.url != link.server.url { conversation.session.remote = nil }
      conversation.session.server = link.server
      conversation.session.model = link.model
    }
    conversation.session.sampling = desk.preferences.sampling
    let asked: NewTurn.Question =
      if case .retry(let turn) = question, turn.isKept { .copy(of: turn.id) } else { .text(question.text) }
    let new = NewTurn(
      session: conversation.session, parent: conversation.parent(of: question), question: asked,
      files: question.files, isBeingAsked: true)
    let stored: StoredTurn
    do throws(HistoryError) {
      stored = try await history.ask(new)
      // A session that the server had before it was one of ours.
      if !conversation.isStored, let remote = conversation.session.remote {
        try await history.setRemote(remote, of: conversation.session.id)
      }
    } catch { throw .history(error) }
    if !conversation.isStored { conversation.session.createdAt = desk.world.now() }
    conversation.session.updatedAt = desk.world.now()
    conversation.isStored = true
    if stored.becameBranch { desk.say("another shell went on with this session: this is a branch of it", .warning) }
    return KeptTurn(history: history, turn: stored.id, number: stored.number)
  }

  /// The question is in the history with the model that is gone.
  mutating func keepModel(_ model: String?) async {
    conversation.session.model = model
    guard let model, conversation.isStored, let opened else { return }
    // The answer has its model by itself; what lists show of the session is not worth a failure.
    try? await opened.setModel(model, of: conversation.session.id)
  }

  /// Keeps an answer that has ended, and stands at it.
  mutating func storeAnswer(
    _ outcome: Outcome, of turn: TurnUnderWay, by link: Link, _ desk: Desk
  ) async {
    let (question, kept) = (turn.question, turn.kept)
    var answer = outcome.stored(model: link.model, server: link.server)
    if let earlier = turn.earlierAnswer, earlier.text == answer.text, answer.status != .complete {
      // Going on that brought nothing leaves the answer, and how it had ended, as it was.
      if earlier.reasoning == answer.reasoning { return }
      answer = earlier
    }
    await keep(answer, of: question, steps: turn.steps, kept, desk)
    if let name = turn.remote, let last = conversation.path.indices.last {
      conversation.path[last].remote = name
      unkept.update(conversation.path[last])
    }
  }

  /// Keeps a question that could not be asked of anybody as one that failed, so that `/retry` asks it whatever the cause
  /// was.
  /// - Returns: whether `/retry` finds it, and its number where it was stored.
  mutating func storeUnasked(
    _ question: Question, to link: Link?, _ error: ShellError, _ desk: Desk
  ) async -> (mayRetry: Bool, number: Int?) {
    switch question {
    // What is asked again stays as it was.
    case .retry(let turn), .continuing(let turn):
      return (desk.options.isInteractive || turn.isKept && !desk.options.isPrivate, turn.isKept ? turn.number : nil)
    case .new, .edited: break
    }
    let kept = await storeQuestion(question, to: link, desk)
    let complaint = Complaint(error)
    let answer = StoredAnswer(
      text: "", status: complaint.status == .interrupted ? .interrupted : .failed, model: link?.model,
      server: link?.server.name, error: complaint.text.string)
    await keep(answer, of: question, steps: [], kept, desk)
    return (mayRetry(kept, desk), kept?.number)
  }

  /// Whether `/retry` finds a turn when its answer failed.
  func mayRetry(_ kept: KeptTurn?, _ desk: Desk) -> Bool { desk.options.isInteractive || kept?.history.path != nil }

  private mutating func keep(
    _ answer: StoredAnswer, of question: Question, steps: [ToolStep], _ kept: KeptTurn?, _ desk: Desk
  ) async {
    var stored = stored(question, answer, kept, desk)
    if let kept {
      do throws(HistoryError) {
        try await finish(Unkept.End(kept, answer), in: kept.history)
        if answer.status == .interrupted, desk.world.terminal.endingSignal == SIGHUP {
          try await kept.history.noteCutOff(conversation.session.id)
        }
      } catch {
        if steps.isEmpty, case .answeredElsewhere = error,
          let beside = await keepBeside(kept, answer, of: question, desk)
        {
          stored = beside
        } else {
          desk.warn("the answer is not kept: \(Complaint(error).text)")
        }
      }
    }
    stored.steps = steps
    if !stored.isKept {
      conversation.session.updatedAt = desk.world.now()
      unkept.put(stored, in: conversation.session)
    } else if case .continuing(let turn) = question, !turn.isKept {
      unkept.forget(turn)
    }
    conversation.stand(at: stored, answering: question)
  }

  /// Keeps the answer of one of several who were asked the same; the talk stays where it is.
  mutating func storeSibling(_ outcome: Outcome, of asked: AskedLink, _ question: Question, _ desk: Desk) async -> Turn?
  {
    let answer = outcome.stored(model: asked.link.model, server: asked.link.server)
    let turn = stored(question, answer, asked.kept, desk)
    guard let kept = asked.kept else {
      unkept.put(turn, in: conversation.session)
      return turn
    }
    do throws(HistoryError) { try await finish(Unkept.End(kept, answer), in: kept.history) } catch {
      desk.warn("the answer is not kept: \(Complaint(error).text)")
    }
    return turn
  }

  /// Goes on from a turn, here and in the history.
  mutating func keep(_ turn: Turn, answering question: Question, _ desk: Desk) async {
    conversation.stand(at: turn, answering: question)
    guard turn.isKept, let opened else { return }
    do throws(HistoryError) { try await opened.moveHead(of: conversation.session.id, to: turn.id) } catch {
      desk.warn("where the session goes on from is not kept: \(Complaint(error).text)")
    }
  }

  private func stored(_ question: Question, _ answer: StoredAnswer, _ kept: KeptTurn?, _ desk: Desk) -> Turn {
    // Their bytes are in the history.
    let files = kept == nil ? question.files : question.files.map(\.kept)
    if case .continuing(var turn) = question, turn.isKept || kept == nil {
      turn.files = files
      turn.answer = answer
      return turn
    }
    let parent = conversation.parent(of: question)
    let session = conversation.session.id
    if let kept {
      return .kept(
        as: kept.turn, in: session, number: kept.number, parent: parent, question: question.text,
        files: files, answer: answer, at: desk.world.now())
    }
    var turn = Turn.unsaved(
      in: session, number: unkept.nextNumber(in: session, after: conversation.path.last?.number),
      parent: conversation.path(before: question).last?.id, question: question.text, files: files, answer: answer,
      at: desk.world.now())
    turn.id = unkept.nextID
    return turn
  }
}

extension Unkept.End {
  fileprivate init(_ kept: KeptTurn, _ answer: StoredAnswer) {
    self.init(turn: kept.turn, number: kept.number, answer: answer)
  }
}

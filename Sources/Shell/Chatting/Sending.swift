import Chat
import Store
import Text
import Wire

/// A message on its way: asked, answered, shown and kept.
extension Shell {
  /// Sends a question and shows its answer as it comes.
  mutating func send(_ asked: Question) async {
    var connection: Connection
    do throws(ShellError) {
      connection = try await connectedWithModel()
    } catch {
      if options.isInteractive, scriptDepth == 0 { draft = lastLine }
      fail(Complaint(error))
      return
    }
    let question = asked.attaching(attachment)
    attachment = ""
    let request = ChatRequest(
      model: connection.model, messages: conversation.messages(asking: question), sampling: preferences.sampling,
      timeouts: preferences.timeouts)
    if options.isVerbose { tell(request, to: connection.server) }
    let kept = await storeQuestion(question, connection)
    let outcome = await answered(request, &connection, kept, question)
    self.connection = connection
    await storeAnswer(outcome, of: question, kept, connection)
    conclude(outcome, connection, kept)
    if outcome.status == .complete, options.model == nil { try? rememberModel(of: connection) }  // a note, no more
    await offerModels(after: outcome)
  }

  /// Asks until there is an answer, or a failure that the person cannot remove. Nothing is asked again once a word of
  /// the answer has come.
  private mutating func answered(
    _ request: ChatRequest, _ connection: inout Connection, _ kept: KeptTurn?, _ question: Question
  ) async -> Outcome {
    var request = request
    var settled = Settled()
    while true {
      let answer = connection.backend.answer(request)
      world.terminal.whenInterrupted { _ in answer.stop() }
      let outcome = await follow(answer, kept, question)
      world.terminal.whenInterrupted(nil)
      guard let error = outcome.error, outcome.growing.isUntouched else { return outcome }
      do throws(ShellError) {
        if case .modelGone = error {
          guard try await switchModel(&connection, &settled) else { return outcome }
          request.model = connection.model
        } else {
          guard try await settle(error, &connection, &settled) else { return outcome }
        }
      } catch {
        let comesBack = options.isInteractive && scriptDepth == 0
        if comesBack { draft = lastLine }
        var explained = outcome
        if case .interrupted = error {
          explained = outcome.interrupted
          if comesBack { say("not sent: the line is back") } else { complain(Complaint(error)) }
        } else {
          complain(Complaint(error))
        }
        explained.isExplained = true
        return explained
      }
    }
  }

  /// A new conversation whose model is gone begins with another one (Kamiwaza document, 4.2); one that has begun is the
  /// person's to decide on.
  private mutating func switchModel(
    _ connection: inout Connection, _ settled: inout Settled
  ) async throws(ShellError) -> Bool {
    guard conversation.path.isEmpty, !connection.isModelChosen, !settled.hasSwitchedModel else { return false }
    settled.hasSwitchedModel = true
    let gone = connection.model
    try await refreshModels(of: &connection)
    guard let next = connection.models.first(of: nil), next != gone else { return false }
    connection.model = next
    remember(connection)
    say("model '\(gone ?? "")' is not running any more: \(next) is asked", .warning)
    return true
  }

  /// The models to choose from, when the one that was asked is gone.
  private mutating func offerModels(after outcome: Outcome) async {
    guard case .modelGone? = outcome.error, var connection, options.isInteractive else { return }
    do throws(ShellError) {
      try await refreshModels(of: &connection)
      connection.model = nil
      connection.isModelChosen = false
      self.connection = connection
      remember(connection)
      show(Commands.listing(of: connection, now: world.now()), asJSON: false)
    } catch {
      complain(Complaint(error))
    }
  }

  /// One loop: the same event is folded, shown and kept.
  private func follow(_ answer: Answer, _ kept: KeptTurn?, _ question: Question) async -> Outcome {
    var growing = GrowingAnswer(began: world.uptime(), continuing: question.earlierAnswer)
    var output = AnswerOutput(self)
    var failure: BackendError?
    do throws(BackendError) {
      for try await event in answer {
        growing.absorb(event, at: world.uptime())
        output.show(event)
        kept?.saver.grow(event)
      }
    } catch {
      failure = error
    }
    output.end()
    return Outcome(
      growing: growing, error: failure, uptime: world.uptime(), unreadable: output.unreadable, hidden: output.hidden)
  }

  /// What is sent, for `--verbose`.
  private func tell(_ request: ChatRequest, to server: Server) {
    say(Wording.request(request, to: server))
    for message in request.messages {
      say("  \(message.role.rawValue): \(Filter.inline(message.content, width: 200))")
    }
  }

  /// Says how it ended.
  private mutating func conclude(_ outcome: Outcome, _ connection: Connection, _ kept: KeptTurn?) {
    if options.output != .text {
      var object = AnswerJSON.object(
        outcome, connection, session: conversation.session.id.text, turn: kept?.number)
      if options.output == .jsonLines { object = AnswerJSON.finish(object) }
      show(object)
    }
    if outcome.isExplained {
      // The last failure has been said; what led to it would only stand beside it.
    } else if outcome.status == .interrupted {
      if !options.isInteractive || scriptDepth > 0 { failure = .interrupted }
      if let ending = Wording.ending(.interrupted) { say(ending, .warning) }
    } else if let complaint = outcome.complaint(connection.server) {
      complain(complaint, isForgiven: options.isLenient && complaint.status == .endedEarly)
    } else if outcome.growing.text.isEmpty {
      say("the answer is empty", .warning)
    }
    if outcome.unreadable > 0 {
      say("\(outcome.unreadable) unreadable parts of the stream were passed over: something may be missing", .warning)
    }
    if outcome.hidden > 0 {
      say(
        outcome.hidden == 1 ? "1 hidden character was taken out" : "\(outcome.hidden) hidden characters were taken out")
    }
    if preferences.timing { say(Wording.timing(outcome.timing, outcome.growing.usage)) }
  }
}

extension Question {
  /// The answer that is gone on with.
  var earlierAnswer: StoredAnswer? {
    if case .continuing(let turn) = self { turn.answer } else { nil }
  }
}

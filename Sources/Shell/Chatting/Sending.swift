import Chat
import Store
import Text
import Wire

/// A message on its way: asked, answered, shown and kept.
extension Shell {
  /// Sends a question and shows its answer as it comes.
  mutating func send(_ asked: Question) async {
    var connection: Connection
    let offered: [OfferedTool]
    do throws(ShellError) {
      connection = try await connectedWithModel()
      offered = try await offeredTools(&connection)
    } catch {
      if options.isInteractive, scriptDepth == 0 { draft = lastLine }
      fail(Complaint(error))
      return
    }
    let question = asked.attaching(attachment)
    attachment = ""
    let kept = await storeQuestion(question, connection)
    var turn = TurnUnderWay(
      question, offered: offered, messages: conversation.messages(asking: question), kept: kept, began: world.uptime())
    let outcome = await followed(&turn, &connection)
    self.connection = connection
    await storeAnswer(outcome, of: turn, connection)
    conclude(outcome, turn, connection)
    if outcome.status == .complete, options.model == nil { try? rememberModel(of: connection) }  // a note, no more
    await offerModels(after: outcome)
  }

  /// Asks, carries out what the answer asks for, and asks again, until an answer asks for nothing more.
  private mutating func followed(_ turn: inout TurnUnderWay, _ connection: inout Connection) async -> Outcome {
    while true {
      let request = ChatRequest(
        model: connection.model, messages: turn.messages, tools: turn.offered.map(\.tool),
        toolFormat: preferences.toolFormat,
        sampling: preferences.sampling, timeouts: preferences.timeouts)
      if options.isVerbose { tell(request, to: connection.server) }
      let outcome = await answered(request, &connection, turn)
      turn.note(outcome)
      let calls = outcome.growing.calls
      if calls.isEmpty { return outcome }
      guard outcome.status == .complete else {
        say(ToolWording.notRun(calls), .warning)
        return outcome
      }
      if let ending = await carryOut(outcome, &turn, &connection) {
        return outcome.ended(ending, at: world.uptime())
      }
    }
  }

  /// Asks until there is an answer, or a failure that the person cannot remove. Nothing is asked again once a word of
  /// the answer has come.
  private mutating func answered(
    _ request: ChatRequest, _ connection: inout Connection, _ turn: TurnUnderWay
  ) async -> Outcome {
    var request = request
    var settled = Settled()
    while true {
      let answer = connection.backend.answer(request)
      world.terminal.whenInterrupted { _ in answer.stop() }
      let outcome = await follow(answer, turn)
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
        let comesBack = options.isInteractive && scriptDepth == 0 && !turn.hasNewSteps
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
  private func follow(_ answer: Answer, _ turn: TurnUnderWay) async -> Outcome {
    var growing = GrowingAnswer(began: world.uptime(), continuing: turn.earlierAnswer)
    var output = AnswerOutput(self, follows: turn.hasNewSteps && turn.texts.contains { !$0.isEmpty })
    var failure: BackendError?
    do throws(BackendError) {
      for try await event in answer {
        growing.absorb(event, at: world.uptime())
        output.show(event)
        turn.kept?.saver.grow(event)
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
  private mutating func conclude(_ outcome: Outcome, _ turn: TurnUnderWay, _ connection: Connection) {
    if options.output != .text {
      var object = AnswerJSON.object(outcome, turn, connection, session: conversation.session.id.text)
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
    } else if outcome.growing.text.isEmpty, outcome.ending == nil {
      say("the answer is empty", .warning)
    }
    if turn.unreadable > 0 {
      say("\(turn.unreadable) unreadable parts of the stream were passed over: something may be missing", .warning)
    }
    if turn.hidden > 0 {
      say(
        turn.hidden == 1 ? "1 hidden character was taken out" : "\(turn.hidden) hidden characters were taken out")
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

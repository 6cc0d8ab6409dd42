import Chat
import Store
import Text
import Wire

/// What comes behind an answer: it is held against a schema, and how it ended is said.
extension Shell {
  /// An outcome, held against the schema of `--schema` when it is whole, which Ctrl-C ends.
  func checked(_ outcome: Outcome, _ turn: TurnUnderWay) async -> Outcome {
    guard let schema, outcome.isWhole else { return outcome }
    let earlier = turn.texts.filter { !$0.isEmpty }
    let result: Result<Outcome, Never> = await desk.interruptible {
      outcome.checked(against: schema, after: earlier, isStopped: { Task.isCancelled })
    }
    return result.get()
  }

  /// Says how it ended, to whoever listens.
  mutating func conclude(_ outcome: Outcome, _ turn: TurnUnderWay) {
    if desk.options.output != .text { show(outcome, turn) }
    sayEnding(of: outcome, turn)
    sayWhatIsMissing(from: turn, of: outcome)
    if desk.preferences.timing { desk.say(Wording.timing(outcome.timing, outcome.growing.usage)) }
    let usage = AnswerJSON.sum(turn.steps.map(\.usage) + [outcome.growing.usage])
    let isForgotten = outcome.isRemembered && outcome.status == .filtered
    desk.observer?.happened(.ended(outcome.status, usage, isForgotten: isForgotten))
  }

  /// The object of `--json`, or the last line of `--jsonl`.
  private func show(_ outcome: Outcome, _ turn: TurnUnderWay) {
    let object = AnswerJSON.object(
      outcome, turn, model: links.link.model, links.link.server, session: talk.conversation.session.id.text,
      mayRetry: talk.mayRetry(turn.kept, desk))
    desk.show(desk.options.output == .jsonLines ? AnswerJSON.finish(object) : object)
  }

  private mutating func sayEnding(of outcome: Outcome, _ turn: TurnUnderWay) {
    let mayRetry = talk.mayRetry(turn.kept, desk)
    if outcome.isExplained {
      // The last failure has been said; what led to it would only stand beside it.
    } else if outcome.status == .interrupted || outcome.isCheckInterrupted {
      if !desk.options.isInteractive || desk.scriptDepth > 0 { desk.failure = .interrupted }
      if outcome.isCheckInterrupted {
        desk.say("interrupted: the answer was not held against the whole schema", .warning)
      } else if !mayRetry {
        desk.say("interrupted", .warning)
      } else if let ending = Wording.ending(.interrupted, isRemembered: outcome.isRemembered) {
        desk.say(desk.asTyped(ending), .warning)
      }
    } else if let complaint = outcome.complaint(links.link.server)?.explained(
      by: turn, links.link.model, isRemembered: outcome.isRemembered)
    {
      desk.complain(
        complaint.offeringRetry(mayRetry), isForgiven: desk.options.isLenient && complaint.status == .endedEarly)
    } else if outcome.growing.text.isBlank, outcome.ending == nil, turn.activities.byID.isEmpty {
      desk.say("the answer is empty", .warning)
    }
  }

  private func sayWhatIsMissing(from turn: TurnUnderWay, of outcome: Outcome) {
    let isSaid = outcome.status == .cutOff && outcome.growing.finish == .stop
    if turn.unreadable > 0, !isSaid { desk.say(Wording.passedOver(turn.unreadable), .warning) }
    if turn.hidden > 0 {
      desk.say(
        turn.hidden == 1 ? "1 hidden character was taken out" : "\(turn.hidden) hidden characters were taken out")
    }
  }
}

extension Complaint {
  /// A refusal of a message with images is likely to be of them: few servers say so in words that tell. Of a message that
  /// is too long by itself nothing can be left out.
  fileprivate func explained(by turn: TurnUnderWay, _ model: String?, isRemembered: Bool) -> Complaint {
    if hint == ContextPage.ways, isRemembered || !turn.messages.contains(where: { $0.role == .assistant }) {
      var explained = self
      explained.hint = isRemembered ? "/new starts afresh" : nil
      return explained
    }
    guard status == .refused, hint == nil, turn.messages.contains(where: { !$0.images.isEmpty }) else { return self }
    var explained = self
    explained.hint = "'\(model ?? "the model")' may take no images: /model chooses another"
    return explained
  }
}

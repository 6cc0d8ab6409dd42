import Chat
import Store
import Text

/// A round of a turn: the calls of an answer, allowed, carried out and told to the model (docs/kamiwaza.md 6.8).
extension Toolbox {
  /// Makes a round of an answer that asks for tools, and carries it out; how the turn ends when it goes no further.
  mutating func carryOut(
    _ outcome: Outcome, _ turn: inout TurnUnderWay, _ links: inout Links, _ desk: inout Desk
  ) async -> RoundEnding? {
    desk.isAnswering = false
    let step = turn.begin(outcome, model: links.link.model)
    if let kept = turn.kept {
      turn.keptRound = await noteFailure(desk) { () throws(HistoryError) in
        try await kept.history.step(kept.turn, step)
      }
    }
    for call in step.calls { tell(call, desk) }
    do throws(ShellError) {
      try await passRounds(&turn, desk)
      let allowed = try await settleConsent(&turn, desk)
      guard await run(allowed, of: &turn, &links, &desk) else { throw .interrupted }
      turn.endRound()
      return nil
    } catch {
      let isInterrupted = if case .interrupted = error { true } else { false }
      for (index, call) in turn.calls.enumerated() where call.result == nil {
        await keep(
          StoredResult(isInterrupted ? .cancelled : .refused, text: ResultText.notRun), call: index, &turn, desk)
      }
      return isInterrupted ? .interrupted : .failed(error)
    }
  }

  /// After many rounds the person says whether the model may go on (docs/rules.md A8).
  private mutating func passRounds(_ turn: inout TurnUnderWay, _ desk: Desk) async throws(ShellError) {
    let limit = desk.preferences.toolRounds
    guard turn.rounds >= limit else { return }
    guard desk.options.canAsk else { throw .manyRounds(limit) }
    let times: SafeText = limit == 1 ? "once" : "\(limit) times"
    let question: SafeText = "the model has asked for tools \(times). May it go on?"
    guard try await desk.agrees(question) else {
      desk.observer?.happened(.enoughRounds)
      throw .interrupted
    }
    turn.rounds = 0
  }

  /// Asks for each call in turn; those that may run. The others have their result.
  private mutating func settleConsent(_ turn: inout TurnUnderWay, _ desk: Desk) async throws(ShellError) -> [Int] {
    var allowed: [Int] = []
    for (index, stored) in turn.calls.enumerated() {
      let call = stored.call
      let offered: OfferedTool
      switch CallCheck(call, turn.offered) {
      case .canRun(let tool): offered = tool
      case .problem(let problem):
        let words = ResultText.cut(problem, to: desk.preferences.toolResultLimit)
        await keep(StoredResult(.invalid, text: words), call: index, &turn, desk)
        desk.sayOfTurn(ToolWording.invalid(call, turn.offered, marks: desk.marks), .warning)
        continue
      }
      switch try await verdict(on: call, offered, in: turn.session, desk) {
      case .allowed(let isAsked):
        if !isAsked { desk.sayOfTurn(ToolWording.call(call, offered, marks: desk.marks, columns: desk.noticeColumns)) }
        allowed.append(index)
      case .refused(let words):
        await keep(StoredResult(.refused, text: words), call: index, &turn, desk)
        desk.sayOfTurn(ToolWording.refused(call, marks: desk.marks), .warning)
      case .impossible(let result):
        await conclude(result, call: index, milliseconds: nil, &turn, desk)
      }
    }
    return allowed
  }

  /// Puts what came of a call with its turn, and on disk.
  mutating func keep(_ result: StoredResult, call index: Int, _ turn: inout TurnUnderWay, _ desk: Desk) async {
    turn.set(result, call: index)
    tell(turn.calls[index], result, desk)
    guard let kept = turn.kept, let round = turn.keptRound else { return }
    _ = await noteFailure(desk) { () throws(HistoryError) in
      try await kept.history.result(round, call: index, result)
    }
  }

  /// A history that fails stops no turn.
  private func noteFailure<T>(_ desk: Desk, _ keep: () async throws(HistoryError) -> T) async -> T? {
    do throws(HistoryError) { return try await keep() } catch {
      desk.say("what the tools did is not kept: \(Complaint(error).text)", .warning)
      return nil
    }
  }

  private func tell(_ call: StoredCall, _ desk: Desk) {
    desk.observer?.happened(.asked(call))
    if desk.options.output == .jsonLines { desk.show(AnswerJSON.event(call)) }
  }

  private func tell(_ call: StoredCall, _ result: StoredResult, _ desk: Desk) {
    desk.observer?.happened(.done(call))
    if desk.options.output == .jsonLines { desk.show(AnswerJSON.event(call, result)) }
  }
}

import Chat
import Store
import Text

/// What the history did not take is offered again before each message, and before the talk goes elsewhere: its disk may
/// have room again.
extension Talk {
  mutating func keepUnkept(_ desk: Desk) async {
    guard !unkept.isEmpty, let history = try? await history(desk) else { return }  // the next turn says why not
    await keepEnds(in: history, desk)
    await keepTurns(in: history, desk)
  }

  /// The same before a question is asked. - Returns: the question, of its turn as it is now.
  mutating func keepUnkept(before question: Question, _ desk: Desk) async -> Question {
    let gone = await leaveForgotten(desk)
    let place = conversation.path.firstIndex { $0.id == question.turn?.id }
    await keepUnkept(desk)
    if let turn = question.turn, gone.contains(turn.id) { return .new(question.text, files: question.files) }
    return place.map { question.of(conversation.path[$0]) } ?? question
  }

  /// What another shell has forgotten is no part of the conversation, and nothing can follow it. - Returns: the turns.
  private mutating func leaveForgotten(_ desk: Desk) async -> Set<TurnID> {
    let kept = conversation.path.filter(\.isKept)
    guard conversation.isStored, let opened, let gone = try? await opened.gone(of: kept.map(\.id)), !gone.isEmpty else {
      return []
    }
    for turn in kept where gone.contains(turn.id) { unkept.forget(turn) }
    conversation.path.removeAll { gone.contains($0.id) }
    let numbers = kept.filter { gone.contains($0.id) }.map { "#\($0.number)" }.joined(separator: ", ")
    desk.say(
      "\(numbers) \(gone.count == 1 ? "was" : "were") forgotten by another shell: what follows goes without", .warning)
    return gone
  }

  /// The same before another session is gone to; what still waits is said.
  mutating func keepBeforeLeaving(_ desk: Desk) async {
    await keepUnkept(desk)
    let waiting = unkept.turns(of: conversation.session.id).map { "#\($0.number)" }
    guard !waiting.isEmpty else { return }
    let names = waiting.joined(separator: ", ")
    desk.say(
      "\(names) of this session \(waiting.count == 1 ? "waits" : "wait") to be kept: each message tries again", .warning
    )
  }

  /// Stores how an answer ended. One that the history may take later is offered again, in the place of an earlier one.
  mutating func finish(_ end: Unkept.End, in history: History) async throws(HistoryError) {
    unkept.dropEnd(of: end.turn)
    do throws(HistoryError) { try await history.finish(end.turn, end.answer) } catch {
      if error.mayPass { unkept.put(end) }
      throw error
    }
  }

  private mutating func keepEnds(in history: History, _ desk: Desk) async {
    for end in unkept.ends {
      do throws(HistoryError) {
        try await finish(end, in: history)
        desk.say("the answer of #\(end.number) is kept now")
      } catch {
        guard case .answeredElsewhere = error else { continue }
        desk.warn("the answer of #\(end.number) is not kept: \(Complaint(.history(error)).text)")
      }
    }
  }

  /// In their order, for what is not there yet cannot be followed.
  private mutating func keepTurns(in history: History, _ desk: Desk) async {
    unkept.note(conversation)
    var last: [SessionID: TurnID] = [:]
    for id in unkept.turns.map(\.id) {
      guard let turn = unkept.turns.first(where: { $0.id == id }), let session = unkept.session(of: turn),
        let answer = turn.answer, turn.parent?.isKept != false
      else { continue }
      let new = NewTurn(session: session, parent: turn.parent, question: .text(turn.question), files: turn.files)
      let stored: StoredTurn
      do throws(HistoryError) {
        stored = try await history.keep(new, steps: turn.steps, answer: answer, at: turn.createdAt)
      } catch {
        if error.mayPass { break }  // the next turn says why
        continue
      }
      last[turn.session] = stored.id
      await take(stored, for: turn, desk)
    }
    for (session, last) in last { await standAgain(in: session, after: last, in: history) }
    unkept.letGo()
  }

  /// The history has a turn now, and it has another name.
  private mutating func take(_ stored: StoredTurn, for turn: Turn, _ desk: Desk) async {
    var kept = turn
    (kept.id, kept.number, kept.parent) = (stored.id, stored.number, stored.parent)
    kept.files = turn.files.map(\.kept)
    unkept.settle(turn.id, as: stored.id)
    conversation.take(kept, for: turn.id)
    for url in parked.keys { parked[url]?.take(kept, for: turn.id) }
    if replaced?.id == turn.id { replaced = kept }
    await keepMarks(of: kept, desk)
    desk.say("#\(kept.number) is kept now")
  }

  /// What was kept last need not be where its session stands. - Parameter last: what was kept last of it.
  private mutating func standAgain(in session: SessionID, after last: TurnID, in history: History) async {
    let head = unkept.head(of: session)
    // A message moves it too.
    if head != last { try? await history.moveHead(of: session, to: head) }
    if conversation.session.id == session { conversation.session.head = head }
    for url in parked.keys where parked[url]?.session.id == session { parked[url]?.session.head = head }
  }
}

extension Conversation {
  fileprivate mutating func take(_ kept: Turn, for id: TurnID) {
    guard session.id == kept.session else { return }
    isStored = true
    if let index = path.firstIndex(where: { $0.id == id }) { path[index] = kept }
  }
}

extension HistoryError {
  /// Whether the same may be taken later: another program held the file, or its disk was full.
  var mayPass: Bool {
    switch self {
    case .answeredElsewhere, .noTurn, .noSession, .closed: false
    default: true
    }
  }
}

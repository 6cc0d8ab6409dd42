import Chat
import Store
import Text

/// What becomes of an answer that the history did not take in its place.
extension Talk {
  /// Keeps an answer that another shell went on with meanwhile as a turn beside that one's; nil when that fails.
  func keepBeside(
    _ other: KeptTurn, _ answer: StoredAnswer, of question: Question, _ desk: Desk
  ) async -> Turn? {
    let parent = conversation.parent(of: question)
    do throws(HistoryError) {
      let stored = try await other.history.ask(
        NewTurn(session: conversation.session, parent: parent, question: .copy(of: other.turn)))
      try await other.history.finish(stored.id, answer)
      desk.warn("another shell went on with this answer: what came here is kept beside it, as #\(stored.number)")
      return .kept(
        as: stored.id, in: conversation.session.id, number: stored.number, parent: parent, question: question.text,
        files: question.files.map(\.kept), answer: answer, at: desk.world.now())
    } catch {
      return nil
    }
  }

  /// Tries again to keep the turns that the history did not take when they were asked, in their order: its disk may have
  /// room again.
  mutating func keepUnsaved(_ desk: Desk) async {
    guard conversation.hasUnsaved, let history = try? await history(desk) else { return }  // the next turn says why not
    for index in conversation.path.indices where !conversation.path[index].isKept {
      let turn = conversation.path[index]
      guard let answer = turn.answer else { continue }
      let new = NewTurn(
        session: conversation.session, parent: conversation.path[..<index].last(where: \.isKept)?.id,
        question: .text(turn.question), files: turn.files)
      let stored: StoredTurn
      do throws(HistoryError) {
        stored = try await history.keep(new, steps: turn.steps, answer: answer, at: turn.createdAt)
      } catch {
        break  // the next turn says why
      }
      conversation.isStored = true
      conversation.session.head = stored.id
      conversation.path[index] = .kept(
        as: stored.id, in: turn.session, number: stored.number, parent: stored.parent, question: turn.question,
        files: turn.files.map(\.kept), steps: turn.steps, answer: answer, at: turn.createdAt)
      (conversation.path[index].contextStart, conversation.path[index].contextEnd) = (
        turn.contextStart, turn.contextEnd
      )
      await keepMarks(of: conversation.path[index], desk)
      desk.say("#\(stored.number) is kept now")
    }
    // It went on from a later one meanwhile.
    guard let last = conversation.path.last(where: \.isKept), last.id != conversation.session.head else { return }
    try? await history.moveHead(of: conversation.session.id, to: last.id)  // the next turn moves it too
    conversation.session.head = last.id
  }

  /// Tries again to keep the ends of answers that the history did not take when they came.
  mutating func keepLate(_ desk: Desk) async {
    let waiting = unkept
    unkept = []
    for late in waiting {
      do throws(HistoryError) {
        try await late.place.history.finish(late.place.turn, late.answer)
        desk.say("the answer of #\(late.place.number) is kept now")
      } catch {
        if error.mayPass { unkept.append(late) }
      }
    }
  }
}

extension HistoryError {
  /// Whether the same may be taken later: another program held the file, or its disk was full.
  var mayPass: Bool {
    switch self {
    case .answeredElsewhere, .noTurn, .noSession: false
    default: true
    }
  }
}

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

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
}

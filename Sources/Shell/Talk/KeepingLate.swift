import Store
import Text

extension Talk {
  /// What an agent says after its answer had ended is part of that answer, where the session that it was said in is at
  /// hand.
  /// - Parameters:
  ///   - session: which of ours it is.
  ///   - url: the agent's.
  mutating func keepLateText(_ text: String, in session: String, of url: String, _ desk: Desk) async {
    let place = parked.first { $0.value.session.id.text == session }?.key
    let isFront = conversation.session.id.text == session
    guard var past = isFront ? conversation : place.flatMap({ parked[$0] }), past.session.server?.url == url,
      var turn = past.path.last, var answer = turn.answer
    else { return }
    answer.text += text
    turn.answer = answer
    past.path[past.path.count - 1] = turn
    if isFront { conversation = past } else if let place { parked[place] = past }
    unkept.update(turn)
    guard turn.isKept, let opened else { return }
    let end = Unkept.End(turn: turn.id, number: turn.number, answer: answer)
    do throws(HistoryError) { try await finish(end, in: opened) } catch {
      desk.warn("what came late is not kept: \(Complaint(error).text)")
    }
  }
}

import Chat
import Store

/// Sessions for an export, which has what the history could not keep as well.
extension Talk {
  /// A session and its turns up to where it stands; nil where there is none.
  mutating func atHand(_ id: SessionID, _ desk: Desk) async throws(ShellError) -> (Session, [Turn])? {
    guard id == conversation.session.id, conversation.hasUnsaved else { return try await stored(id, desk) }
    return (conversation.session, conversation.path)
  }

  /// All that is kept of a session, and behind it what is not; nil where there is none.
  mutating func exported(_ id: SessionID, _ desk: Desk) async throws(ShellError) -> KeptSession? {
    let kept: KeptSession?
    do throws(ShellError) {
      kept = try await fromHistory(desk) { history throws(HistoryError) in try await history.kept(id) }
    } catch {
      guard id == conversation.session.id, conversation.hasUnsaved else { throw error }
      kept = nil
    }
    guard id == conversation.session.id, conversation.hasUnsaved else { return kept }
    return conversation.exported(behind: kept)
  }
}

extension Conversation {
  /// - Parameter kept: nil where the history has nothing of it.
  fileprivate func exported(behind kept: KeptSession?) -> KeptSession {
    let opening = (path.first?.question ?? "").prefix(80).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    var whole = kept ?? KeptSession(session, opening: opening, head: nil, turns: [])
    var numbers = Set(whole.turns.map(\.number))
    var parent: Int?
    for turn in path {
      if turn.isKept {
        parent = turn.number
        continue
      }
      // Another branch may have taken its number.
      let number = numbers.contains(turn.number) ? (numbers.max() ?? 0) + 1 : turn.number
      numbers.insert(number)
      whole.turns.append(Store.KeptTurn(turn, number: number, parent: parent))
      parent = number
    }
    whole.head = parent
    return whole
  }
}

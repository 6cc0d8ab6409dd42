import Chat
import Store
import Text

/// Where what is sent begins, here and in the history.
extension Talk {
  /// Has what is sent begin with the turn at this place of the path.
  mutating func beginContext(with index: Int, _ desk: Desk) async {
    conversation.path[index].contextStart = conversation.lastNumber
    await keepMark(.start, of: conversation.path[index], desk)
  }

  /// The same after it.
  mutating func beginContext(after index: Int, _ desk: Desk) async {
    conversation.path[index].contextEnd = conversation.lastNumber
    await keepMark(.end, of: conversation.path[index], desk)
  }

  /// Has all turns be sent again.
  mutating func clearContext(_ desk: Desk) async {
    let turns = conversation.path.filter { $0.contextStart != nil || $0.contextEnd != nil }
    for index in conversation.path.indices {
      (conversation.path[index].contextStart, conversation.path[index].contextEnd) = (nil, nil)
    }
    for turn in conversation.path { unkept.update(turn) }
    await keepContext(desk) { history throws(HistoryError) in
      try await history.clearContext(of: turns.filter(\.isKept).map(\.id))
    }
  }

  /// Keeps the marks of a turn that was not kept when they were made.
  mutating func keepMarks(of turn: Turn, _ desk: Desk) async {
    if turn.contextStart != nil { await keepMark(.start, of: turn, desk) }
    if turn.contextEnd != nil { await keepMark(.end, of: turn, desk) }
  }

  private mutating func keepMark(_ mark: History.ContextMark, of turn: Turn, _ desk: Desk) async {
    unkept.update(turn)
    let last = mark == .start ? turn.contextStart : turn.contextEnd
    guard turn.isKept, let last else { return }
    await keepContext(desk) { history throws(HistoryError) in try await history.mark(turn.id, mark, last: last) }
  }

  /// It holds for this run, whether or not the next one finds it.
  private mutating func keepContext(_ desk: Desk, _ change: (History) async throws(HistoryError) -> Void) async {
    guard let opened else { return }
    do throws(HistoryError) { try await change(opened) } catch {
      desk.warn("where what is sent begins is not kept: \(Complaint(error).text)")
    }
  }
}

extension Conversation {
  fileprivate var lastNumber: Int { path.last?.number ?? 0 }
}

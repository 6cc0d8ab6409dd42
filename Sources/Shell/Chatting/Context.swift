import Chat
import Store

/// What of a conversation is sent (docs/shell.md 10).
extension Conversation {
  /// The turns that a question goes with, those among them that nothing came of too.
  func sent(before question: Question) -> ArraySlice<Turn> { path(before: question).sent }
}

extension ArraySlice<Turn> {
  /// Those that are sent of a line of turns: what was left out is not.
  var sent: ArraySlice<Turn> { self[contextStart(asOf: .max)...] }

  /// Where what is sent began when a turn of that number was asked: what was chosen since does not count.
  func contextStart(asOf number: Int) -> Int {
    let begun = lastIndex { ($0.contextStart ?? .max) < number } ?? startIndex
    let ended = lastIndex { ($0.contextEnd ?? .max) < number }.map { $0 + 1 } ?? startIndex
    return Swift.max(begun, ended)
  }
}

package import Chat

extension History {
  /// Keeps a round that asks for tools before any of them runs: what grew as the answer of the turn becomes that round,
  /// and the next growing answer follows it. It is on disk when this returns.
  package func step(_ turn: TurnID, _ step: ToolStep) async throws(HistoryError) {}

  /// Keeps what came of a call of the turn's last round.
  /// - Parameter index: which call of the round, from 0.
  package func result(_ turn: TurnID, call index: Int, _ result: StoredResult) async throws(HistoryError) {}
}

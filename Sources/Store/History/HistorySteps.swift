extension History {
  /// Keeps a round that asks for tools before any of them runs: what grew as the answer of the turn becomes that round,
  /// and the next growing answer follows it. It is on disk when this returns. Refused like `finish`.
  package func step(_ turn: TurnID, _ step: ToolStep) async throws(HistoryError) {
    _ = growth.take(turn)
    let moment = now()
    try await change { db in try Answering(db: db, turn: turn, moment: moment).add(step) }
  }

  /// Keeps what came of a call of the turn's last round; it is on disk when this returns. Throws `noTurn` when there is
  /// no such call.
  /// - Parameter index: which call of the round, from 0.
  package func result(_ turn: TurnID, call index: Int, _ result: StoredResult) async throws(HistoryError) {
    let moment = now()
    try await change { db in try Answering(db: db, turn: turn, moment: moment).set(result, call: index) }
  }
}

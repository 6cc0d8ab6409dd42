/// A round that is kept: which of its turn. One that could not be kept has none, and neither has what comes of its calls.
package struct StepID: Sendable, Equatable {
  let turn: TurnID
  /// Of its row among those of the turn.
  let position: Int
}

extension History {
  /// Keeps a round that asks for tools before any of them runs: what grew as the answer of the turn becomes that round,
  /// and the next growing answer follows it. It is on disk when this returns. Refused like `finish`.
  @discardableResult
  package func step(_ turn: TurnID, _ step: ToolStep) async throws(HistoryError) -> StepID {
    _ = growth.take(turn)
    let moment = now()
    return try await change { db in try Answering(db: db, turn: turn, moment: moment).add(step) }
  }

  /// Keeps what is known by now of the calls of a round. Throws `noTurn` when there is no such round.
  package func setCalls(_ calls: [StoredCall], of step: StepID) async throws(HistoryError) {
    let moment = now()
    try await change { db in
      try Answering(db: db, turn: step.turn, moment: moment).set(calls, of: step.position)
    }
  }

  /// Keeps what came of a call of a round; it is on disk when this returns. Throws `noTurn` when there is no such call.
  /// - Parameter index: which call of the round, from 0.
  package func result(_ step: StepID, call index: Int, _ result: StoredResult) async throws(HistoryError) {
    let moment = now()
    try await change { db in
      try Answering(db: db, turn: step.turn, moment: moment).set(result, call: index, of: step.position)
    }
  }
}

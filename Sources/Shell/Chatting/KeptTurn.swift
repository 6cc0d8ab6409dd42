import Store

/// A turn that the history follows while its answer grows.
struct KeptTurn: Sendable {
  let history: History
  let turn: TurnID
  /// The number people see.
  let number: Int

  /// Keeps what there is of the answer, in the background.
  @Sendable func grow(text: String, reasoning: String) { history.grow(turn, text: text, reasoning: reasoning) }
}

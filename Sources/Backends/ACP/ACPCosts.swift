/// What a turn costs, of an agent that says what its session has cost in all (docs/acp.md 4).
struct ACPCosts: Sendable {
  private var total: Double?
  /// What had been spent when the turn began; nil while that is not known, as in a session that was loaded.
  private var before: Double?

  init(isNew: Bool) { before = isNew ? 0 : nil }

  /// nil when the agent said nothing of it in this turn, or too little.
  var ofTurn: Double? {
    guard let total, let before, total > before else { return nil }
    // Without the dust that subtracting leaves.
    return ((total - before) * 1e9).rounded() / 1e9
  }

  /// Returns whether it is news.
  mutating func take(_ amount: Double) -> Bool {
    guard amount.isFinite, amount >= 0, amount != total else { return false }
    total = amount
    return true
  }

  mutating func beginTurn() { before = total ?? before }

  mutating func endTurn() { before = total ?? before }
}

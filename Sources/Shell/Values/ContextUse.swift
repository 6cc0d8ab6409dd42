/// How much of what a model reads at once a conversation takes.
struct ContextUse: Equatable {
  var tokens: Int
  /// Whether the server counted them; else they are reckoned.
  var isCounted: Bool
  /// What the model reads at once, in tokens; nil where the server does not say.
  var window: Int?
  /// The numbers of the turns that are sent; nil where the server keeps the conversation, and decides.
  var sent: [Int]?
  /// Those of the turns before them.
  var leftOut: [Int] = []

  var percent: Int? { window.map { Int(min(999, Double(tokens) * 100 / Double(max(1, $0)))) } }
}

/// Holds back what may be the words of a failure in the place of an answer, until it is known (docs/gateway.md 10).
struct GatewayFailureText {
  /// What an error of the model's API begins with.
  private static let mark = "API Error:"
  /// What a gateway says for a run that brought nothing.
  private static let stock = "I'm unable to provide a response at the moment."
  /// An error has one paragraph: what is longer is an answer about errors.
  private static let limit = 2000

  private var held = ""
  private var isHolding = false

  /// What can be shown now. - Parameter beginsMessage: whether it is the beginning of something that is said.
  mutating func take(_ piece: String, beginsMessage: Bool) -> String {
    if beginsMessage { isHolding = true }
    guard isHolding else { return piece }
    held += piece
    return mayFail ? "" : release()
  }

  /// What was held back was an answer after all.
  mutating func release() -> String {
    defer {
      held = ""
      isHolding = false
    }
    return held
  }

  /// What went wrong, where that is what is held; empty where the server does not say.
  var words: String? {
    let text = held.trimmingBlanks
    if text == GatewayFailureText.stock { return "" }
    return text.hasPrefix(GatewayFailureText.mark) ? text : nil
  }

  /// Whether it is a failure so far, or may become one.
  private var mayFail: Bool {
    let text = String(held.drop { $0.isWhitespace })
    if GatewayFailureText.mark.hasPrefix(text) || GatewayFailureText.stock.hasPrefix(text) { return true }
    return text.hasPrefix(GatewayFailureText.mark) && text.count <= GatewayFailureText.limit && !text.contains("\n\n")
  }
}

import Chat
import Store
import Text
import Wire

/// The answers of several who were asked the same.
enum AskPage {
  /// `#3 gpu1 qwen-7b, 1.4 s`.
  static func label(_ server: String, _ model: String?, number: Int?, _ outcome: AnswerStatus, _ timing: Timing)
    -> StyledText
  {
    let handle: SafeText = number.map { "#\($0) " } ?? ""
    let name = VisibleText.oneLine([server, model].compactMap { $0 }.joined(separator: " "))
    let seconds = (Double(timing.totalMs) / 100).rounded() / 10
    let ending: SafeText = outcome == .complete ? "" : ", \(outcome.rawValue)"
    return .text(handle + name, .strong) + .text(", \("\(seconds)") s" + ending + "\n", .dim)
  }
}

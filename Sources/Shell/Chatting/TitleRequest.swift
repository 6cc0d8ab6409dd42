import Chat
import Store

/// What a model is asked when a session wants a title: a request of its own, of which nothing is kept.
enum TitleRequest {
  static let instruction =
    "Write a title of at most six words for the conversation above, in its language. Answer with the title alone."

  /// Room for a title and a short thought before it.
  private static let mostTokens = 200
  /// Of the question and the answer each: more would take a small server as long as an answer does.
  private static let mostScalars = 400

  /// - Parameter turn: the first that was answered.
  static func request(about turn: Turn, model: String?, _ sampling: Sampling, _ timeouts: Timeouts) -> ChatRequest {
    var sampling = sampling
    sampling.maxTokens = mostTokens
    sampling.stop = []
    // One message: there are models that take no system prompt.
    let words = """
      Question: \(beginning(of: typed(turn.question)))

      Answer: \(beginning(of: turn.answer?.text ?? ""))

      \(instruction)
      """
    return ChatRequest(
      model: model, messages: [Message(.user, words)], sampling: sampling, timeouts: timeouts,
      conversation: SessionID.random().text)
  }

  private static func beginning(of text: String) -> String {
    let text = text.trimmed
    let scalars = text.unicodeScalars.prefix(mostScalars)
    return scalars.endIndex == text.unicodeScalars.endIndex ? text : String(scalars).trimmed + " …"
  }

  /// A question without what went along: blocks with a label of their own, behind the words.
  private static func typed(_ question: String) -> String {
    let lines = question.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard let fence = lines.firstIndex(where: { $0.hasPrefix("```") }) else { return question }
    let before = lines[..<fence]
    let label = before.lastIndex { $0.allSatisfy(\.isWhitespace) } ?? before.startIndex
    return [before[..<label], before].map { $0.joined(separator: "\n").trimmed }.first { !$0.isEmpty } ?? question
  }
}

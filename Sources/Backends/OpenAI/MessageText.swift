import Wire

/// The text of a stream of messages. Each message has either only the new text, or all text so far.
struct MessageText {
  /// All text so far, unless each message has only the new text.
  private var text: [UInt8] = []
  /// Whether each message has all text so far; nil until a second message tells.
  private var isCumulative: Bool?

  /// Returns the part of a message that is new. A message that only repeats the first one is new text (`ha`, `ha`)
  /// unless it ends the answer.
  mutating func newText(of message: [UInt8], isLast: Bool) -> [UInt8] {
    guard isCumulative != false, !text.isEmpty else {
      if isCumulative == nil { text = message }
      return message
    }
    let extendsText = message.starts(with: text)
    if extendsText, message.count > text.count { isCumulative = true }
    guard extendsText, isCumulative == true || isLast else {
      isCumulative = false
      text = []
      return message
    }
    defer { text = message }
    return Array(message[text.count...])
  }
}

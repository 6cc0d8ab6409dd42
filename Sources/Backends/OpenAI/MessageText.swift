import Wire

/// The text of a stream of messages. Each message has either only the new text, or all text so far.
struct MessageText {
  /// All text so far, unless each message has only the new text.
  private var text: [UInt8] = []
  /// Whether each message has all text so far; nil until a second message tells.
  private var isCumulative: Bool?
  /// The first half of a character at the end of the last message. The next message has either the other half or, if it
  /// repeats all text, the character.
  private var half: [UInt8] = []

  /// Returns the part of a message that is new. A message that only repeats the first one is new text (`ha`, `ha`)
  /// unless it ends the answer.
  mutating func newText(of message: [UInt8], isLast: Bool) -> [UInt8] {
    let earlier = half
    half = isLast ? [] : Array(message.suffix(message.countOfFirstHalf))
    let new = newText(ofWhole: message.dropLast(half.count), isLast: isLast)
    // The message repeats all text so far.
    if new.isEmpty, half == earlier { return [] }
    return earlier.isEmpty || new.startsWithCharacter(ofFirstHalf: earlier) ? new : earlier + new
  }

  /// Returns the half of a character that ends the answer, if there is one.
  mutating func end() -> [UInt8] {
    defer { half = [] }
    return half
  }

  private mutating func newText(ofWhole message: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    guard isCumulative != false, !text.isEmpty else {
      if isCumulative == nil { text = Array(message) }
      return Array(message)
    }
    let extendsText = message.starts(with: text)
    if extendsText, message.count > text.count { isCumulative = true }
    guard extendsText, isCumulative == true || isLast else {
      isCumulative = false
      text = []
      return Array(message)
    }
    defer { text = Array(message) }
    return Array(message.dropFirst(text.count))
  }
}

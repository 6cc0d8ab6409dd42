import Wire

/// A prompt as the bridge tells it to all.
enum BridgeEcho {
  /// Without what the bridge puts before the first one.
  static func text(of content: JSON) -> String {
    var text = (content.array ?? []).compactMap { $0.text("text") }.joined(separator: "\n")
    if text.hasPrefix("<memory>"), let end = text.firstRange(of: "</memory>") {
      text = String(text[end.upperBound...].drop { $0.isWhitespace })
    }
    return text
  }
}

import Chat
import Wire

/// What is answer and what is thought in a text as the server keeps it: read by the same rules as what is streamed.
struct ChatUIText {
  private(set) var text = ""
  private(set) var thoughts = ""
  /// What the next token would be taken for.
  private(set) var tags = ThinkTags()

  /// - Parameters:
  ///   - updates: what was streamed, as it is kept beside: behind each thing that was done the model may think anew.
  ///   - isWhole: whether nothing follows, which might yet make a tag of the end.
  init(_ content: String, updates: [JSON] = [], isWhole: Bool = true) {
    var (rest, joiner) = (content[...], EventJoiner())
    for count in ChatUIText.parts(of: updates) {
      // The counts are of another text where they go beyond this one.
      guard let end = content.utf16.index(rest.startIndex, offsetBy: count, limitedBy: content.endIndex) else { break }
      tags.take(Array(rest[..<end].utf8), into: &joiner)
      tags.end(into: &joiner)
      tags = ThinkTags()
      rest = rest[end...]
    }
    tags.take(Array(rest.utf8), into: &joiner)
    if isWhole { tags.end(into: &joiner) }
    for event in joiner.take() {
      switch event {
      case .text(let piece): text += piece
      case .reasoning(let piece): thoughts += piece
      default: break
      }
    }
  }

  /// A message as it is kept: thoughts stand in it between tags, or beside it.
  init(_ message: JSON, _ content: String, isWhole: Bool = true) {
    self.init(content, updates: message["updates"]?.array ?? [], isWhole: isWhole)
    if thoughts.isEmpty { thoughts = message["reasoning"]?.string ?? "" }
  }

  /// How long each part was before something was done, in UTF-16 units.
  private static func parts(of updates: [JSON]) -> [Int] {
    var (parts, count) = ([Int](), 0)
    for update in updates {
      switch update["type"]?.string {
      case "stream":
        let token = update["token"]?.string?.replacing("\0", with: "") ?? ""
        count += token.isEmpty ? max(0, update["len"]?.int ?? 0) : token.utf16.count
      case "tool", "webSearch", "file":
        if count > 0 { parts.append(count) }
        count = 0
      default: break
      }
    }
    return parts
  }
}

import Wire

/// Blocks that a Markdown text leaves open, which would swallow whatever is written below it.
enum OpenMarkdown {
  private enum Block {
    /// - Parameter indent: the blanks before it. Within a list item the end of the fence needs them too.
    case fence(Substring, indent: Substring)
    /// A block of HTML that does not end at a blank line (CommonMark 4.6, start conditions 1 to 5).
    case html(end: [String])
  }

  /// Returns the text with its last block ended, if that block is a code fence or a block of HTML.
  static func closed(_ text: String) -> String {
    var open: Block?
    for line in text.split(whereSeparator: isLineEnd) {
      let words = line.drop { $0 == " " }
      switch open {
      case .fence(let fence, _): if isEnd(words, of: fence), isAtMargin(line, words) { open = nil }
      case .html(let end): if contains(line, end) { open = nil }
      case nil:
        if isAtMargin(line, words) {
          open = fence(words).map { .fence($0, indent: line.prefix { $0 == " " }) } ?? html(words)
        }
      }
    }
    let end: String
    switch open {
    case .fence(let fence, let indent): end = String(indent + fence)
    case .html(let ends): end = ends[0]
    case nil: return text
    }
    return text.withFinalNewline + end
  }

  private static func isLineEnd(_ sign: Character) -> Bool { ["\n", "\r\n", "\r"].contains(sign) }

  /// Whether the line is indented by fewer than four blanks, which would make it a code block of its own.
  private static func isAtMargin(_ line: Substring, _ words: Substring) -> Bool { line.count - words.count < 4 }

  private static func fence(_ words: Substring) -> Substring? {
    guard let sign = words.first, sign == "`" || sign == "~" else { return nil }
    let fence = words.prefix { $0 == sign }
    guard fence.count >= 3, !(sign == "`" && words.dropFirst(fence.count).contains("`")) else { return nil }
    return fence
  }

  private static func isEnd(_ words: Substring, of open: Substring) -> Bool {
    let fence = words.prefix { $0 == open.first }
    return fence.count >= open.count && words.dropFirst(fence.count).allSatisfy(\.isWhitespace)
  }

  private static let rawTags = ["script", "pre", "style", "textarea"]

  private static func html(_ words: Substring) -> Block? {
    guard words.first == "<" else { return nil }
    let rest = words.dropFirst()
    let end: [String]
    if rest.hasPrefix("!--") {
      end = ["-->"]
    } else if rest.hasPrefix("?") {
      end = ["?>"]
    } else if rest.hasPrefix("![CDATA[") {
      end = ["]]>"]
    } else if rest.hasPrefix("!"), rest.dropFirst().first?.isLetter == true {
      end = [">"]
    } else {
      let name = rest.prefix { $0.isASCII && $0.isLetter }.lowercased()
      let next = rest.dropFirst(name.count).first
      guard rawTags.contains(name), next == nil || next == ">" || next?.isWhitespace == true else { return nil }
      // Any of these end tags ends the block, whichever began it.
      end = ["</\(name)>"] + rawTags.map { "</\($0)>" }
    }
    return contains(words, end) ? nil : .html(end: end)
  }

  private static func contains(_ line: Substring, _ ends: [String]) -> Bool {
    let line = line.lowercased()
    return ends.contains { line.contains($0.lowercased()) }
  }
}

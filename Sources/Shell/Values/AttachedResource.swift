import Chat
import Text

/// What a server has to read, as it is joined to a message.
enum AttachedResource {
  /// The most of one that is joined, in characters.
  static let limit = 100_000

  /// In a fence that nothing in it can close.
  static func text(of contents: [ResourceContent], label: String) -> String {
    let parts = contents.map { content in
      switch content.body {
      case .text(let text):
        let type = content.mimeType.map { " (\($0))" } ?? ""
        let isCut = text.count > limit
        let kept = isCut ? text.prefix(limit) + "\n[cut: \(limit) of \(text.count) characters]" : text[...]
        return Fence.around(String(kept), label: Filter.inline("\(label)\(type):").string)
      case .blob: return Filter.inline("[\(ContentNote(content)?.words ?? "")]").string
      }
    }
    return FrameWords.written(in: parts.joined(separator: "\n\n"))
  }
}

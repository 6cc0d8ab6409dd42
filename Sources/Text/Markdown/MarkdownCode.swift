import CMarkdown

/// A block of code in Markdown (CommonMark 4.4, 4.5).
package struct MarkdownCode: Sendable, Equatable {
  /// The first word behind the fence; empty where none is.
  package let language: String
  /// The lines, each with its newline.
  package let text: String

  /// Those of a text, in their order, in quotes and lists too. One that is not closed ends with the text.
  package static func blocks(of source: String) -> [MarkdownCode] {
    let document = MarkdownDocument()
    Array(source.utf8).withUnsafeBufferPointer { markdown_feed(document.pointer, $0.baseAddress, $0.count) }
    markdown_close(document.pointer)
    // Not a function that calls itself: quotes may stand in quotes as deep as an answer is long.
    var found: [MarkdownCode] = []
    var left = [markdown_root(document.pointer)].compactMap { $0 }
    while let node = left.popLast() {
      if markdown_kind_of(node) == MARKDOWN_CODE { found.append(MarkdownCode(node)) }
      let place = left.count
      var child = markdown_first_child(node)
      while let node = child {
        left.append(node)
        child = markdown_next(node)
      }
      left[place...].reverse()
    }
    return found
  }

  private init(_ node: OpaqueNode) {
    let info = String(decoding: markdown_info(node).buffer, as: UTF8.self)
    language = info.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    text = String(decoding: markdown_literal(node).buffer, as: UTF8.self)
  }
}

import CMarkdown

/// A block of code or HTML whose lines are given out as they come: none that is whole changes any more.
struct CodeLines {
  let node: OpaqueNode
  /// Characters that were taken out of the lines given out since this was set to 0.
  var hidden = 0
  private let kind: Kind
  private let language: SafeText
  private let colours: CodeColours?
  private let look: MarkdownLook
  private let images: DataImages
  /// Bytes of its text that were given out.
  private var taken = 0
  private var fence = Fence.due

  /// Whether the line above the code is still to be shown; where the text was cut, before another line of it alone.
  private enum Fence { case due, dueWithLine, shown }

  private enum Kind { case code, formula, html }

  init(_ node: OpaqueNode, _ look: MarkdownLook, _ images: DataImages) {
    self.node = node
    self.images = images
    self.look = look
    let source = Self.source(of: node).info
    let info = String(decoding: images.shortened(source) ?? Array(source), as: UTF8.self)
    let word = info.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    kind =
      switch (markdown_kind_of(node), word) {
      case (MARKDOWN_HTML, _): .html
      case (_, MarkdownFlow.mathsInfo): .formula
      default: .code
      }
    language = Filter.inline(word, width: 40)
    colours = kind == .code && look.hasStyles ? CodeColours(language: word) : nil
  }

  /// What was not given out yet.
  /// - Parameter isOpen: whether more may come.
  mutating func take(isOpen: Bool) -> [MarkdownBlock.Content] {
    var contents: [MarkdownBlock.Content] = []
    let text = Self.source(of: node).text
    if fence == .due { begin(&contents) }
    while taken < text.count {
      if fence != .shown { begin(&contents) }
      let end = text[taken...].firstIndex(of: 0x0A) ?? text.count
      contents.append(content(UnsafeBufferPointer(rebasing: text[taken..<end])))
      taken = end + 1
    }
    if !isOpen, kind == .code, fence == .shown { contents.append(.codeEnd) }
    return contents
  }

  /// The text so far was shown as if it had ended here: what comes stands in a fence of its own.
  mutating func cut() { fence = .dueWithLine }

  private mutating func begin(_ contents: inout [MarkdownBlock.Content]) {
    fence = .shown
    if kind == .code { contents.append(.codeBegin(language: language)) }
  }

  private mutating func content(_ line: UnsafeBufferPointer<UInt8>) -> MarkdownBlock.Content {
    guard images.hasMarks else { return shown(line) }
    return images.whole(line).withUnsafeBufferPointer { shown($0) }
  }

  private mutating func shown(_ line: UnsafeBufferPointer<UInt8>) -> MarkdownBlock.Content {
    if let text = colours?.line(line) {
      hidden += text.hidden
      return .codeLine(text)
    }
    var text = StyledBytes()
    let style: Style = kind == .html ? .dim : kind == .formula || look.hasStyles ? Style(.code) : .plain
    text.append(untrusted: line, style, profile: .code)
    hidden += text.hidden
    return kind == .code ? .codeLine(text) : .verbatim(text)
  }

  /// What stands behind the fence, and the lines. Until it is closed, the text of a fenced block begins with the first.
  private static func source(of node: OpaqueNode) -> (
    info: UnsafeBufferPointer<UInt8>, text: UnsafeBufferPointer<UInt8>
  ) {
    guard markdown_is_open(node) else { return (markdown_info(node).buffer, markdown_literal(node).buffer) }
    let text = markdown_content(node).buffer
    guard markdown_kind_of(node) == MARKDOWN_CODE, markdown_is_fenced(node) else {
      return (markdown_info(node).buffer, text)
    }
    let end = text.firstIndex(of: 0x0A) ?? text.count
    return (
      UnsafeBufferPointer(rebasing: text[..<end]), UnsafeBufferPointer(rebasing: text[min(text.count, end + 1)...])
    )
  }
}

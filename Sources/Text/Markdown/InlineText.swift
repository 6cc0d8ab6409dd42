import CMarkdown

/// The words of a paragraph, a heading or a cell, with what emphasis, code and links do to them.
struct InlineText {
  private(set) var text = StyledBytes()
  private let look: MarkdownLook
  private let maths: [[UInt8]]
  private let images: DataImages
  private let isDraft: Bool
  private var style: Style
  private var link: LinkTarget?
  /// Bytes of addresses that may still be told: one definition may be used a thousand times.
  private var budget: Int

  /// - Parameters:
  ///   - node: its inline nodes are made already.
  ///   - style: of what has none of its own.
  ///   - maths: the formulas that `Maths` took out of its source.
  ///   - images: says what those are that stand there as data, and is told which are to be drawn.
  ///   - isDraft: whether more of it may come, so that neither is done.
  ///   - budget: bytes of addresses that may be told; what was told is taken from it.
  static func of(
    _ node: OpaqueNode, _ look: MarkdownLook, style: Style = .plain, maths: [[UInt8]] = [], images: DataImages,
    isDraft: Bool = false, budget: inout Int
  ) -> StyledBytes {
    var inline = InlineText(
      look: look, maths: maths, images: images, isDraft: isDraft, style: style, budget: budget)
    let length = markdown_content(node).count
    inline.text = StyledBytes(bytes: length, runs: 1 + length / roomPerRun)
    inline.read(below: node)
    budget = inline.budget
    return inline.text
  }

  /// Bytes of a paragraph to one run, about.
  private static let roomPerRun = 32

  private init(
    look: MarkdownLook, maths: [[UInt8]], images: DataImages, isDraft: Bool, style: Style, budget: Int
  ) {
    self.budget = budget
    self.look = look
    self.maths = maths
    self.images = images
    self.isDraft = isDraft
    self.style = style
  }

  /// What holds until a node that has others inside is left.
  private struct Opened {
    let node: OpaqueNode
    let style: Style
    let link: LinkTarget?
    /// Where its text begins.
    let start: Int
  }

  /// In the order of the text. Not by recursion: how deep it goes is up to who wrote it.
  private mutating func read(below root: OpaqueNode) {
    var opened: [Opened] = []
    var next = markdown_first_child(root)
    while true {
      if let node = next {
        if let child = markdown_first_child(node) {
          opened.append(Opened(node: node, style: style, link: link, start: text.bytes.count))
          enter(node)
          next = child
        } else {
          if markdown_kind_of(node).holdsInlines {
            enterAndLeave(node)
          } else {
            read(node)
          }
          next = markdown_next(node)
        }
      } else if let last = opened.popLast() {
        leave(last)
        next = markdown_next(last.node)
      } else {
        return
      }
    }
  }

  private mutating func enterAndLeave(_ node: OpaqueNode) {
    let opened = Opened(node: node, style: style, link: link, start: text.bytes.count)
    enter(node)
    leave(opened)
  }

  private mutating func read(_ node: OpaqueNode) {
    switch markdown_kind_of(node) {
    case MARKDOWN_SOFT_BREAK, MARKDOWN_LINE_BREAK: text.append("\n", style)
    case MARKDOWN_INLINE_CODE: code(markdown_literal(node).buffer)
    case MARKDOWN_INLINE_HTML: html(markdown_literal(node).buffer)
    default: words(markdown_literal(node).buffer)
    }
  }

  private mutating func words(_ bytes: UnsafeBufferPointer<UInt8>) {
    if let shorter = images.shortened(bytes) {
      shorter.withUnsafeBufferPointer { formulasAndWords($0) }
    } else {
      formulasAndWords(bytes)
    }
  }

  private mutating func formulasAndWords(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !maths.isEmpty else { return text.append(untrusted: bytes, style, link: link) }
    for part in Maths.parts(of: bytes) {
      switch part {
      case .words(let range): text.append(untrusted: UnsafeBufferPointer(rebasing: bytes[range]), style, link: link)
      case .formula(let number):
        guard maths.indices.contains(number) else { continue }
        var formula = style
        formula.meaning = .code
        maths[number].withUnsafeBufferPointer { append(code: $0, formula) }
      }
    }
  }

  /// Whether the words are the address itself, which may be without its scheme.
  private func isShown(_ url: String, from start: Int) -> Bool {
    let length = text.bytes.count - start
    guard (length...length + 7).contains(url.utf8.count) else { return false }
    let shown = String(decoding: text.bytes[start...], as: UTF8.self)
    return [shown, "mailto:" + shown, "http://" + shown].contains(url)
  }

  /// A formula in an address is none.
  private func url(of node: OpaqueNode) -> String {
    let bytes = markdown_url(node).buffer
    guard let shorter = images.shortened(bytes) else { return url(bytes) }
    return shorter.withUnsafeBufferPointer(url)
  }

  private func url(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard !maths.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
    let parts = Maths.parts(of: bytes).map { part -> ArraySlice<UInt8> in
      switch part {
      case .words(let range): bytes[range][...].map { $0 }[...]
      case .formula(let number): maths.indices.contains(number) ? maths[number][...] : []
      }
    }
    return String(decoding: parts.joined(), as: UTF8.self)
  }

  private mutating func code(_ bytes: UnsafeBufferPointer<UInt8>) {
    var style = style
    style.meaning = .code
    if !look.hasStyles { text.append("`", style) }
    append(code: bytes, style)
    if !look.hasStyles { text.append("`", style) }
  }

  private mutating func append(code bytes: UnsafeBufferPointer<UInt8>, _ style: Style) {
    guard let shorter = images.shortened(bytes) else {
      return text.append(untrusted: bytes, style, link: link, profile: .code)
    }
    (isDraft ? shorter : images.whole(bytes)).withUnsafeBufferPointer {
      text.append(untrusted: $0, style, link: link, profile: .code)
    }
  }

  /// A line break is one; of other tags it can be seen that they are there.
  private mutating func html(_ bytes: UnsafeBufferPointer<UInt8>) {
    let tag = String(decoding: bytes, as: UTF8.self).lowercased()
    if tag.hasPrefix("<br"), tag.dropFirst(3).allSatisfy({ " />".contains($0) }) { return text.append("\n", style) }
    append(code: bytes, Style(.dim, style.traits))
  }

  private mutating func enter(_ node: OpaqueNode) {
    switch markdown_kind_of(node) {
    case MARKDOWN_EMPHASIS: style.traits.insert(.emphasis)
    case MARKDOWN_STRONG: style.traits.insert(.strong)
    case MARKDOWN_STRUCK: style.traits.insert(.struck)
    case MARKDOWN_LINK:
      let address = url(of: node)
      budget -= address.utf8.count
      link = budget < 0 ? nil : LinkTarget(address)
      if link != nil { style.traits.insert(.underlined) }
    case MARKDOWN_IMAGE: text.append(Self.imageMark, Style(.dim, style.traits))
    default: break
    }
    if !look.hasStyles, let mark = markdown_kind_of(node).mark { text.append(mark, style) }
  }

  private mutating func leave(_ opened: Opened) {
    if !look.hasStyles, let mark = markdown_kind_of(opened.node).mark { text.append(mark, style) }
    let target = link
    style = opened.style
    link = opened.link
    switch markdown_kind_of(opened.node) {
    case MARKDOWN_LINK: tellURL(of: opened.node, target, from: opened.start)
    case MARKDOWN_IMAGE: leaveImage(opened)
    default: break
    }
  }

  private mutating func leaveImage(_ opened: Opened) {
    let dim = Style(.dim, style.traits)
    let url = markdown_url(opened.node).buffer
    let isData = DataImages.isData(url)
    if !isDraft, let words = images.describe(url, isAlone: Self.isAlone(opened.node)), !words.isEmpty {
      if text.bytes.count > opened.start + Self.imageMark.string.utf8.count { text.append(", ", dim) }
      text.append(words, dim)
    }
    text.append("]", dim)
    if !isData { tellURL(of: opened.node, nil, from: opened.start) }
  }

  /// Whether an image has a line of a paragraph to itself.
  private static func isAlone(_ node: OpaqueNode) -> Bool {
    guard let parent = cmark_node_parent(node), markdown_kind_of(parent) == MARKDOWN_PARAGRAPH else { return false }
    return isAtEnd(of: node, cmark_node_previous) && isAtEnd(of: node, cmark_node_next)
  }

  /// Whether nothing but blanks stands between a node and the end of its line.
  private static func isAtEnd(of node: OpaqueNode, _ step: (OpaqueNode?) -> OpaqueNode?) -> Bool {
    var next = step(node)
    while let neighbour = next {
      switch markdown_kind_of(neighbour) {
      case MARKDOWN_SOFT_BREAK, MARKDOWN_LINE_BREAK: return true
      case MARKDOWN_TEXT where markdown_literal(neighbour).buffer.allSatisfy { $0 == 0x20 || $0 == 0x09 }:
        next = step(neighbour)
      default: return false
      }
    }
    return true
  }

  private static let imageMark: SafeText = "[image: "

  /// The address stands behind words that do not show where they lead (docs/screen.md 4).
  private mutating func tellURL(of node: OpaqueNode, _ target: LinkTarget?, from start: Int) {
    let url = url(of: node)
    budget -= url.utf8.count
    guard !url.isEmpty, budget >= 0, !isShown(url, from: start) else { return }
    let dim = Style(.dim, style.traits.subtracting(.underlined))
    text.append(" (", dim)
    text.append(Filter.inline(url), dim, link: target)
    text.append(")", dim)
  }
}

/// A node of cmark's tree.
typealias OpaqueNode = UnsafeMutablePointer<cmark_node>

extension markdown_kind {
  /// Whether it has other inline nodes inside.
  fileprivate var holdsInlines: Bool {
    switch self {
    case MARKDOWN_EMPHASIS, MARKDOWN_STRONG, MARKDOWN_STRUCK, MARKDOWN_LINK, MARKDOWN_IMAGE: true
    default: false
    }
  }

  /// What the source has on either side.
  fileprivate var mark: SafeText? {
    switch self {
    case MARKDOWN_EMPHASIS: "*"
    case MARKDOWN_STRONG: "**"
    case MARKDOWN_STRUCK: "~~"
    default: nil
    }
  }
}

extension markdown_bytes {
  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }
  var string: String { String(decoding: buffer, as: UTF8.self) }
}

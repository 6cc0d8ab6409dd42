import CMarkdown

/// Reads Markdown line by line, and gives out each block as soon as nothing that follows can change it.
///
/// cmark-gfm decides what a block is; what it has closed is taken out of its tree. Of code the lines are taken while the
/// block is still open.
/// It has one owner: a copy reads the same document.
struct MarkdownReader {
  private let document = MarkdownDocument()
  private var look: MarkdownLook
  private var open: [(node: OpaqueNode, container: MarkdownContainer)] = []
  private var blocks: [MarkdownBlock] = []
  private var code: CodeLines?
  /// Whether nothing but marks and blanks stood on each line, the first of which is 1.
  private var blankLines = [false]
  private var definitions = LinkDefinitions()
  let images: DataImages
  private var hasBegun = false
  /// Whether the block before was the words that stood directly above a table.
  private var followsOwnWords = false
  private(set) var hidden = 0
  /// Bytes of addresses that may be told; it grows with the document.
  private var budget = 16_384

  init(_ look: MarkdownLook, _ images: DataImages) {
    self.look = look
    self.images = images
    if let root = markdown_root(document.pointer) { open = [(root, MarkdownContainer(.document))] }
  }

  /// What is finished now that this line came, which is here without its line feed.
  mutating func read(_ line: [UInt8], _ look: MarkdownLook) -> [MarkdownBlock] {
    self.look = look
    budget = max(budget, 0) + 4 * line.count
    blankLines.append(line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ">") })
    if code == nil { definitions.note(line, number: blankLines.count - 1) }
    line.withUnsafeBufferPointer { markdown_feed(document.pointer, $0.baseAddress, $0.count) }
    markdown_feed(document.pointer, "\n", 1)
    return take(all: false)
  }

  /// Everything that is left.
  mutating func finish() -> [MarkdownBlock] { take(all: true) }

  /// Whether the block at the end is code, so that nothing in a line has a meaning.
  var isInCode: Bool {
    guard let leaf = openLeaf else { return false }
    return markdown_kind_of(leaf) == MARKDOWN_CODE
  }

  /// Whether it is code between fences, whose next line is code whatever it begins with.
  var isInFence: Bool {
    guard let leaf = openLeaf else { return false }
    return markdown_kind_of(leaf) == MARKDOWN_CODE && markdown_is_fenced(leaf)
  }

  /// Whether it is HTML.
  var isInHTML: Bool {
    guard let leaf = openLeaf else { return false }
    return markdown_kind_of(leaf) == MARKDOWN_HTML
  }

  /// Columns of the table at the end; nil where none is.
  var openTable: Int? {
    guard let leaf = openLeaf, markdown_kind_of(leaf) == MARKDOWN_TABLE else { return nil }
    return markdown_alignments(leaf).count
  }

  /// Bytes of the paragraph at the end, which goes on growing.
  var openParagraph: UnsafeBufferPointer<UInt8>? {
    guard let leaf = openLeaf, markdown_kind_of(leaf) == MARKDOWN_PARAGRAPH else { return nil }
    return markdown_content(leaf).buffer
  }

  var openLeaf: OpaqueNode? {
    guard var node = open.last?.node else { return nil }
    // The rows of a table are open as long as it is.
    while markdown_kind_of(node) != MARKDOWN_TABLE, let child = markdown_last_child(node), markdown_is_open(child) {
      node = child
    }
    return node == open.first?.node ? nil : node
  }

  /// Words with no block around them, read as a paragraph that may not be whole yet.
  func inlines(_ source: UnsafeBufferPointer<UInt8>, style: Style = .plain) -> StyledBytes {
    let maths = Maths.takenOut(of: source)
    let node =
      (maths?.source).map {
        $0.withUnsafeBufferPointer { markdown_paragraph(document.pointer, $0.baseAddress, $0.count) }
      }
      ?? markdown_paragraph(document.pointer, source.baseAddress, source.count)
    guard let node else { return StyledBytes() }
    defer { cmark_node_free(node) }
    var budget = budget
    return InlineText.of(
      node, look, style: style, maths: maths?.formulas ?? [], images: images, isDraft: true, budget: &budget)
  }

  /// What is being read that a line which begins with these bytes goes on with, and how many of the bytes say so
  /// (CommonMark 5).
  func containers(of line: [UInt8]) -> (open: [MarkdownContainer], length: Int) {
    var found: [MarkdownContainer] = []
    var start = 0
    for (_, container) in open {
      let blanks = line[start...].prefix { $0 == 0x20 }.count
      switch container.kind {
      case .document, .list: break
      case .quote:
        guard line[start...].dropFirst(blanks).first == UInt8(ascii: ">") else { return (found, start) }
        start += blanks + 1
        if line[start...].first == 0x20 { start += 1 }
      case .item(let marker):
        guard blanks >= min(marker.cells, 2) else { return (found, start) }
        start += min(blanks, marker.cells)
      }
      found.append(container)
    }
    return (found, start)
  }

  /// All that is being read.
  var containers: [MarkdownContainer] { open.map(\.container) }

  /// Whether a blank line stands before the block that a line begins, the next one without a number.
  func isParted(_ line: Int? = nil) -> Bool {
    let line = line ?? blankLines.count
    return hasBegun && blankLines.indices.contains(line - 1) && blankLines[line - 1]
  }

  // The tree.

  private mutating func take(all: Bool) -> [MarkdownBlock] {
    takeDefinitions()
    while let (node, _) = open.last {
      if let child = firstLeft(in: node) {
        if markdown_kind_of(child).isContainer {
          enter(child)
        } else if !markdown_is_open(child) || all {
          takeLeaf(child)
          retire(child)
        } else {
          takeOpenLines(of: child)
          break
        }
      } else if open.count > 1, !markdown_is_open(node) || all {
        leave()
      } else {
        break
      }
    }
    defer { blocks = [] }
    return blocks
  }

  /// The first that was not taken.
  private mutating func firstLeft(in node: OpaqueNode) -> OpaqueNode? {
    guard let first = markdown_first_child(node), markdown_is_taken(first) else { return markdown_first_child(node) }
    guard let next = markdown_next(first) else { return nil }
    free(first)
    return next
  }

  /// What was taken of an item that may go on stays until another child is there.
  private mutating func retire(_ node: OpaqueNode) {
    guard let (container, _) = open.last, markdown_kind_of(container) == MARKDOWN_ITEM, markdown_next(node) == nil
    else {
      return free(node)
    }
    if code?.node == node { code = nil }
    markdown_mark_taken(node)
  }

  private mutating func free(_ node: OpaqueNode) {
    if code?.node == node { code = nil }
    cmark_node_unlink(node)
    cmark_node_free(node)
  }

  private mutating func enter(_ node: OpaqueNode) {
    let kind: MarkdownContainer.Kind
    switch markdown_kind_of(node) {
    case MARKDOWN_LIST: kind = .list
    case MARKDOWN_QUOTE: kind = .quote(bar: look.drawsLines ? "│ " : "> ")
    default:
      open[open.count - 1].container.items += 1
      kind = .item(marker: marker(of: node))
    }
    open.append((node, MarkdownContainer(kind)))
  }

  private func marker(of item: OpaqueNode) -> SafeText {
    if markdown_is_task(item) { return markdown_is_done(item) ? "[x] " : "[ ] " }
    guard let (list, container) = open.last, markdown_is_ordered(list) else { return look.drawsLines ? "• " : "- " }
    let number = Int(markdown_list_start(list)) + container.items - 1
    return markdown_has_parenthesis(list) ? "\(number)) " : "\(number). "
  }

  private mutating func leave() {
    guard let (node, container) = open.last else { return }
    if case .item = container.kind, container.isFresh { add(.nothing, line: Int(markdown_start_line(node))) }
    open.removeLast()
    retire(node)
  }

  // What is in it.

  private mutating func takeLeaf(_ node: OpaqueNode) {
    var line = Int(markdown_start_line(node))
    let kind = markdown_kind_of(node)
    // The words directly above a table, which began as one paragraph with it, have lost their place to it.
    if line == 0, let next = markdown_next(node) { line = Int(markdown_start_line(next)) }
    defer { followsOwnWords = markdown_start_line(node) == 0 }
    switch kind {
    case MARKDOWN_PARAGRAPH:
      definitions.forget(before: blankLines.count - 1)
      add(.paragraph(words(of: node)), line: line)
      blocks += images.takeDrawn().map { MarkdownBlock(content: .image($0)) }
    case MARKDOWN_HEADING:
      definitions.forget(before: blankLines.count - 1)
      let level = Int(markdown_heading_level(node))
      add(.heading(level: level, words(of: node, style: .strong)), line: line, alwaysParted: true)
    case MARKDOWN_CODE, MARKDOWN_HTML: takeLines(of: node)
    case MARKDOWN_TABLE: add(.table(table(node)), line: followsOwnWords ? nil : line)
    case MARKDOWN_RULE: add(.rule, line: line)
    default: add(.paragraph(words(of: node)), line: line)
    }
  }

  private mutating func words(of node: OpaqueNode, style: Style = .plain) -> StyledBytes {
    let maths = Maths.takenOut(of: markdown_content(node).buffer)
    if let maths {
      (maths.source + [0]).withUnsafeBytes {
        markdown_set_content(document.pointer, node, $0.bindMemory(to: CChar.self).baseAddress)
      }
    }
    markdown_read_inlines(document.pointer, node)
    let text = InlineText.of(
      node, look, style: style, maths: maths?.formulas ?? [], images: images, budget: &budget)
    hidden += text.hidden
    return text
  }

  private mutating func table(_ node: OpaqueNode) -> MarkdownTable {
    var rows: [[StyledBytes]] = []
    var row = markdown_first_child(node)
    while let current = row {
      var cells: [StyledBytes] = []
      var cell = markdown_first_child(current)
      while let here = cell {
        cells.append(words(of: here, style: rows.isEmpty ? .strong : .plain))
        cell = markdown_next(here)
      }
      rows.append(cells)
      row = markdown_next(current)
    }
    return MarkdownTable(rows: rows, alignments: Array(markdown_alignments(node).buffer))
  }

  /// Lines of code or HTML that is open are as they will stay.
  private mutating func takeOpenLines(of node: OpaqueNode) {
    switch markdown_kind_of(node) {
    case MARKDOWN_CODE where markdown_is_fenced(node): takeLines(of: node, isOpen: true)
    case MARKDOWN_HTML: takeLines(of: node, isOpen: true)
    default: break
    }
  }

  private mutating func takeLines(of node: OpaqueNode, isOpen: Bool = false) {
    if code?.node != node {
      code = nil
      definitions.forget(before: blankLines.count - 1)
      pendingLine = Int(markdown_start_line(node))
    }
    var lines = code.take() ?? CodeLines(node, look, images)
    for content in lines.take(isOpen: isOpen) { add(content) }
    hidden += lines.hidden
    lines.hidden = 0
    code = lines
  }

  /// The text so far was shown as if it had ended here.
  mutating func cut() { code?.cut() }

  /// Where the first line of a block stands that has not been shown.
  private var pendingLine: Int?

  private mutating func takeDefinitions() {
    for definition in definitions.take(upTo: Int(markdown_definitions(document.pointer)), images) {
      add(.verbatim(definition.text), line: definition.line)
    }
  }

  private mutating func add(_ content: MarkdownBlock.Content, line: Int? = nil, alwaysParted: Bool = false) {
    let line = line ?? pendingLine
    pendingLine = nil
    defer { hasBegun = true }
    let parted = hasBegun && (line.map { alwaysParted || isParted($0) } ?? false)
    // Most stand in nothing, and have nothing before them.
    guard open.count > 1 else { return blocks.append(MarkdownBlock(content: content, isParted: parted)) }
    let most = look.columns / 2
    let containers = containers
    blocks.append(
      MarkdownBlock(
        content: content, isParted: parted,
        margin: MarkdownBlock.Margin(
          first: containers.prefix(isFirst: true, most: most), rest: containers.prefix(isFirst: false, most: most),
          gap: parted ? containers.gap(most: most) : StyledBytes())))
    for index in open.indices { open[index].container.isFresh = false }
  }
}

extension markdown_kind {
  var isContainer: Bool { self == MARKDOWN_LIST || self == MARKDOWN_ITEM || self == MARKDOWN_QUOTE }
}

/// What cmark has read, which ends with it.
final class MarkdownDocument {
  let pointer: OpaquePointer

  init() {
    // cmark itself ends the program where there is no memory.
    guard let pointer = markdown_new() else { fatalError("no memory for a parser of Markdown") }
    self.pointer = pointer
  }

  deinit { markdown_free(pointer) }
}

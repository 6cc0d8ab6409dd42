import CMarkdown
import TestSupport
import Testing
import Text

@Suite struct MarkdownPropertyTests {
  static let looks = [
    MarkdownLook(columns: 200), MarkdownLook(columns: 80), MarkdownLook(columns: 40, hasStyles: false),
    MarkdownLook(columns: 20, drawsLines: false), MarkdownLook(columns: 80, isSpoken: true),
  ]

  @Test(.enabled(if: MarkdownExamples.areHere, "the package golang-github-yuin-goldmark-dev has the examples"))
  func `no word of the specification's examples is lost`() throws {
    let sources = try MarkdownExamples.all()
    #expect(sources.count > 670)
    // Cells beyond those of the header are in no table (GitHub Flavored Markdown 4.10).
    for source in sources where !source.contains("| boo |") {
      let words = Self.words(of: source)
      for look in Self.looks {
        let text = rendered(source, look).map(\.string).joined()
        for word in words where !Self.holds(text, word) {
          Issue.record("\(word.debugDescription) of \(source.debugDescription) is not in \(text.debugDescription)")
        }
      }
    }
  }

  @Test(.enabled(if: MarkdownExamples.areHere, "the package golang-github-yuin-goldmark-dev has the examples"))
  func `the lines do not depend on how the specification came`() throws {
    var numbers = SeededNumbers(seed: 8)
    for source in try MarkdownExamples.all() {
      for look in Self.looks.prefix(3) {
        let whole = rendered(source, look)
        #expect(rendered(source, look, in: numbers.pieces(of: source)) == whole, "\(source.debugDescription)")
      }
    }
  }

  @Test func `the lines of random documents do not depend on how they came, and are harmless`() {
    var numbers = SeededNumbers(seed: 11)
    for _ in 0..<1500 {
      let source = numbers.markdown()
      let look = numbers.pick(Self.looks)
      let whole = rendered(source, look)
      var flow = MarkdownFlow(look)
      var lines: [StyledText] = []
      for piece in numbers.pieces(of: source) {
        lines += flow.feed(piece).lines.spans
        let draft = flow.draft().spans
        #expect(!draft.contains { Self.isHarmful($0.string) }, "\(source.debugDescription)")
        #expect(draft.allSatisfy { $0.cells <= max(look.columns, 2) }, "\(source.debugDescription)")
      }
      lines += flow.finish().lines.spans
      #expect(lines == whole, "\(source.debugDescription)")
      #expect(!lines.contains { Self.isHarmful($0.string) }, "\(source.debugDescription)")
    }
  }

  @Test func `a document is read by whatever thread comes next, and freed by another`() async throws {
    var numbers = SeededNumbers(seed: 19)
    let look = MarkdownLook(columns: 40)
    for _ in 0..<20 {
      let source = (0..<10).map { _ in numbers.markdown() }.joined(separator: "\n\n")
      let whole = rendered(source, look)
      // One owner at a time, as the view's lock sees to it.
      nonisolated(unsafe) var flow: MarkdownFlow? = MarkdownFlow(look)
      nonisolated(unsafe) var lines: [StyledText] = []
      for piece in numbers.pieces(of: source) {
        try await onItsOwnThread { lines += flow?.feed(piece).lines.spans ?? [] }
      }
      try await onItsOwnThread {
        lines += flow?.finish().lines.spans ?? []
        flow = nil
      }
      #expect(lines == whole)
    }
  }

  @Test func `documents that are read by turns, each on several threads, keep apart`() async {
    var numbers = SeededNumbers(seed: 17)
    let look = MarkdownLook(columns: 40)
    let sources = (0..<8).map { index in
      (0..<10).map { _ in numbers.markdown() }.joined(separator: "\n\n")
        + "\n\n| \(index) | b |\n|---|---|\n" + String(repeating: "| \(index) | `c` |\n", count: 10 * index)
        + String(repeating: "*\(index)* ", count: 60 * index)
    }
    let whole = sources.map { rendered($0, look) }
    await withTaskGroup(of: Void.self) { readers in
      for shift in 0..<3 {
        var numbers = SeededNumbers(seed: UInt64(shift))
        readers.addTask {
          var pending = sources.map { numbers.pieces(of: $0)[...] }
          var documents = sources.map { _ in (flow: MarkdownFlow(look), lines: [StyledText]()) }
          // One after the other ends, and is freed, while the rest go on.
          while let longest = pending.map(\.count).max(), longest > 0 {
            for index in pending.indices {
              guard let piece = pending[index].popFirst() else { continue }
              documents[index].lines += documents[index].flow.feed(piece).lines.spans
              _ = documents[index].flow.draft()
              guard pending[index].isEmpty else { continue }
              documents[index].lines += documents[index].flow.finish().lines.spans
              #expect(documents[index].lines == whole[index])
              documents[index].flow = MarkdownFlow(look)
            }
          }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func `what nobody would write is read in the time that its length asks for`() {
    let attacks = [
      String(repeating: ">", count: 50_000), String(repeating: "- ", count: 50_000) + "a",
      String(repeating: "[", count: 100_000), String(repeating: "*a **a ", count: 20_000),
      String(repeating: "`a ``b ", count: 20_000), String(repeating: "$$a \\(b ", count: 20_000),
      String(repeating: "a\n", count: 100_000), String(repeating: "\n", count: 300_000),
      String(repeating: "x", count: 1_000_000), "```\n" + String(repeating: "x", count: 1_000_000),
      String(repeating: "[a]: b\n[a]\n\n", count: 20_000), "|a|\n|-|\n" + String(repeating: "|b|\n", count: 50_000),
      String(repeating: "> a\n\n- b\n  > c\n\n", count: 10_000), "<!--" + String(repeating: " a\n", count: 100_000),
      "word " + String(repeating: "x", count: 100_000),
      String(repeating: "|a", count: 8000) + "|\n" + String(repeating: "|-", count: 8000) + "|\n"
        + String(repeating: "a\n", count: 8000),
      String(repeating: "|a", count: 90) + "|\n" + String(repeating: "|-", count: 90) + "|\n"
        + String(repeating: "a\n", count: 20_000),
    ]
    for attack in attacks {
      let start = processorTime()
      _ = rendered(attack, MarkdownLook(columns: 80))
      // Growth with the square of it would take minutes.
      #expect(processorTime() - start < 30, "\(attack.prefix(20))")
    }
  }

  /// Whether a line holds what a terminal would act on, or what turns its words around.
  private static func isHarmful(_ line: String) -> Bool {
    line.unicodeScalars.contains { scalar in
      switch scalar.value {
      case ..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2028, 0x2029, 0xE0000...0xE0FFF: true
      default: false
      }
    }
  }

  /// Each text in cmark's own tree.
  private static func words(of source: String) -> [String] {
    guard let document = cmark_parse_document(source, source.utf8.count, CMARK_OPT_DEFAULT) else { return [] }
    defer { cmark_node_free(document) }
    let iterator = cmark_iter_new(document)
    defer { cmark_iter_free(iterator) }
    var words: [String] = []
    while cmark_iter_next(iterator) != CMARK_EVENT_DONE {
      let node = cmark_iter_get_node(iterator)
      let kinds = [CMARK_NODE_TEXT, CMARK_NODE_CODE, CMARK_NODE_CODE_BLOCK]
      guard kinds.contains(cmark_node_get_type(node)), let text = cmark_node_get_literal(node) else { continue }
      words.append(String(cString: text))
    }
    return words
  }

  /// Whether the letters and digits stand in a text in their order, whatever was put between them to break lines.
  private static func holds(_ text: String, _ word: String) -> Bool {
    var rest = Filter.block(text).string.unicodeScalars[...]
    for scalar in Filter.code(word).string.unicodeScalars
    where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      guard let place = rest.firstIndex(of: scalar) else { return false }
      rest = rest[rest.index(after: place)...]
    }
    return true
  }
}

extension SeededNumbers {
  /// A document put together of what Markdown is made of.
  mutating func markdown() -> String {
    let parts = [
      "# ", "## ", "- ", "* ", "1. ", "2) ", "> ", "```\n", "```swift\n", "~~~\n", "    ", "  ", "\n", "\n\n", "\n",
      "---\n",
      "===\n", "| a | b |\n", "|---|:-:|\n", "|", "**", "*", "_", "`", "``", "~~", "[a]", "(http://e.x/y)", "[a]: /b\n",
      "![i](j)", "<b>", "<div>\n", "<!-- ", "-->", "<br>", "$", "$$", "\\[", "\\]\n", "\\(", "\\)", "&amp;", "&#27;",
      "\\",
      "[ ] ", "[x] ", "words and more words ", "日本語", "👩‍👩‍👧 ", "e\u{301}", "https://example.com/a ", "\t", "\u{1B}[1m",
      "\r\n",
      "let a = 1 // b\n", "x", ".", " ", "\u{202E}", "\u{2067}",
    ]
    return (0..<below(40)).map { _ in pick(parts) }.joined()
  }
}

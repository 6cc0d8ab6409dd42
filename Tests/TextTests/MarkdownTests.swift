import Testing
import Text

/// What Markdown looks like on a terminal, in lines.
private func shown(
  _ source: String, columns: Int = 80, styles: Bool = true, lines: Bool = true, spoken: Bool = false
) -> String {
  rendered(source, MarkdownLook(columns: columns, hasStyles: styles, drawsLines: lines, isSpoken: spoken))
    .map(\.string).joined(separator: "\n")
}

func rendered(_ source: String, _ look: MarkdownLook, in pieces: [String]? = nil) -> [StyledText] {
  var flow = MarkdownFlow(look)
  var lines: [StyledText] = []
  for piece in pieces ?? [source] { lines += flow.feed(piece).lines.spans }
  return lines + flow.finish().lines.spans
}

private func style(of words: String, in source: String) throws -> Style {
  let spans = rendered(source, MarkdownLook(columns: 80)).flatMap { $0 }
  return try #require(spans.first { $0.text.string == words }).style
}

@Suite struct MarkdownTests {
  @Test func `words keep what is laid on them and lose its marks`() throws {
    #expect(shown("a **b** *c* ~~d~~ `e` f") == "a b c d e f")
    #expect(try style(of: "b", in: "a **b** c") == .strong)
    #expect(try style(of: "b", in: "a *b* c") == Style(.plain, .emphasis))
    #expect(try style(of: "b", in: "a ***b*** c") == Style(.plain, [.strong, .emphasis]))
    #expect(try style(of: "b", in: "a ~~b~~ c") == Style(.plain, .struck))
    #expect(try style(of: "b", in: "a `b` c").meaning == .code)
  }

  @Test func `where styles cannot be seen the marks stay`() {
    #expect(shown("a **b** *c* ~~d~~ `e`", styles: false) == "a **b** *c* ~~d~~ `e`")
    #expect(shown("```swift\nlet a = 1\n```", styles: false) == "```swift\nlet a = 1\n```")
  }

  @Test func `a heading shows its level`() {
    #expect(shown("text\n# One\n### Three\nmore\n\nTwo\n---\n") == "text\n\n# One\n\n### Three\nmore\n\n## Two")
  }

  @Test func `blank lines are those of the source, one at most`() {
    #expect(shown("\n\na\n\n\n\nb\nc\n- d\n- e\n\n- f\n") == "a\n\nb\nc\n• d\n• e\n\n• f")
  }

  @Test func `lists are numbered, nested and indented`() {
    let source = "3. a\n4. b\n   - c\n     1) d\n5. e\n\n   f\n"
    #expect(shown(source) == "3. a\n4. b\n   • c\n     1) d\n5. e\n\n   f")
    #expect(shown(source, lines: false) == "3. a\n4. b\n   - c\n     1) d\n5. e\n\n   f")
    #expect(shown("- [x] done\n- [ ] open\n-\n- last") == "[x] done\n[ ] open\n•\n• last")
  }

  @Test func `lines are broken below the words that they go on`() {
    #expect(
      shown("- one two three four\n  - five six seven", columns: 14)
        == "• one two\n  three four\n  • five six\n    seven")
    #expect(shown("> one two three", columns: 10) == "│ one two\n│ three")
  }

  @Test func `a quote has a bar, on its blank lines too`() {
    #expect(shown("> a\n>\n> > b\n> c\n\nd") == "│ a\n│\n│ │ b\n│ │ c\n\nd")
    #expect(shown("> a", lines: false) == "> a")
  }

  @Test func `code stands between lines that name its language, as it was written`() {
    let shown = shown("```python\nif a:\n\n\treturn  b\n```\n", columns: 20)
    #expect(shown == "── python ──────────\nif a:\n\n        return  b\n────────────────────")
    #expect(rendered("```\n\(String(repeating: "x", count: 50))\n```", MarkdownLook(columns: 20))[1].cells == 50)
  }

  @Test func `code in a list is broken inside of it`() {
    #expect(shown("- a\n\n      code", columns: 20).hasPrefix("• a\n\n  ────"))
    #expect(
      shown("1. a\n   ```\n   12345678901234567890\n   ```", columns: 20).contains("\n   12345678901234567\n   890\n"))
  }

  @Test func `code has the colours of its language`() throws {
    #expect(try style(of: "def", in: "```python\ndef f(): # why\n```").meaning == .keyword)
    #expect(try style(of: "\"日本\"", in: "```python\na = \"日本\"\n```").meaning == .string)
    #expect(try style(of: "int", in: "```c\nint a;\n```").meaning == .type)
    #expect(try style(of: "x = 1", in: "```nonsense\nx = 1\n```").meaning == .code)
  }

  @Test func `a comment of several lines stays one`() {
    let lines = rendered("```c\n/* a\nint b;\n*/ int c;\n```", MarkdownLook(columns: 80))
    #expect(lines[2].allSatisfy { $0.style.meaning == .comment || $0.text.string == " " })
    #expect(lines[3].contains { $0.text.string == "int" && $0.style.meaning == .type })
  }

  @Test func `a table is aligned by cells`() {
    #expect(
      shown("| a | b | 漢字 |\n|---|--:|:-:|\n| 日本 | 1 | x |\n| c | 20 |\n")
        == "a    │  b │ 漢字\n─────┼────┼─────\n日本 │  1 │  x\nc    │ 20 │")
    #expect(shown("|a|b|\n|-|-|\n|c|d|", lines: false) == "a | b\n--+--\nc | d")
  }

  @Test func `a table that does not fit has cells of several lines, and else is a list`() {
    let source = "| name | about |\n|---|---|\n| alpha | one two three four five |\n| beta | six |"
    #expect(
      shown(source, columns: 24)
        == """
        name  │ about
        ──────┼─────────────────
        alpha │ one two three
              │ four five
        ──────┼─────────────────
        beta  │ six
        """)
    #expect(shown(source, columns: 14) == "name: alpha\nabout: one two\n  three four\n  five\n\nname: beta\nabout: six")
    #expect(shown(source, spoken: true) == "name: alpha\nabout: one two three four five\n\nname: beta\nabout: six")
  }

  @Test func `a link shows where it leads, and the terminal is told so`() throws {
    #expect(shown("see [the docs](https://example.com/a)") == "see the docs (https://example.com/a)")
    #expect(shown("<https://example.com/a> www.example.org") == "https://example.com/a www.example.org")
    #expect(
      shown("[a](#here) [b](javascript:alert(1)) ![c](d.png)") == "a (#here) b (javascript:alert(1)) [image: c] (d.png)"
    )
    let spans = rendered("[a](https:///) [b](javascript:c) [c](/d)", MarkdownLook(columns: 80)).flatMap { $0 }
    #expect(spans.allSatisfy { $0.link == nil })
    let link = rendered("[a](https://example.com/%20é)", MarkdownLook(columns: 80))[0].first?.link
    #expect(link?.url == "https://example.com/%20%C3%A9")
  }

  @Test func `definitions of links are not lost`() {
    #expect(
      shown("[a]: https://example.com 'T'\n\n[a] and [b][a]\n")
        == "[a]: https://example.com 'T'\n\na (https://example.com) and b (https://example.com)")
    #expect(
      shown("[a] first\n\n[a]: /x\n\n[c]: no definition at all\n")
        == "[a] first\n\n[a]: /x\n\n[c]: no definition at all")
    #expect(shown("- [a]: /x\n- > 2. [b]: /y\n\n[c]:\n  /z\n\nd") == "• [a]: /x\n• │ 2. [b]: /y\n\n[c]: /z\n\nd")
    #expect(shown("- text\n- [b]: /y\n\nd") == "• text\n• [b]: /y\n\nd")
    #expect(shown("# Refs\n[b]: /y\n\nd") == "# Refs\n[b]: /y\n\nd")
  }

  @Test func `formulas stay readable`() {
    #expect(shown("it is $a_1*b*c_2$ or \\(x_1\\) or \\[y*z*w\\]") == "it is $a_1*b*c_2$ or \\(x_1\\) or \\[y*z*w\\]")
    #expect(shown("from $5 to $10 and `$a`, *b*") == "from $5 to $10 and $a, b")
    #expect(shown("so\n\n\\[\na\n- b\n= c\n\\]\nand\n$$\nx\n$$\n") == "so\n\n\\[\na\n- b\n= c\n\\]\nand\n$$\nx\n$$")
    #expect(shown("\\[ never closed\nx\n\nafter *it*") == "\\[ never closed\nx\n\nafter it")
  }

  @Test func `nobody can write the marks that stand for formulas`() {
    // U+FDDA, U+FDD0, U+FDDA: no literal may hold them.
    let mark = String(decoding: [0xEF, 0xB7, 0x9A, 0xEF, 0xB7, 0x90, 0xEF, 0xB7, 0x9A], as: UTF8.self)
    #expect(shown("$a$ \(mark) b") == "$a$  b")
  }

  @Test func `HTML is seen, and its line break is one`() {
    #expect(shown("a<br>b <b>c</b>\n\n<div>\nd\n</div>\n") == "a\nb <b>c</b>\n\n<div>\nd\n</div>")
  }

  @Test func `nothing in it reaches the terminal but through the filter`() {
    let source =
      "a\u{1B}[2J &#27;[31m `\u{9B}x` [b](https://e\u{202E}vil) \u{202E}c\n\n```\n\u{1B}]0;t\u{7}\n```\n| \u{8} |\n|-|\n"
    let text = shown(source)
    #expect(harm(in: text, .block) == nil)
    #expect(text.contains("^[[2J ^[[31m <9B>x"))
  }

  @Test func `lines are drawn in ASCII where nothing else can be`() {
    let text = shown("- a\n\n> b\n\n---\n\n|c|\n|-|\n|d|\n\n```\ne\n```\n", lines: false)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func `a speaker is told where code begins and ends`() {
    #expect(shown("```swift\na\n```", spoken: true) == "code, swift:\na\nend of code")
  }

  @Test func `what follows code in an item still stands in the item`() {
    #expect(
      shown("1. Install:\n\n   ```sh\n   make\n   ```\n\n   Then run it.\n\n\n   And more.\n2. Go\n", styles: false)
        == "1. Install:\n\n   ```sh\n   make\n   ```\n\n   Then run it.\n\n   And more.\n2. Go")
  }

  @Test func `code is as it was written, whatever it is made of`() {
    for line in [
      "+" + String(repeating: "-", count: 60) + "+", String(repeating: "*", count: 60) + "/",
      "- - " + String(repeating: "- ", count: 40) + "-",
    ] {
      #expect(shown("```\n\(line)\n```", styles: false) == "```\n\(line)\n```")
    }
  }

  @Test func `a formula ends with the list that it stands in, and begins where code could`() {
    #expect(shown("1. F:\n\n   $$\nx = 1\n   $$\n\n*b*") == "1. F:\n\n   $$\nx = 1\n$$\n\nb")
    #expect(!shown("<div>\n$$\nx\n</div>").contains("~~~"))
    #expect(!shown("a\n     $$\nx\n$$").contains("~~~"))
    #expect(shown("> \\[\n> a*b*c\n> \\]\n> d") == "│ \\[\n│ a*b*c\n│ \\]\n│ d")
  }

  @Test func `words do not lead elsewhere than they read`() {
    #expect(shown("[https://google.com](https://google.co)") == "https://google.com (https://google.co)")
    #expect(shown("<https://h/o?$filter=a&$top=5> $x$") == "https://h/o?$filter=a&$top=5 $x$")
  }

  @Test func `words directly above a table keep the blank line before them`() {
    #expect(shown("a\n\nb\n| c |\n|---|\n| d |") == "a\n\nb\nc\n─\nd")
  }

  @Test(arguments: ["a\rb\r\n\r\nc\n\rd", "a\nb\n\nc\n\nd"]) func `lines end as they are ended anywhere`(source: String)
  {
    #expect(shown(source) == "a\nb\n\nc\n\nd")
  }

  @Test func `a line without a blank is broken all the same`() {
    let word = String(repeating: "x", count: 40_000)
    #expect(shown("word \(word)", columns: 50_000).replacing("\n", with: "") == "word" + word)
  }

  @Test func `a table that grows is seen`() {
    var flow = MarkdownFlow(MarkdownLook(columns: 80))
    _ = flow.feed("| a | b |\n|---|---|\n| 1 | 2 |\n| 3")
    #expect(flow.draft().spans.map(\.string) == ["a │ b", "──┼──", "1 │ 2"])
  }

  @Test(arguments: ["\0", "# \0", "> \0", "- \0", "*\0", "a [\0", "a`\0`", "<\0", "a\n\0"])
  func `a NUL ends nothing, while it is drafted either`(source: String) {
    var flow = MarkdownFlow(MarkdownLook(columns: 80))
    var lines = flow.feed(source)
    _ = flow.draft()
    lines += flow.finish()
    #expect(lines.lines.spans.map(\.string).joined().contains("\u{FFFD}"))
  }

  @Test func `an address that is used often is not told each time`() {
    let source = "[a]: http://x?\(String(repeating: "b", count: 2000))\n\n" + String(repeating: "[a] ", count: 4000)
    #expect(shown(source).utf8.count < 4 * source.utf8.count)
  }

  @Test func `an address that is longer than any is not copied to each link`() {
    let source = "[a]: http://e.x/\(String(repeating: "u", count: 3000))\n[b]: http://e.x/b\n\n[a] [b]"
    #expect(shown(source, columns: 80).hasSuffix("a b (http://e.x/b)"))
  }

  @Test func `a line that ends code with blanks before it is broken as any other`() {
    let long = String(repeating: "[a] ", count: 6000)
    let (close, parted) = (shown("    code\n" + long), shown("    code\n\n" + long))
    #expect(close.split(separator: "\n") == parted.split(separator: "\n"))
    #expect(close.contains("\n\n[a]"))
  }

  @Test func `a table of many empty cells is no longer than it was written`() {
    let header = "|" + String(repeating: String(repeating: "b", count: 90) + "|", count: 90)
    let source = header + "\n" + String(repeating: "|-", count: 90) + "|\n" + String(repeating: "|a\n", count: 300)
    #expect(shown(source).utf8.count < 4 * source.utf8.count)
  }

  @Test func `a line that its language's patterns cannot cope with costs the colours, and no more`() {
    let line = String(repeating: "a<b>", count: 70)
    let source = "```cpp\n" + String(repeating: line + "\n", count: 50) + "```"
    #expect(shown(source).contains(line))
  }
}

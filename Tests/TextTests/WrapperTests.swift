import TestSupport
import Testing

@testable import Text

@Suite struct WrapperTests {
  @Test(arguments: [
    ("one two three four", 9, "one two\nthree\nfour"), ("one two", 7, "one two"),
    ("one twoo", 7, "one\ntwoo"),
    ("1234567 x", 7, "1234567\nx"), ("1234567\nx", 7, "1234567\nx"), ("1234567 \nx", 7, "1234567\nx"),
    ("one     two", 6, "one\ntwo"), ("one  two", 20, "one  two"),
    ("one\n\n\ntwo", 5, "one\n\n\ntwo"), ("\n", 5, "\n"),
    ("    code here", 12, "    code\nhere"), ("a\n  b c d", 5, "a\n  b c\nd"),
    ("  \n x", 5, "  \n x"), ("x  ", 5, "x  "),
    ("abcdefghij", 4, "abcd\nefgh\nij"), ("ab abcdefghij k", 4, "ab\nabcd\nefgh\nij k"),
    ("   abcdef", 5, "   ab\ncdef"),
    ("漢字漢字漢字", 5, "漢字\n漢字\n漢字"), ("漢字漢字。漢", 8, "漢字漢\n字。漢"), ("「漢字」「漢字」", 8, "「漢字」\n「漢字」"),
    ("Swift言語abc", 8, "Swift言\n語abc"), ("well-known fact", 7, "well-\nknown\nfact"),
    ("a --flag", 5, "a\n--fla\ng"),
    ("2024-01-02", 12, "2024-01-02"), ("in 2024-01-02", 8, "in\n2024-01-\n02"),
    ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 4, "👩‍👩‍👧‍👦👩‍👩‍👧‍👦\n👩‍👩‍👧‍👦"),
    ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}e\u{301}\ne\u{301}"), ("🇩🇪🇫🇷🇮🇹", 5, "🇩🇪🇫🇷\n🇮🇹"),
    ("a漢", 1, "a\n漢"), ("ab", 1, "a\nb"), ("ab c", 0, "a\nb\nc"),
    ("ab", -5, "a\nb"), ("", 5, ""), ("❤️❤️", 2, "❤️\n❤️"), ("x\ty", 20, "x       y"),
  ]) func `lines end between words`(_ text: String, _ columns: Int, _ lines: String) {
    #expect(wrapped([text], columns) == lines)
  }

  @Test(arguments: [20, 40, 80, 200]) func `a paragraph is filled greedily`(_ columns: Int) {
    let words = (0..<400).map { String(repeating: "w", count: 1 + $0 * 7 % 11) }
    #expect(wrapped([words.joined(separator: " ")], columns) == greedy(words, columns))
  }

  @Test func `lines begun here are indented`() {
    #expect(wrapped(["one two three\n\nfour"], 7, indent: 2) == "  one\n  two\n  three\n\n  four")
    #expect(wrapped(["one two three"], 9, indent: 2, column: 2) == "one two\n  three")
    #expect(wrapped(["threshold"], 8, indent: 2, column: 2) == "thresh\n  old")
    #expect(wrapped(["a threshold"], 8, indent: 2, column: 2) == "a\n  thresh\n  old")
    #expect(wrapped(["漢字 漢字"], 3, indent: 40) == " 漢\n 字\n 漢\n 字")
  }

  @Test func `what was given out stays, and only the last word waits`() {
    var wrapper = Wrapper(columns: 20)
    #expect(wrapper.feed("one tw") == "one")
    #expect(wrapper.feed("o three") == " two")
    #expect(wrapper.feed("\n") == " three\n")
    #expect(wrapper.feed("漢字漢") == "漢")
    #expect(wrapper.finish() == "字漢")
  }

  @Test func `a word without end is given out line by line`() {
    var wrapper = Wrapper(columns: 10)
    let shown = wrapper.feed(Filter.block(String(repeating: "x", count: 10_000))).string
    #expect(shown.utf8.count > 10_900)
  }

  @Test func `a new width holds from the next word`() {
    var wrapper = Wrapper(columns: 40)
    var text = wrapper.feed("the quick brown fox jumps ").string
    wrapper.columns = 10
    text += wrapper.feed("over the lazy dog ").string
    wrapper.columns = 20
    text += wrapper.feed("again and again and again").string + wrapper.finish().string
    #expect(text == "the quick brown fox jumps\nover the\nlazy dog again and\nagain and again")
  }

  @Test func `a word that waits while the width shrinks is broken`() {
    var wrapper = Wrapper(columns: 40)
    var text = wrapper.feed("ab e\u{301}longword").string
    wrapper.columns = 4
    text += wrapper.feed(" x").string + wrapper.finish().string
    #expect(text == "ab\ne\u{301}lon\ngwor\nd x")
  }

  @Test(arguments: [1, 2, 3, 7, 20, 40, 80, 200])
  func `any text in any pieces wraps the same, fits, and loses nothing`(_ columns: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededNumbers(seed: seed)
    for number in 0..<600 {
      let text = random.prose(upTo: 60)
      let indent = random.below(4)
      let told: Comment = "seed \(seed), case \(number), indent \(indent): \(text.debugDescription)"
      let whole = wrapped([text], columns, indent: indent)
      #expect(wrapped(random.pieces(of: text), columns, indent: indent).utf8.elementsEqual(whole.utf8), told)
      #expect(whole.inked.elementsEqual(Filter.block(text).string.inked), told)
      let lines = SafeText(filtered: whole).lines
      #expect(lines.allSatisfy { $0.cells <= max(columns, 2) }, told)
      #expect(lines.count >= Filter.block(text).lines.count, told)
    }
  }

  // On lines of a few cells words that are longer than one may be broken at other places.
  @Test(arguments: [20, 40, 80, 200]) func `a text that is here as a whole has the same lines`(_ columns: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededNumbers(seed: seed)
    for number in 0..<600 {
      // Blanks that a line begins with are indentation to the one, and part of a line that was broken before to the other.
      let text = Filter.block(random.prose(upTo: 60)).lines
        .map { String($0.string.unicodeScalars.drop { $0 == " " }) }.joined(separator: "\n")
      let bytes = Array(text.utf8)
      let lines = bytes.withUnsafeBufferPointer { LineBreaks.lines(in: $0, first: columns, rest: columns) }
        .map { String(decoding: bytes[$0], as: UTF8.self) }
      let wrapper = SafeText(filtered: wrapped([text], columns)).lines.map(\.withoutTrailingSpaces.string)
      #expect(lines == wrapper, "seed \(seed), case \(number): \(text.debugDescription)")
    }
  }

  @Test(arguments: [
    "\u{301}「❤extraordinarilyไทย", "\u{301}🇩🇪\u{3000}-extraordinarily—ไทย1", "e\u{301}「—extraordinarilyx」a",
  ])
  func `what fits on no line is broken where a line ends`(_ text: String) {
    let bytes = Array(text.utf8)
    let lines = bytes.withUnsafeBufferPointer { LineBreaks.lines(in: $0, first: 20, rest: 20) }
      .map { String(decoding: bytes[$0], as: UTF8.self) }
    #expect(lines == wrapped([text], 20).split(separator: "\n").map(String.init))
    #expect(Cells.cells(in: lines[0]) == 20)
  }

  @Test func `no grapheme is split`() {
    let graphemes = [
      "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}\u{302}", "❤️", "1️⃣", "한", "漢", "ש\u{5B8}", "a", "-", "👍🏽", "\u{1100}\u{1161}\u{11A8}",
    ]
    var random = SeededNumbers(seed: 3)
    for columns in 1...12 {
      for _ in 0..<200 {
        let text = (0..<20).map { _ in random.pick(graphemes) }.joined()
        let parts = wrapped(random.pieces(of: text), columns).filter { $0 != "\n" }
        #expect(Array(parts) == Array(text), "\(columns): \(text)")
      }
    }
  }

  private func wrapped(_ pieces: [String], _ columns: Int, indent: Int = 0, column: Int = 0) -> String {
    var filter = Filter(.block)
    var wrapper = Wrapper(columns: columns, indent: indent, column: column)
    var text = pieces.map { wrapper.feed(filter.feed($0)).string }.joined()
    text += wrapper.feed(filter.finish()).string
    return text + wrapper.finish().string
  }

  private func greedy(_ words: [String], _ columns: Int) -> String {
    var lines = [""]
    for word in words {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = word
      } else if last.count + 1 + word.count <= columns {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(word)
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  /// The scalars that a break neither adds nor swallows.
  fileprivate var inked: [Unicode.Scalar] { unicodeScalars.filter { $0 != " " && $0 != "\n" } }
}

extension SeededNumbers {
  fileprivate mutating func prose(upTo count: Int) -> String {
    let parts = [
      "word", "a", "well-known", " ", " ", " ", "  ", "\n", "漢字", "仮名。", "「", "」", "👩‍👩‍👧‍👦",
      "e\u{301}", "\u{301}", "-", "🇩🇪",
      "❤", "\u{FE0F}", "\u{200D}", "❤️", "\t", "extraordinarily", "ไทย", "한", "\u{3000}",
      "\u{1F1E6}", "\u{200F}", "1", "—",
    ]
    return (0..<below(count)).map { _ in pick(parts) }.joined()
  }
}

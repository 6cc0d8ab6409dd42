import Testing
import Text

@Suite struct FilterTests {
  @Test(arguments: [
    ("\u{1B}]0;title\u{07}", "^[]0;title^G"), ("a\u{00}\u{08}\u{7F}", "a^@^H^?"),
    ("\u{9B}2J", "<9B>2J"), ("\u{85}", "<85>"),
    ("a\r\nb\rc\nd\r", "a\nb\nc\nd\n"), ("a\u{2028}b\u{2029}", "a\nb\n"), ("\u{0B}\u{0C}", "^K^L"),
    ("a\u{202E}b\u{E0041}c\u{200B}", "abc"), ("\u{E000}\u{F8FF}", "\u{FFFD}\u{FFFD}"),
    ("plain text\n", "plain text\n"),
  ]) func `a message keeps its lines and shows its controls`(_ text: String, _ shown: String) {
    #expect(Filter.block(text).string == shown)
  }

  @Test(arguments: [
    ("\tx", "        x"), ("abc\tx", "abc     x"), ("12345678\tx", "12345678        x"),
    ("漢字\tx", "漢字    x"),
    ("e\u{301}\tx", "e\u{301}       x"), ("👩‍👩‍👧‍👦\tx", "👩‍👩‍👧‍👦      x"),
    ("abc\n\tx", "abc\n        x"), ("\u{1B}\tx", "^[      x"),
    ("❤️\tx", "❤️      x"), ("a\t\tb", "a               b"),
  ]) func `a tab reaches to the next eighth cell`(_ text: String, _ shown: String) {
    #expect(Filter.block(text).string == shown)
  }

  @Test func `a tab counts the cells of earlier pieces`() {
    #expect(filtered(["漢", "字e", "\u{301}", "\tx"], .block).text == "漢字e\u{301}   x")
  }

  @Test func `a name is one line`() {
    #expect(Filter.inline("a\r\nb\tc\u{2028}d\re").string == "a b c d e")
    #expect(Filter.inline("a\u{200F}\u{2067}b\u{2069}").string == "ab")
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
    ("漢字漢字", 8, "漢字漢字"),
    ("漢字漢字", 7, "漢字漢…"), ("漢字漢字", 6, "漢字…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ("🇩🇪🇫🇷🇮🇹", 5, "🇩🇪🇫🇷…"),
    ("a👩‍👩‍👧‍👦b", 3, "a…"), ("a👩‍👩‍👧‍👦bc", 4, "a👩‍👩‍👧‍👦…"), ("", 3, ""),
  ]) func `a name is cut between graphemes`(_ text: String, _ width: Int, _ shown: String) {
    let name = Filter.inline(text, width: width)
    #expect(name.string == shown)
    #expect(name.cells <= width)
  }

  @Test(arguments: [
    ("ls \u{202E}fr- mr", "ls <U+202E>fr- mr"), ("a\u{E0041}b", "a<U+E0041>b"),
    ("echo #\nrm -rf ~\r", "echo #^Jrm -rf ~^M"),
    ("a\tb", "a b"), ("exam\u{200C}ple.com", "exam<U+200C>ple.com"), ("a\u{FE0F}", "a<U+FE0F>"),
    ("\u{200D}x", "<U+200D>x"),
    ("x\u{200D}", "x<U+200D>"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
    ("می\u{200C}\u{200C}خ", "می\u{200C}<U+200C>خ"),
    ("a\u{AD}b\u{2028}c", "a<U+00AD>b<U+2028>c"), ("\u{1B}[31m", "^[[31m"), ("\u{E000}", "<U+E000>"),
  ]) func `a command shows what others take out`(_ text: String, _ shown: String) {
    #expect(Filter.command(text).string == shown)
  }

  @Test func `a command is never cut`() {
    let long = String(repeating: "x", count: 100_000)
    #expect(Filter.command(long).string == long)
  }

  @Test(arguments: [
    ("a\tb\r\nc\rd", "a\tb\nc\nd"), ("\u{1B}[31m\u{07}\u{7F}", "^[[31m^G^?"), ("\u{9B}m", "<9B>m"),
    (
      "👩\u{200D}👧 a\u{A0}b co\u{AD}op \u{200F}\u{2067}x\u{FEFF}",
      "👩\u{200D}👧 a\u{A0}b co\u{AD}op \u{200F}\u{2067}x\u{FEFF}"
    ),
    ("a\u{202E}b\u{E0041}\u{FFF9}", "ab"), ("a\u{2028}\u{E000}\u{200D}", "a\u{2028}\u{E000}\u{200D}"),
  ]) func `source stays as it is but for what is harmful`(_ text: String, _ shown: String) {
    #expect(Array(Filter.source(text).string.unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test(arguments: [
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("क\u{94D}\u{200D}ष", "क\u{94D}\u{200D}ष"),
    ("👩\u{200D}👧", "👩\u{200D}👧"),
    ("\u{200D}a", "a"), ("a \u{200D}b", "a b"), ("a\u{200D} b", "a b"), ("a\u{200D}\n", "a\n"),
    ("a\u{200D}", "a"),
    ("a\u{200D}\u{200D}\u{200C}b", "a\u{200D}b"), ("a\u{200D}\u{202E}b", "a\u{200D}b"),
    ("a\u{200D}\u{1B}", "a\u{200D}^["),
    ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"),
  ]) func `a joiner stays between visible characters only`(_ text: String, _ shown: String) {
    #expect(Array(Filter.block(text).string.unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test func `one variation and eight marks to a base`() {
    #expect(Filter.block("☺\u{FE0F}\u{FE0E}\u{FE0F}").string.unicodeScalars.count == 2)
    #expect(Filter.block("\u{FE0F} \u{FE0F}").string == " ")
    let zalgo = "a" + String(repeating: "\u{301}", count: 20)
    #expect(Filter.block(zalgo + zalgo).string.unicodeScalars.count == 18)
    #expect(Filter.block("한국어".decomposed).string.unicodeScalars.count == 8)
  }

  @Test func `isolates end with their line`() {
    let text = Filter.block("a\u{2067}b\nc\u{2069}d\u{2066}\u{2068}e").string
    #expect(text.unicodeScalars.elementsEqual("a\u{2067}b\u{2069}\ncd\u{2066}\u{2068}e\u{2069}\u{2069}".unicodeScalars))
  }

  @Test func `direction marks stay in prose, not in code`() {
    #expect(Filter.block("a\u{200F}b\u{61C}").string.unicodeScalars.count == 4)
    #expect(Filter.code("a\u{200F}b\u{61C}\u{2067}\n\tc").string == "ab\n        c")
  }

  @Test func `hidden characters are counted, invisible ones are not`() {
    var filter = Filter(.block)
    _ = filter.feed("a\u{202E}b\u{E0041}\u{E0042}\u{FFFB}\u{FFF9}\u{206A}")
    #expect(filter.hidden == 6)
    _ = filter.feed("\u{200B}\u{FEFF}\u{1B}\u{E000}")
    _ = filter.finish()
    #expect(filter.hidden == 6)
  }

  @Test func `bytes that are no UTF-8 become replacement characters`() {
    #expect(filtered(bytes: [[0x61, 0x9B, 0x32, 0x4A]], .block).text == "a\u{FFFD}2J")
    #expect(filtered(bytes: [[0xE2], [0x82], [0xAC]], .block).text == "€")
    #expect(filtered(bytes: [[0xE2, 0x82], [0x61]], .block).text == "\u{FFFD}a")
    #expect(filtered(bytes: [[0xED], [0xA0, 0x80]], .block).text == "\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(filtered(bytes: [[0xF0, 0x9F]], .block).text == "\u{FFFD}")
  }

  @Test func `text after an unfinished byte sequence finds it replaced`() {
    var filter = Filter(.block)
    var text = filter.feed(bytes: [0xE2, 0x82])
    text += filter.feed("a")
    #expect(text.string == "\u{FFFD}a")
  }

  @Test func `a finished filter begins anew`() {
    var filter = Filter(.block)
    _ = filter.feed("abc\r")
    _ = filter.finish()
    #expect(filter.feed("\n\tx").string == "\n        x")
  }
}

extension String {
  /// Hangul syllables as their vowels and consonants.
  fileprivate var decomposed: String {
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars {
      let index = scalar.value - 0xAC00
      let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
      scalars.append(contentsOf: parts.filter { $0 != 0x11A7 }.compactMap(Unicode.Scalar.init))
    }
    return String(scalars)
  }
}

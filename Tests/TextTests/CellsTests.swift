import CText
import TestSupport
import Testing

@testable import Text

@Suite struct CellsTests {
  @Test(arguments: [
    ("", 0), ("plain", 5), ("naïve", 5), ("e\u{301}", 1), ("漢字", 4), ("한국어", 6), ("ｱ", 1),
    ("Ａ", 2), ("日本語 text", 11),
    ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("❤", 1), ("❤️", 2), ("1️⃣", 2), ("🇩🇪", 2),
    ("🇩🇪🇫🇷", 4), ("©️", 2), ("©", 1),
    ("a\u{FE0F}", 1), ("שלום", 4), ("مرحبا", 5), ("ש\u{5B8}", 1), ("สวัสดี", 4), ("กำ", 2),
    ("หนี้", 2), ("हिन्दी", 5),
    ("\u{1100}\u{1161}\u{11A8}", 2), ("…", 1), ("—", 1), ("│", 1), ("→", 1),
    ("\u{200B}\u{200D}\u{2060}", 0),
    ("\u{301}", 0), ("a\u{301}\u{302}\u{303}b", 2), ("\u{1FAE8}", 2), ("\u{20000}\u{323B0}", 4),
    ("\u{1FAFF}", 2), ("\n", 0),
    ("🇩", 1), ("ᄀ", 2), ("〰", 2), ("𝒳", 1), ("👨🏻‍❤️‍💋‍👨🏼x", 3),
  ]) func `text takes so many cells`(_ text: String, _ cells: Int) {
    #expect(Cells.cells(in: text) == cells)
    #expect(Filter.block(text).cells == cells || text == "\n")
  }

  @Test(arguments: [
    ("a", 1), ("漢", 2), ("👍", 2), ("\u{301}", 0), ("\u{7}", 0), ("\u{200D}", 0), ("§", 1), ("\u{1161}", 0),
  ])
  func `a scalar takes so many cells`(_ scalar: Unicode.Scalar, _ cells: Int) {
    #expect(Cells.width(of: scalar) == cells)
  }

  @Test func `the short way to a width agrees with the tables`() {
    for value in UInt32(1)...0x1FFFF {
      let width = Cells.simpleWidth(value)
      guard width > 0 else { continue }
      let code = Int32(value)
      let told: Comment = "U+\(String(value, radix: 16))"
      #expect(Int(ctext_width(code)) == width, told)
      #expect(ctext_stands_alone(code) != 0, told)
      #expect(ctext_is_mark(code) == 0, told)
      if value > 0xFF { #expect(ScalarKind(value) == .base, told) }
    }
  }

  @Test func `cells of a text are those of its graphemes`() {
    let graphemes = [
      "a", " ", "漢", "e\u{301}", "👩‍👩‍👧‍👦", "🇩🇪", "❤️", "क", "한", "…", "1️⃣", "ש\u{5B8}", "👍🏽", "ｱ",
    ]
    var random = SeededNumbers(seed: 7)
    for _ in 0..<2_000 {
      let chosen = (0..<random.below(10)).map { _ in random.pick(graphemes) }
      #expect(Cells.cells(in: chosen.joined()) == chosen.map(Cells.cells(in:)).reduce(0, +), "\(chosen)")
    }
  }

  @Test func `text is counted in runs as it is scalar by scalar`() {
    var random = SeededNumbers(seed: 8)
    for _ in 0..<5_000 {
      let text = (0..<random.below(6)).map { _ in
        let isASCII = random.below(2) == 0
        return isASCII ? String(repeating: "x", count: random.below(20)) : random.text(upTo: 6)
      }.joined()
      var one = CellCounter()
      for scalar in text.unicodeScalars { one.add(scalar.value) }
      #expect(Cells.cells(in: text) == one.cells, "\(text.debugDescription)")
    }
  }
}

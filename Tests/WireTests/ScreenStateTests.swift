import Testing

@testable import Wire

@Suite struct ScreenStateTests {
  private func state(_ text: String, inPieces size: Int) -> ScreenState {
    var state = ScreenState()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      state.feed(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return state
  }

  @Test(
    arguments: [
      ("plain", false, nil, false), ("\u{1B}[?1049h", true, nil, false),
      ("\u{1B}[?1049hx\u{1B}[?1049l", false, nil, false),
      ("\u{1B}[?47;2004h", true, true, false), ("$ \u{1B}[?2004h\u{1B}[?2004l", false, false, false),
      ("\u{1B}[?104\u{1B}[?2004h", false, true, false), ("\u{1B}[1049h", false, nil, false),
      ("\u{1B}[>4;2m", false, nil, true), ("\u{1B}[=1u", false, nil, true), ("\u{1B}[>1u", false, nil, true),
      ("\u{1B}[?1049h\u{1B}[>1u\u{1B}c", false, nil, false), ("\u{1B}[31m\u{1B}[2J", false, nil, false),
    ] as [(String, Bool, Bool?, Bool)])
  func `sequences are read however they are cut`(text: String, isAlternate: Bool, marks: Bool?, keys: Bool) {
    for size in [1, 2, 3, 1000] {
      let state = state(text, inPieces: size)
      #expect(state.isAlternate == isAlternate && state.marksPastes == marks && state.changesKeys == keys, "by \(size)")
    }
  }

  @Test func `a sequence without an end is given up`() {
    #expect(state("\u{1B}[?" + String(repeating: "1", count: 100) + "\u{1B}[?47h", inPieces: 7).isAlternate)
  }
}

@Suite struct PastOutputTests {
  @Test(arguments: [
    ("$ ls\r\n", "$ ls\r\n"), ("\u{1B}[31mred\u{1B}[0m", "\u{1B}[31mred\u{1B}[0m"), ("a\u{1B}[6nb", "ab"),
    ("a\u{1B}[cb", "ab"),
    ("a\u{1B}[>cb", "ab"), ("a\u{1B}[?2026$pb", "ab"), ("\u{1B}[!p", "\u{1B}[!p"), ("\u{1B}[>q", ""),
    ("\u{1B}[2 q", "\u{1B}[2 q"),
    ("\u{1B}[?u", ""), ("\u{1B}[u", "\u{1B}[u"), ("\u{1B}[14t\u{1B}[5i", ""), ("\u{1B}]0;title\u{7}a", "a"),
    ("\u{1B}]52;c;eA==\u{1B}\\a", "a"), ("\u{1B}]11;?\u{1B}\\a", "a"), ("\u{1B}P+q544e\u{1B}\\a", "a"),
    ("\u{5}\u{7}a", "a"),
    ("\u{1B}Za", "a"), ("\u{1B}[?1049h\u{1B}[H", "\u{1B}[?1049h\u{1B}[H"), ("\u{9B}ca", "a"), ("äöü", "äöü"),
    ("\u{1B}[31", "\u{1B}[31"), ("\u{1B}]0;cut\u{1B}[31mred", "\u{1B}[31mred"), ("\u{1B}", ""), ("", ""),
    ("\u{1B}]0;\u{1B}\u{1B}\\a", "\u{1B}\\a"), ("a\u{1B}\u{1B}[6nb", "ab"), ("a\u{1B}\n[6n", "a\n[6n"),
    ("\u{1B}[1$w\u{1B}[1*y\u{1B}[?1;1S\u{1B}[?4m\u{1B}[#R\u{1B}[1$u\u{1B}[1'|", ""), ("\u{1B}[\n6n", ""),
  ])
  func `what is shown again asks nothing`(bytes: String, shown: String) {
    #expect(String(decoding: PastOutput.harmless(Array(bytes.utf8)), as: UTF8.self) == shown)
  }
}

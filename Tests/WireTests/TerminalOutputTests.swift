import Testing

@testable import Wire

@Suite struct TerminalOutputTests {
  private func text(_ bytes: [UInt8], inPieces size: Int) -> String {
    var output = TerminalOutput()
    var text = ""
    var rest = bytes[...]
    while !rest.isEmpty {
      text += output.feed(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return text + output.finish()
  }

  @Test(arguments: [
    ("one\r\ntwo\r\n", "one\ntwo\n"), ("no end", "no end"), ("10%\r20%\r30%\r\n", "30%\n"), ("ab\u{8}c\n", "ac\n"),
    ("é\u{8}e\n", "e\n"), ("\u{1B}[31mred\u{1B}[0m\n", "red\n"), ("\u{1B}]0;title\u{7}a\n", "a\n"),
    ("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\\n", "link\n"), ("\u{1B}Pq#0\u{1B}\\a\n", "a\n"),
    ("\u{1B}(B\u{1B}=a\u{1B}>\n", "a\n"), ("\u{1B}[?2004hprompt\u{1B}[?2004l\r\n", "prompt\n"),
    ("a\u{7}\u{0}b\tc\n", "ab\tc\n"), ("\u{1B}[1\u{1B}[2Ja\n", "a\n"), ("line\r\u{1B}[K\r\nnext\n", "line\nnext\n"),
    ("\u{1B}]52;c;never ends", ""), ("\u{1B}kname\u{1B}\\a\n", "a\n"), ("a\u{1B}\n", "a"),
    ("a\u{1B}[\nb\n", "a\nb\n"), ("a\u{1B}]0;title\nb\n", "a\nb\n"),
  ])
  func `lines are what a screen would show of them`(bytes: String, lines: String) {
    for size in [1, 2, 3, 1000] { #expect(text(Array(bytes.utf8), inPieces: size) == lines, "in pieces of \(size)") }
  }

  @Test func `a line without an end is handed out before it fills the memory`() {
    var output = TerminalOutput()
    let text = output.feed(Array(repeating: UInt8(ascii: "x"), count: 200_000))
    #expect(text.utf8.count > 100_000)
    #expect((text + output.finish()).utf8.count == 200_000)
  }

  @Test func `bytes that are no text become signs for that`() {
    #expect(text([0xFF, 0x0A], inPieces: 1) == "\u{FFFD}\n")
  }
}

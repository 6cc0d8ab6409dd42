import Testing
import Wire

@Suite struct TextLinesTests {
  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n", ["a"]), ("a\r\nb\r\n", ["a", "b"]),
    ("a\nb\r\n\r\nc", ["a", "b", "", "c"]),
    ("\u{FEFF}a\r\nb", ["a", "b"]), ("\u{FEFF}", []), ("a\rb\n", ["a\rb"]), ("\n", [""]), ("\r\n\r\n", ["", ""]),
    ("e\u{301}\r\nx", ["e\u{301}", "x"]), ("a\r", ["a"]),
  ])
  func `lines end with LF or CRLF, and a byte-order mark is part of none`(text: String, lines: [String]) {
    #expect(text.textLines.map { Array($0.utf8) } == lines.map { Array($0.utf8) })
  }

  @Test func `a final line end is recognised in both forms`() {
    #expect("a\r\n".endsInNewline && "a\n".endsInNewline && !"a\r".endsInNewline && !"".endsInNewline)
    #expect("a\r\n".withFinalNewline == "a\r\n" && "a".withFinalNewline == "a\n")
    #expect(
      "a\r\n\r\n".withoutFinalNewline == "a\r\n" && "a\n".withoutFinalNewline == "a" && "a".withoutFinalNewline == "a")
  }

  @Test func `JSON may have a byte-order mark before it, and no other text`() throws {
    #expect(try JSON(parsing: "\u{FEFF}{\"a\": 1}\r\n") == ["a": 1])
    #expect(throws: JSON.Failure.self) { try JSON(parsing: "[\u{FEFF}1]") }
  }
}

import Testing

@testable import Backends

@Suite struct PastLinesTests {
  private func shown(_ text: String, _ size: TerminalSize? = nil, atMost limit: Int = 100) -> String {
    PastLines.text(of: Array(text.utf8), size: size, atMost: limit)
  }

  @Test func `the last lines are those of the screen`() {
    #expect(shown("$ ls\r\na  b\r\n$ \r\n") == "$ ls\na  b\n$\n")
    #expect(shown("1\r\n2\r\n3\r\n4", atMost: 2) == "3\n4\n")
    #expect(shown("") == "")
  }

  @Test func `a program that draws is seen as it stands there`() {
    let vim = "$ vim\r\n\u{1B}[?1049h\u{1B}[1;24r\u{1B}[H\u{1B}[2Jquinces\u{1B}[2;1H~\u{1B}[24;1H\"note\" 1L\u{1B}[1;4H"
    #expect(shown(vim).hasPrefix("quinces\n~\n\n") && shown(vim).hasSuffix("\n\"note\" 1L\n"))
    #expect(shown(vim + "\u{1B}[?1049l\r$ ") == "$ vim\n$\n")
  }

  @Test func `the marks of a command are gone, however wide the screen was`() {
    let marks = CommandMarks("abcdefghijkl")
    let command = "echo " + String(repeating: "quinces ", count: 30) + "end"
    let said =
      "$\(marks.typed(command, into: "bash"))\r\n\r\nparley-abcdefghijkl-begins\r\nfine\r\n"
      + "\r\nparley-abcdefghijkl-ended:0\r\n$ "
    for columns in [20, 80, 133, 500] {
      #expect(shown(said, TerminalSize(columns: columns, rows: 24)) == "$ \(command)\nfine\n$\n")
    }
  }

  @Test func `a size that is not known is taken from what was drawn`() {
    let row = String(repeating: "x", count: 119)
    #expect(
      shown("\u{1B}[40;120Hy\r\u{1B}[39;1H\(row)z\u{1B}[40;1Hw") == String(repeating: "\n", count: 38) + "\(row)z\nw"
        + String(repeating: " ", count: 118) + "y\n")
    #expect(shown("$ \(row.dropLast()) \rend") == "$ \(row.dropLast())end\n")
  }
}

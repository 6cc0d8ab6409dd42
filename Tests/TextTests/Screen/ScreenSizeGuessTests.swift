import Testing

@testable import Text

@Suite struct ScreenSizeGuessTests {
  private func size(_ text: String, inPieces size: Int = .max) -> [Int] {
    var guess = ScreenSizeGuess()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guess.feed(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return [guess.columns, guess.rows]
  }

  @Test(arguments: [
    ("", [80, 24]), ("\u{1B}[30;120Hx", [120, 30]), ("\u{1B}[1;50r", [80, 50]), ("\u{1B}[100G\u{1B}[40d", [100, 40]),
    ("\u{1B}[5;5H", [80, 24]), ("\u{1B}[999;999H\u{1B}[6n", [80, 24]), ("\u{1B}[600;600H\u{1B}[9999C", [80, 24]),
    ("\u{1B}[?90;90H\u{1B}[90;90m", [80, 24]),
  ])
  func `it is as large as what is addressed in it`(text: String, size: [Int]) {
    #expect(self.size(text) == size && self.size(text, inPieces: 1) == size)
  }

  private let row = String(repeating: "x", count: 120)

  @Test func `a line editor tells how wide it is when it wraps a row`() {
    #expect(size("\r\n\(row) \ry") == [120, 24])
    #expect(size("\(row) \r\(row) \ry", inPieces: 7) == [120, 24])
  }

  @Test func `what is written over again and again fits into a row`() {
    #expect(size("\(row)\r\(row)") == [120, 24])
    // zsh tells so that a line had no end.
    #expect(size("\u{1B}[7m%\u{1B}[27m\(String(repeating: " ", count: 119))\r \r") == [120, 24])
  }

  @Test func `what is drawn in a place fits into its row`() {
    #expect(size("\u{1B}[3;11H\u{1B}[7m\(row)\u{1B}[m\u{1B}[1;1H") == [130, 24])
    #expect(size("\u{1B}[H\u{1B}[2J$ \(row)\r\n\u{1B}[1;1H") == [80, 24])
  }

  @Test func `a line that is merely long tells nothing`() {
    #expect(size("\(row)\(row)\r\n") == [80, 24])
    #expect(size("\(row)\u{1B}[A\r\u{1B}[Cx") == [80, 24])
    #expect(size("\(row)\r\u{1B}[2Cx") == [80, 24])
  }

  @Test(arguments: [("vim-scroll", 100, 30), ("readline-120", 120, 24), ("less", 80, 24), ("readline", 80, 24)])
  func `what programs drew tells how large their screen was`(name: String, columns: Int, rows: Int) throws {
    let program = try #require(try DrawnProgram.all().first { $0.name.hasPrefix("\(name).") })
    var guess = ScreenSizeGuess()
    guess.feed(program.drawing.bytes)
    #expect([guess.columns, guess.rows] == [columns, rows])
  }
}

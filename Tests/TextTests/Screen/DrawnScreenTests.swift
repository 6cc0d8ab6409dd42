import TestSupport
import Testing

@testable import Text

@Suite struct DrawnScreenTests {
  private func lines(_ text: String, columns: Int = 10, rows: Int = 4, inPieces size: Int = .max) -> [String] {
    var screen = DrawnScreen(columns: columns, rows: rows)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      screen.feed(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return screen.lines
  }

  @Test(arguments: [
    ("one\r\ntwo", ["one", "two"]), ("a\nb", ["a", " b"]), ("10%\r20%", ["20%"]), ("ab\u{8}c", ["ac"]),
    ("a\tb", ["a       b"]), ("a\u{B}b\u{C}c", ["a", " b", "  c"]), ("a  \r\n\r\n", ["a"]), ("", []),
    ("é\u{8}e\u{301}", ["e\u{301}"]), ("漢字", ["漢字"]), ("漢\u{8}x", [" x"]), ("漢\rx", ["x"]), ("👍ok", ["👍ok"]),
    ("\u{301}a", ["a"]), ("a\u{7F}\u{7}\u{0}b", ["ab"]),
  ])
  func `text stands where the cursor was`(text: String, shown: [String]) {
    for size in [1, 2, 3, 1000] { #expect(lines(text, inPieces: size) == shown) }
  }

  @Test(arguments: [
    ("\u{1B}[2;3Hx", ["", "  x"]), ("\u{1B}[3dx", ["", "", "x"]), ("abc\u{1B}[2Gx", ["axc"]), ("abc\u{1B}[`x", ["xbc"]),
    ("abc\u{1B}[2Dx", ["axc"]), ("a\u{1B}[2Cx", ["a  x"]), ("\u{1B}[2Ba\u{1B}[Ab", ["", " b", "a"]),
    ("ab\u{1B}[Ec\u{1B}[Fd", ["db", "c"]), ("a\u{1B}Db\u{1B}Ec\u{1B}Md", ["a", " d", "c"]),
    ("ab\u{1B}7\r\n\u{1B}8c", ["abc"]), ("ab\u{1B}[s\r\n\u{1B}[uc", ["abc"]),
    ("\u{1B}[99999999999999999999;4Hx", ["", "", "", "   x"]),
    ("\u{1B}[;5Hx", ["    x"]), ("ab\u{1B}[2\u{8}Cx", ["ab x"]),
  ])
  func `the cursor goes where it is sent`(text: String, shown: [String]) {
    for size in [1, 2, 1000] { #expect(lines(text, inPieces: size) == shown) }
  }

  @Test(arguments: [
    ("abcdef\u{1B}[4G\u{1B}[K", ["abc"]), ("abcdef\u{1B}[3G\u{1B}[1K", ["   def"]), ("abcdef\u{1B}[2K", []),
    ("abcdef\u{1B}[2G\u{1B}[2X", ["a  def"]), ("abcdef\u{1B}[2G\u{1B}[2P", ["adef"]),
    ("abcdef\u{1B}[2G\u{1B}[2@", ["a  bcdef"]),
    ("a\r\nb\r\nc\u{1B}[2H\u{1B}[J", ["a"]), ("a\r\nb\r\nc\u{1B}[2H\u{1B}[1J", ["", "", "c"]),
    ("a\r\nb\u{1B}[2Jc", ["", " c"]),
    ("a\r\nb\r\nc\u{1B}[2H\u{1B}[L", ["a", "", "b", "c"]), ("a\r\nb\r\nc\u{1B}[2H\u{1B}[M", ["a", "c"]),
    ("a\r\nb\r\nc\u{1B}[T", ["", "a", "b", "c"]), ("abc\u{1B}[4h\u{1B}[2Gxy\u{1B}[4lz", ["axyzc"]),
    ("a\u{1B}[3b", ["aaaa"]), ("a\u{1B}[99999999b", ["aaaaaaaaaa"]), ("漢字\u{1B}[2G\u{1B}[K", []),
    ("漢字x\u{1B}[2G\u{1B}[P", [" 字x"]), ("\u{1B}#8\u{1B}[2;2H\u{1B}[J", ["EEEEEEEEEE", "E"]),
  ])
  func `what is erased, inserted and deleted`(text: String, shown: [String]) {
    #expect(lines(text) == shown)
  }

  @Test func `a line that was too long for a row is whole`() {
    #expect(lines("0123456789abcdef\r\nx") == ["0123456789abcdef", "x"])
    // A full row alone ends where the program says so.
    #expect(lines("0123456789\r\nx") == ["0123456789", "x"])
    #expect(lines("012345678漢x") == ["012345678漢x"])
    #expect(lines(String(repeating: "0123456789", count: 7)) == [String(repeating: "0123456789", count: 7)])
    #expect(lines("0123456789abc\u{1B}[2H\u{1B}[Kx") == ["0123456789", "x"])
  }

  @Test func `a line editor that wraps by itself loses nothing`() {
    #expect(lines("$ echo one \rtwo", columns: 10) == ["$ echo onetwo"])
  }

  @Test func `a row that is full is left by the next character only`() {
    #expect(lines("0123456789\u{8}x") == ["01234567x9"])
    #expect(lines("0123456789\u{1B}[Kx") == ["0123456789x"])
    #expect(lines("\u{1B}[?7l0123456789abc") == ["012345678c"])
  }

  @Test func `what scrolls off stays, as far as it is kept`() {
    let text = (1...20_000).map { "\($0)\r\n" }.joined()
    let shown = lines(text, columns: 80, rows: 24)
    #expect(shown == (20_000 - 23 - 9_999...20_000).map { "\($0)" })
    #expect(lines("a\r\nb\r\nc\u{1B}[2S\u{1B}[3J") == ["c"])
    #expect(lines("a\r\nb\r\nc\u{1B}[2S") == ["a", "b", "c"])
  }

  @Test func `a region scrolls by itself`() {
    #expect(lines("a\r\nb\r\nc\r\nd\u{1B}[2;3r\u{1B}[3H\nx") == ["a", "c", "x", "d"])
    #expect(lines("a\r\nb\r\nc\r\nd\u{1B}[2;3r\u{1B}[2H\u{1B}Mx") == ["a", "x", "b", "d"])
    #expect(lines("a\u{1B}[2;3r\u{1B}[?6hx\u{1B}[9;2Hy") == ["a", "x", " y"])
  }

  @Test(arguments: ["47", "1047", "1049"])
  func `the other screen stands in the place of the first, until it is left`(mode: String) {
    let before = "1\r\n2\r\n3\r\n4\r\n5\r\n$ vim"
    #expect(lines(before + "\u{1B}[?\(mode)h\u{1B}[H~\r\n~") == ["1", "2", "~", "~"])
    let after = lines(before + "\u{1B}[?\(mode)h\u{1B}[H~\r\n~\r\n\r\n\r\n\r\n\u{1B}[?\(mode)l")
    #expect(after == ["1", "2", "3", "4", "5", "$ vim"])
  }

  @Test func `a line that goes on below the other screen does not go on in it`() {
    let before = "0123456789abcdefghij0123456789ABCDEFGHIJ0123456789"
    #expect(lines(before + "\u{1B}[?1049h\u{1B}[H~") == ["0123456789", "~"])
    #expect(lines(before + "\u{1B}[?1049h\u{1B}[H~\u{1B}[?1049l") == [before])
  }

  @Test func `lines are drawn with lines`() {
    #expect(lines("\u{1B}(0lqk\r\nx`x\u{1B}(B\r\nmqj", columns: 5) == ["┌─┐", "│◆│", "mqj"])
    #expect(lines("\u{1B})0q\u{E}q\u{F}q") == ["q─q"])
  }

  @Test func `stops of tabs are set and cleared`() {
    #expect(lines("\u{1B}[4G\u{1B}H\r\tx\u{1B}[Zy") == ["   y"])
    #expect(lines("\u{1B}[3g\tx") == ["         x"])
  }

  @Test(arguments: [
    ("\u{1B}[31mred\u{1B}[38:2::1:2:3m!\u{1B}[m", "red!"), ("\u{1B}]0;title\u{7}a", "a"), ("\u{1B}kname\u{1B}\\a", "a"),
    ("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"), ("\u{1B}Pq#0\n\u{1B}\\a", "a"),
    ("\u{1B}_x\u{1B}\\a", "a"),
    ("\u{1B}^x\u{1B}\\\u{1B}Xy\u{1B}\\a", "a"), ("\u{1B}[6n\u{1B}[c\u{1B}[>q\u{1B}Za", "a"),
    ("\u{1B}[?2004h\u{1B}[?25la", "a"),
    ("\u{1B}[12\u{18}a", "a"), ("\u{1B}[1\u{1B}[ma", "a"), ("\u{1B}%Ga\u{1B}=", "a"), ("\u{9B}31ma", "a"),
    ("\u{9D}x\u{7}a", "a"),
  ])
  func `what draws nothing leaves nothing`(text: String, shown: String) {
    for size in [1, 2, 1000] { #expect(lines(text, inPieces: size) == [shown]) }
  }

  @Test func `a string that nobody ends hides no more than a part`() {
    #expect(lines("\u{1B}]0;title\r\nshown") == ["", "shown"])
    #expect(lines("\u{1B}Pq" + String(repeating: "x", count: 1 << 20) + "\r\nshown").last == "shown")
  }

  @Test func `resets take back what was set`() {
    #expect(lines("a\u{1B}[2;3r\u{1B}[?1049h\u{1B}(0x\u{1B}cq") == ["q"])
    #expect(lines("\u{1B}[4h\u{1B}(0\u{1B}[!pab\rq") == ["qb"])
  }

  @Test func `bytes that are no text become signs for that`() {
    var screen = DrawnScreen(columns: 10, rows: 2)
    screen.feed([0xFF, 0xE2, 0x82, 0x41, 0xC0, 0x80, 0xF0, 0x9F])
    screen.feed([0x0A])
    #expect(screen.lines == ["\u{FFFD}\u{FFFD}A\u{FFFD}\u{FFFD}\u{FFFD}"])
  }

  @Test func `few bytes do not keep it busy`() {
    let bytes = String(repeating: "\u{1B}#8\u{1B}[500S\u{1B}[500b", count: 20_000) + "\u{1B}[2J\u{1B}[Hshown"
    #expect(lines(bytes, columns: 500, rows: 500).last == "shown")
  }

  @Test func `a character takes no more marks than can be read`() {
    let shown = lines("a" + String(repeating: "\u{301}", count: 10_000) + "b")
    #expect(shown.first?.unicodeScalars.count == 18)
  }

  @Test func `numbers that no screen has do no harm`() {
    let huge = ["999999999", "18446744073709551616", "-1", "1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18"]
    for number in huge {
      for final in "ABCDEFGHIJKLMPSTXZ@`abdefghlru" {
        _ = lines("a\u{1B}[\(number)\(final)b\u{1B}[?\(number)\(final)c\u{1B}[\(number);\(number)\(final)d")
      }
    }
    #expect(DrawnScreen(columns: -5, rows: .max).lines == [])
  }

  @Test func `no bytes stop it`() {
    var random = SeededNumbers(seed: 5)
    let pieces = [
      "\u{1B}[", "\u{1B}", "?", ";", "漢", "\u{301}", "\n", "\r", "9", "1", "h", "r", "P", "@", "b", "L", "x",
      "\u{1B}[?1049",
    ]
    for _ in 0..<300 {
      var screen = DrawnScreen(columns: 2 + random.below(12), rows: 2 + random.below(6))
      for _ in 0..<20 {
        screen.feed((0..<random.below(30)).map { _ in UInt8(random.below(256)) })
        screen.feed(Array((0..<random.below(30)).map { _ in random.pick(pieces) }.joined().utf8))
      }
      for line in screen.lines { #expect(!line.unicodeScalars.contains { $0.value < 0x20 }) }
    }
  }
}

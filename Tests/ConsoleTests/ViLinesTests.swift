import Testing

@testable import Console

/// vi's commands for a line, in a text of several.
@Suite(.ownThread) struct ViLinesTests {
  /// What is typed, keys from the last letter, and the text afterwards.
  @Test(arguments: [
    ("kdd", "one two|five"),
    ("k0x", "one two|hree four|five"),
    ("k^x", "one two|hree four|five"),
    ("k0$x", "one two|three fou|five"),
    ("klD", "one two|thre|five"),
    ("k0d$iq\u{1B}", "one two|q|five"),
    ("kd0", "one two|ee four|five"),
    ("kccnew\u{1B}", "one two|new|five"),
    ("kSnew\u{1B}", "one two|new|five"),
    ("klCnew\u{1B}", "one two|threnew|five"),
    ("kIold\u{1B}", "one two|oldthree four|five"),
    ("kA!\u{1B}", "one two|three four!|five"),
    ("k2dd", "one two"),
    ("kk2dd", "five"),
    ("k0dwx", "one two|our|five"),
    ("k02dwiq\u{1B}", "one two|q|five"),
    ("kk0d2wiq\u{1B}", "q|three four|five"),
    ("kk010lx", "one two|thee four|five"),
    ("dd", "one two|three four"),
    ("k0y$P", "one two|three fourthree four|five"),
    ("kddu", "one two|three four|five"),
    ("kD0P", "one two|ee fourthr|five"),
    ("kd^", "one two|ee four|five"),
    ("krxr0", "one two|thr0e four|five"),
    ("kr53D", "one two|thr"),
    ("kk0r0jF0x", "0ne two|hree four|five"),
    ("kkA 2\u{1B}dd", "three four|five"),
    ("kyyx", "one two|thre four|five"),
    ("kyyP", "one two|three four|three four|five"),
    ("kdiw", "one two| four|five"),
    ("kdaw", "one two|four|five"),
    ("kciwnew\u{1B}", "one two|new four|five"),
    ("kk$daw", "one|three four|five"),
    ("kdi(", "one two|three four|five"),
    ("kdiqdiw", "one two| four|five"),
    ("kdit0x", "one two|hree four|five"),
    ("kd2iw0x", "one two|hree four|five"),
    ("kyiw$p", "one two|three fourthree|five"),
  ])
  func `each keeps to the line of the cursor`(keys: String, after: String) throws {
    let terminal = try PseudoTerminal.atPrompt(["PROBE_EDITING": "vi"])
    terminal.type("one two\nthree four\nfive\u{1B}")
    try terminal.wait { $0.screen.lines.count == 3 && ($0.screen.row, $0.screen.column) == (2, 5) }
    let parts = keys.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    for part in parts.dropLast() { try typeAndEscape(String(part), on: terminal) }
    terminal.type(String(parts.last ?? ""))
    terminal.type("\r")
    try terminal.wait { !$0.read.isEmpty }
    #expect(terminal.read == ["\"" + after.replacing("|", with: "\\n") + "\""])
  }

  @Test(
    arguments: [
      ("say \"a b\" now", 0, "i\"", "a b"), ("say \"a b\" now", 6, "a\"", "\"a b\" "), ("'a' 'b'", 5, "i'", "b"),
      ("'a' \\'b", 4, "i'", nil), ("f(a, (b), c)", 6, "i(", "b"), ("f(a, (b), c)", 3, "ib", "a, (b), c"),
      ("f(a)", 1, "a)", "(a)"), ("f(a)", 3, "i)", "a"), ("f(a)", 0, "i(", nil), ("{\n x\n}", 3, "aB", "{\n x\n}"),
      ("a.b_c d", 2, "iw", "b_c"), ("a.b_c d", 2, "aW", "a.b_c "), ("a  b\nc", 1, "iw", "  "),
      ("a  b\nc", 2, "aw", "  b"), ("a b\nc", 2, "aw", " b"), ("<a [b]>", 4, "i[", "b"), ("<a [b]>", 1, "i<", "a [b]"),
      ("", 0, "iw", nil), ("a", 0, "ix", nil),
    ] as [(String, Int, String, String?)])
  func `an object is what vim takes for it`(text: String, cursor: Int, object: String, part: String?) {
    let units = EditText(text)
    let found = units.viObject(EditText(object)[1], around: object.first == "a", at: cursor)
    #expect(found.map { EditText(units[$0]) } == part.map { EditText($0) })
  }

  /// What ends with a letter that is inserted, and an Esc that nothing follows until the cursor went onto that letter.
  private func typeAndEscape(_ keys: String, on terminal: PseudoTerminal) throws {
    terminal.type(keys)
    try terminal.wait { $0.screen.lines[$0.screen.row].prefix($0.screen.column).last == keys.last }
    let (row, column) = (terminal.screen.row, terminal.screen.column)
    terminal.type("\u{1B}")
    try terminal.wait { ($0.screen.row, $0.screen.column) == (row, column - 1) }
  }

  @Test func `a count ends with the key that moves the cursor`() throws {
    let terminal = try PseudoTerminal.atPrompt(["PROBE_EDITING": "vi"])
    terminal.type("one two\nthree four\nfive\u{1B}")
    try terminal.wait { $0.screen.lines.count == 3 && ($0.screen.row, $0.screen.column) == (2, 5) }
    terminal.type("3\u{1B}[D")
    try terminal.wait { $0.screen.column == 4 }
    terminal.type("dd\r")
    try terminal.wait { !$0.read.isEmpty }
    #expect(terminal.read == ["\"one two\\nthree four\""])
  }

  @Test func `the cursor stays on a letter`() throws {
    let terminal = try PseudoTerminal.atPrompt(["PROBE_EDITING": "vi"])
    terminal.type("one two\nthree\u{1B}")
    try terminal.wait { ($0.screen.row, $0.screen.column) == (1, 6) }
    terminal.type("k$")
    try terminal.wait { ($0.screen.row, $0.screen.column) == (0, 13) }
    terminal.type("hhhD")
    try terminal.wait { $0.screen.lines[0] == "probe> one" && ($0.screen.row, $0.screen.column) == (0, 9) }
    terminal.type("jdd")
    try terminal.wait { $0.screen.lines == ["probe> one"] && $0.screen.column == 9 }
  }
}

extension PseudoTerminal {
  /// A probe that waits for its first line.
  static func atPrompt(columns: Int = 80, _ environment: [String: String] = [:]) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: columns, environment)
    try terminal.wait { $0.screen.lines.last?.hasPrefix("probe>") == true }
    return terminal
  }
}

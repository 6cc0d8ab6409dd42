import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

@Suite struct TmuxTests {
  // What it lists.

  @Test func `a window is described by what tmux tells of it`() throws {
    let line = "$3\t@7\t1\t2\t%4\t77\t1700000000\t1700000060\t100\t30\t1\ta b'é\tvim\t/home/ada/x y"
    let row = try #require(TmuxRow(line[...]) { $0 == 77 ? ["-bash"] : nil })
    #expect(row.pane == "%4")
    #expect(row.target == "$3:@7" && row.session == "$3:")
    #expect(
      row.info
        == TerminalInfo(
          id: "a b'é:1", name: "a b'é", pid: 77, folder: "/home/ada/x y", program: "vim", hasClaude: false,
          createdAt: 1_700_000_000_000, lastActivity: 1_700_000_060_000, columns: 100, rows: 30, watchers: 1))
  }

  @Test func `what is not known is nil`() throws {
    let row = try #require(TmuxRow("$0\t@0\t0\t1\t%0\t5\t\t\t\t\t\tmain\t\t"[...]) { _ in nil })
    #expect(row.info == TerminalInfo(id: "main", name: "main", pid: 5))
  }

  @Test(arguments: ["", "$0\t@0\t0\t1\t%0", "$0\t@0\tx\ty\t%0\tz\t\t\t\t\t\tmain\t\t"])
  func `what is no line of its is none`(line: String) {
    #expect(TmuxRow(line[...]) { _ in nil } == nil)
  }

  @Test(arguments: [
    (["claude"], true), (["/usr/bin/claude", "-c"], true), (["node", "/usr/lib/node_modules/.bin/claude"], true),
    (["node", "/opt/claude-code/cli.js"], true), (["vim", "x", "claude"], false), (["node", "claude.js"], false),
    ([], false),
  ])
  func `Claude Code is known by the words it began with`(words: [String], isClaude: Bool) {
    #expect(ForegroundWords.isClaude(words) == isClaude)
  }

  // What it says.

  private func notices(_ text: String, inPieces size: Int) -> [TmuxControl.Notice] {
    var (control, found, rest) = (TmuxControl(), [TmuxControl.Notice](), Array(text.utf8)[...])
    while !rest.isEmpty {
      found += control.feed(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return found
  }

  @Test func `notices are read however they are cut`() {
    let text = """
      %begin 1 2 0
      %end 1 2 0
      %session-changed $1 main
      %output %3 a\\033[0m\\134\\015\\012é
      %error 1 2 0
      %window-close @2
      %exit server exited

      """
    let wanted: [TmuxControl.Notice] = [
      .done(isError: false), .output(pane: "%3", Array("a\u{1B}[0m\\\r\né".utf8)), .done(isError: true), .changed,
      .exit,
    ]
    for size in [1, 3, 1000] { #expect(notices(text, inPieces: size) == wanted) }
  }

  @Test(arguments: [("\\", "\\"), ("\\01", "\\01"), ("\\089", "\\089"), ("\\012", "\n"), ("a\\134b", "a\\b")])
  func `bytes stand behind three octal digits`(escaped: String, plain: String) {
    #expect(TmuxControl.unescaped(Array(escaped.utf8)[...]) == Array(plain.utf8))
  }

  // What is typed.

  private let marks = CommandMarks("abcdefghijkl")

  @Test func `the echo of a command has no mark in it`() {
    let typed = marks.typed("make test\n", into: "bash")
    #expect(
      typed == " printf '\\n%s%s\\n' parley-ab cdefghijkl-begins; eval 'make test';"
        + " printf '\\n%s%s%s\\n' parley-ab cdefghijkl-ended: \"$?\"")
    var reader = CommandMarks.Reader(marks)
    #expect(reader.take("$ \(typed)\n") == "" && !reader.hasEnded)
  }

  @Test func `a command ends within its own quotes`() {
    #expect(marks.typed("echo it's # so", into: "bash").contains("; eval 'echo it'\\''s # so'; "))
    #expect(marks.typed("echo 'a\\b'", into: "fish").contains("; eval 'echo \\'a\\\\b\\''; "))
  }

  @Test func `fish calls the status by another name`() {
    #expect(marks.typed("true", into: "fish").hasSuffix("\"$status\""))
  }

  @Test(arguments: [
    (["-bash"], true), (["bash", "--noprofile", "--rcfile", "/x"], true), (["zsh", "-l", "-i"], true), (["sh"], true),
    (["bash", "deploy.sh"], false), (["bash", "-c", "read x"], false), (["sh", "-lc", "x"], false),
    (["bash", "-o", "vi"], true), (["dash", "/x"], false),
  ])
  func `a shell that reads a script is at no prompt`(words: [String], isAtPrompt: Bool) {
    #expect(ForegroundWords.isAtPrompt(words) == isAtPrompt)
  }

  @Test(arguments: [
    ("/tmp/#(touch x)", "/tmp/##(touch x)"), ("/tmp/a;", "/tmp/a\\;"), ("/tmp/a b", "/tmp/a b"),
  ])
  func `a folder is a folder to tmux, whatever it is called`(folder: String, said: String) throws {
    let tmux = Tmux(Children(), environment: [:])
    #expect(try tmux.making("work", in: folder).suffix(2) == ["-c", said])
  }

  @Test(arguments: ["", "-x", "a.b", "a:b", "#(x)", "a;", "$0", "@1", "%1", "=a", "a b", "a\nb"])
  func `what means something to tmux is no name`(name: String) {
    #expect(throws: TerminalError.badName(name)) {
      _ = try Tmux(Children(), environment: [:]).making(name, in: "/")
    }
  }

  @Test(
    arguments: [
      ("parley-abcdefghijkl-begins\nhello\n\nparley-abcdefghijkl-ended:0\n$ \n", "hello\n", 0),
      ("parley-abcdefghijkl-begins\none\n\n\nparley-abcdefghijkl-ended:1\n", "one\n\n", 1),
      ("parley-abcdefghijkl-begins\nno end\nparley-abcdefghijkl-ended:127\n", "no end\n", 127),
      ("old\nparley-abcdefghijkl-begins\n\nparley-abcdefghijkl-ended:\n", "", nil),
    ] as [(String, String, Int?)])
  func `output stands between the marks`(lines: String, output: String, status: Int?) {
    var reader = CommandMarks.Reader(marks)
    #expect(reader.take(lines) == output)
    #expect(reader.hasEnded && reader.status == status)
    #expect(reader.finish("rest") == "")
  }

  @Test func `a line that is longer than is kept comes in pieces, and loses nothing`() {
    var (reader, output) = (CommandMarks.Reader(marks), TerminalOutput())
    let long = String(repeating: "é", count: 100_000)
    let all = "parley-abcdefghijkl-begins\r\n\(long)\r\nparley-abcdefghijkl-ended:0\r\n"
    var text = ""
    for byte in all.utf8 { text += reader.take(output.feed([byte])) }
    #expect(text == long + "\n" && reader.hasEnded)
  }

  @Test func `an end is taken where the beginning was missed`() {
    var reader = CommandMarks.Reader(marks)
    #expect(reader.take("xparley-abcdefghijkl-begins\nlost\n\nparley-abcdefghijkl-ended:3\n") == "")
    #expect(reader.hasEnded && reader.status == 3)
  }

  @Test func `what has no end mark is whole when patience ends`() {
    var reader = CommandMarks.Reader(marks)
    #expect(reader.take("parley-abcdefghijkl-begins\none\n\n") == "one\n")
    #expect(reader.finish("Password: ") == "\nPassword: ")
  }

  @Test func `a screen is shown without the marks`() {
    let typed = marks.typed("ls", into: "bash")
    let screen = ["$\(typed)", "", "parley-abcdefghijkl-begins", "a", "", "parley-abcdefghijkl-ended:0", "$ "]
    #expect(CommandMarks.without(screen.map { $0[...] }) == ["$ ls", "a", "$ "])
    let others = ["parley-x", "parley-abcdefghijkl-begun", "printf '\\n%s%s\\n' parley-ab"]
    #expect(CommandMarks.without(others.map { $0[...] }) == others.map { $0[...] })
  }
}

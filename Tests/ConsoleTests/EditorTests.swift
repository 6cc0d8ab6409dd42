import Foundation
import TestSupport
import Testing

@testable import Console

/// The line editor in a real process on a real terminal.
@Suite(.ownThread) struct EditorTests {
  @Test func `a line is typed, edited and read`() throws {
    let terminal = try started()
    terminal.type("hello wrld\u{1B}[D\u{1B}[D\u{1B}[Do\u{05}!")
    try terminal.wait { $0.screen.lines == ["probe> hello world!"] }
    #expect(terminal.screen.column == 19)
    terminal.type("\r")
    try terminal.wait { $0.read == [#""hello world!""#] }
  }

  @Test func `keys of several bytes and characters of several cells keep their places`() throws {
    let terminal = try started(columns: 20)
    terminal.type("é日本e\u{301}👍x")
    try terminal.wait { $0.screen.lines == ["probe> é日本e\u{301}👍x"] }
    #expect(terminal.screen.column == 16)
    terminal.type("\u{1B}[D\u{7F}\u{7F}\u{7F}語")
    try terminal.wait { $0.screen.lines == ["probe> é日語x"] }
    #expect(terminal.screen.column == 12)
    terminal.type(" and on past the end\r")
    try terminal.wait { $0.read == [#""é日語 and on past the endx""#] }
  }

  @Test func `a paste of several lines is one edit, whatever it contains`() throws {
    let terminal = try started()
    terminal.type("say \u{1B}[200~one\r\n\ttwo\r/quit\n\u{3}\u{1A}\u{4}\u{1B}[201~\rthree\u{1B}[201~ end")
    try terminal.wait { $0.screen.text.hasSuffix("three end") }
    #expect(terminal.read.isEmpty)
    #expect(terminal.screen.lines[2] == "… /quit")
    terminal.type("\r")
    try terminal.wait { $0.read == [#""say one\n\ttwo\n/quit\n\u0003\u001a\u0004\nthree end""#] }
  }

  @Test func `a paste of five hundred lines folds and comes back exactly`() throws {
    let terminal = try started()
    let lines = (1...500).map { $0 % 7 == 0 ? "" : "\t/row \($0)" }.joined(separator: "\r")
    terminal.type("\u{1B}[200~" + lines + "\u{1B}[201~ after")
    try terminal.wait { $0.screen.lines == ["probe> [paste 1: 500 lines] after"] }
    terminal.type("\r")
    try terminal.wait { !$0.read.isEmpty }
    let read = try JSONDecoder().decode(String.self, from: Data(#require(terminal.read.first).utf8))
    #expect(read == lines.replacing("\r", with: "\n") + " after")
  }

  @Test func `Tab adds what is common, then lists, and a list leaves no trace`() throws {
    let terminal = try started(columns: 40)
    terminal.type("/c\t")
    try terminal.wait { $0.screen.lines == ["probe> /co"] }
    terminal.type("\t")
    try terminal.wait { $0.screen.lines.count == 4 }
    #expect(terminal.screen.lines[2] == "/continue  go on with the last answer")
    #expect((terminal.screen.row, terminal.screen.column) == (0, 10))
    terminal.type("p\t")
    try terminal.wait { $0.screen.lines == ["probe> /copy"] }
    #expect(terminal.screen.column == 13)
    terminal.type("x\r")
    try terminal.wait { $0.read == [#""/copy x""#] }
  }

  @Test func `Up recalls, several lines whole, and Down brings the draft back`() throws {
    let terminal = try started()
    terminal.type("draft\u{1B}[A")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type("\u{1B}OA")
    try terminal.wait { $0.screen.lines == ["probe> first line", "… second line"] }
    terminal.type("\u{1B}[B\u{1B}[B")
    try terminal.wait { $0.screen.lines == ["probe> draft"] }
    terminal.type("\u{10}\r")
    try terminal.wait { $0.read == [#""ship the old build""#] }
  }

  @Test func `an earlier line is suggested and taken whole, by words, or not at all`() throws {
    let terminal = try started(["PROBE_COLOUR": "1"])
    terminal.type("sh")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] && $0.screen.column == 9 }
    terminal.type("\u{1B}[1;3C")
    try terminal.wait { $0.screen.column == 11 }
    terminal.type("\u{1B}f")
    try terminal.wait { $0.screen.column == 15 }
    terminal.type("!")
    try terminal.wait { $0.screen.lines == ["probe> ship the!"] }
    terminal.type("\u{7F}")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type("\u{1B}[C")
    try terminal.wait { $0.screen.column == 25 }
    terminal.type("\u{1F}")
    // One step back, and the suggestion is there again.
    try terminal.wait { $0.screen.column == 15 }
    terminal.type("\r")
    try terminal.wait { $0.screen.lines == ["probe> ship the", "probe>"] }
    terminal.type("fi")
    try terminal.wait { $0.screen.lines.last == "probe> first line … 1 more line" }
    terminal.type("\u{5}")
    try terminal.wait { $0.screen.lines.suffix(2) == ["probe> first line", "… second line"] }
    terminal.type("\r")
    try terminal.wait { $0.read == [#""ship the""#, #""first line\nsecond line""#] }
  }

  @Test(arguments: ["\u{3}", "\r", "\u{18}\u{05}"])
  func `nothing that was only suggested stays on the screen`(key: String) throws {
    let terminal = try started(["PROBE_COLOUR": "1", "PROBE_EDITOR": "true"])
    terminal.type("sh")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type(key)
    try terminal.wait { $0.screen.lines.count == 2 && $0.screen.lines[1].hasPrefix("probe>") }
    #expect(terminal.screen.lines[0] == (key == "\u{3}" ? "probe> sh^C" : "probe> sh"))
  }

  @Test(arguments: [[:], ["PROBE_COLOUR": "1", "ACCESSIBLE": "1"]])
  func `where it cannot be told from what is typed nothing is suggested`(_ environment: [String: String]) throws {
    let terminal = try started(environment)
    terminal.type("ship")
    try terminal.wait { $0.screen.lines == ["probe> ship"] && $0.screen.column == 11 }
    terminal.type("\u{1B}[C!\r")
    try terminal.wait { $0.read == [#""ship!""#] }
    #expect(!terminal.screen.text.contains("old"))
  }

  @Test func `Ctrl-R searches as one types`() throws {
    let terminal = try started()
    terminal.type("draft\u{12}OLD")
    try terminal.wait { $0.screen.lines == ["search OLD: ship the old build"] }
    terminal.type("x")
    try terminal.wait { $0.screen.lines == ["no match OLDx: ship the old build"] }
    terminal.type("\u{07}")
    try terminal.wait { $0.screen.lines == ["probe> draft"] }
    terminal.type("\u{12}東京\r")
    try terminal.wait { $0.read == [#""Grüße aus 東京""#] }
  }

  @Test(arguments: ["\u{1B}", "\r"]) func `where Ctrl-R finds nothing the line stays as it was`(key: String) throws {
    let terminal = try started()
    terminal.type("draft\u{12}zzz")
    try terminal.wait { $0.screen.lines == ["no match zzz: draft"] }
    terminal.type(key)
    try terminal.wait { $0.screen.lines == ["probe> draft"] }
    terminal.type("\u{12}OLDx")
    try terminal.wait { $0.screen.lines == ["no match OLDx: ship the old build"] }
    terminal.type(key)
    try terminal.wait { $0.screen.lines == ["probe> draft"] }
    #expect(terminal.read.isEmpty)
  }

  @Test(arguments: ["emacs", "vi"])
  func `Esc takes what Ctrl-R found, and the line can be changed`(editing: String) throws {
    let terminal = try started(["PROBE_EDITING": editing])
    terminal.type("draft\u{12}OLD")
    try terminal.wait { $0.screen.lines == ["search OLD: ship the old build"] }
    terminal.type("\u{1B}")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type("x\r")
    try terminal.wait { $0.read == [#""ship the xold build""#] }
    // With a letter right behind it is Alt.
    guard editing == "emacs" else { return }
    terminal.type("\u{12}OLD\u{1B}f!\r")
    try terminal.wait { $0.read.last == #""ship the old! build""# }
  }

  @Test func `Ctrl-C clears a line and says whether there was one, Ctrl-D ends`() throws {
    let terminal = try started()
    let modes = terminal.modes
    terminal.type("some text\u{3}")
    try terminal.wait { $0.screen.lines == ["probe> some text^C", "probe>"] }
    terminal.type("\u{3}")
    try terminal.wait { $0.screen.lines.count == 3 && $0.screen.lines.last == "probe>" }
    #expect(terminal.read == [#"{"interrupted":true}"#, #"{"interrupted":false}"#])
    #expect(terminal.modes == modes)
    terminal.type("\u{4}")
    #expect(terminal.waitForEnd() == 0)
    #expect(terminal.read.last == #"{"end":true}"#)
  }

  @Test func `newlines are typed with Ctrl-J and Alt-Enter, and lines are walked`() throws {
    let terminal = try started()
    terminal.type("one\ntwo\u{1B}\rthree\u{1B}[A\u{1B}[A\u{1B}[H>")
    try terminal.wait { $0.screen.lines == ["probe> >one", "… two", "… three"] }
    #expect((terminal.screen.row, terminal.screen.column) == (0, 8))
    terminal.type("\r")
    try terminal.wait { $0.read == [#"">one\ntwo\nthree""#] }
  }

  @Test func `Up and Down keep to a column of cells over shorter lines`() throws {
    let terminal = try started()
    terminal.type("\u{1B}[200~日本語 and more\rx\r\tafter a tab\u{1B}[201~\u{1B}[A\u{1B}[A\u{1B}[H")
    terminal.type(String(repeating: "\u{1B}[C", count: 6))
    // Of the prompt seven, of the text nine.
    try terminal.wait { $0.screen.lines.count == 3 && ($0.screen.row, $0.screen.column) == (0, 16) }
    terminal.type("\u{1B}[B")
    try terminal.wait { ($0.screen.row, $0.screen.column) == (1, 3) }
    terminal.type("\u{1B}[B")
    try terminal.wait { ($0.screen.row, $0.screen.column) == (2, 9) }
    terminal.type("\u{1B}[A\u{1B}[A!")
    try terminal.wait { $0.screen.lines[0] == "probe> 日本語 an!d more" }
    terminal.type("\u{1B}[B\u{1B}[F?\r")
    try terminal.wait { $0.read == [#""日本語 an!d more\nx?\n\tafter a tab""#] }
  }

  @Test func `from the first line of a recalled entry Up goes on, and undo takes the recall back whole`() throws {
    let terminal = try started()
    terminal.type("draft\u{1B}[A\u{1B}[A")
    try terminal.wait { $0.screen.lines == ["probe> first line", "… second line"] }
    terminal.type("\u{1B}[A\u{1B}[A")
    try terminal.wait { $0.screen.lines == ["probe> Grüße aus 東京"] }
    terminal.type("\u{1F}")
    try terminal.wait { $0.screen.lines == ["probe> first line", "… second line"] }
    terminal.type("\u{18}\u{15}\u{1F}")
    try terminal.wait { $0.screen.lines == ["probe> draft"] }
    // As if it had never been left.
    terminal.type("\u{1B}[A")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type("\u{1B}[B\r")
    try terminal.wait { $0.read == [#""draft""#] }
  }

  @Test func `a folded paste goes with one Backspace, and undo brings it back`() throws {
    let terminal = try started()
    let lines = (1...40).map { ["", "/row \($0)", "\t\($0)"][$0 % 3] }
    terminal.type("see \u{1B}[200~" + lines.joined(separator: "\r\n") + "\u{1B}[201~")
    try terminal.wait { $0.screen.lines == ["probe> see [paste 1: 40 lines]"] }
    terminal.type("\u{7F}")
    try terminal.wait { $0.screen.lines == ["probe> see"] }
    terminal.type("\u{1F}")
    try terminal.wait { $0.screen.lines == ["probe> see [paste 1: 40 lines]"] }
    terminal.type("\u{1}\u{0B}")
    try terminal.wait { $0.screen.lines == ["probe>"] }
    terminal.type("\u{19}\r")
    try terminal.wait { !$0.read.isEmpty }
    let read = try JSONDecoder().decode(String.self, from: Data(#require(terminal.read.first).utf8))
    #expect(read == "see " + lines.joined(separator: "\n"))
  }

  @Test func `kill, yank and undo do as in other shells`() throws {
    let terminal = try started()
    terminal.type("one two three\u{17}\u{17}")
    try terminal.wait { $0.screen.lines == ["probe> one"] }
    terminal.type("x \u{19}")
    try terminal.wait { $0.screen.lines == ["probe> one x two three"] }
    terminal.type("\u{1F}")
    try terminal.wait { $0.screen.lines == ["probe> one x"] }
    terminal.type("\u{1F}\u{1F}\r")
    try terminal.wait { $0.read == [#""one ""#] }
  }

  @Test func `text put on the line can be edited`() throws {
    let terminal = try started(["PROBE_INITIAL": "/modle qwen"])
    try terminal.wait { $0.screen.lines == ["probe> /modle qwen"] }
    terminal.type("3\r")
    try terminal.wait { $0.read == [#""/modle qwen3""#] }
  }

  @Test func `text put on the line waits for a line that was typed ahead`() throws {
    let terminal = try started(["PROBE_PUTS_BACK": "put back"])
    terminal.type("wait\r")
    try terminal.wait { $0.screen.text.contains("waiting") }
    terminal.type("typed ahead\r\u{3}")
    try terminal.wait { $0.screen.lines.last == "probe> put back" }
    #expect(terminal.read == [#""wait""#, #""interrupt""#, #""typed ahead""#])
  }

  // Ctrl-L only shows the line anew.
  @Test(arguments: ["", "\u{0C}"])
  func `a slash typed first on a line that was put back begins anew`(before: String) throws {
    let terminal = try started(["PROBE_INITIAL": "/conect x"])
    try terminal.wait { $0.screen.lines == ["probe> /conect x"] }
    terminal.type(before + "/connect y/z")
    try terminal.wait { $0.screen.lines == ["probe> /connect y/z"] }
    terminal.type("\u{1B}[A")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type("\u{1B}[B\r")
    try terminal.wait { $0.read == [#""/connect y/z""#] }
  }

  @Test func `a slash typed later on such a line is one of its letters`() throws {
    let terminal = try started(["PROBE_INITIAL": "/run a"])
    try terminal.wait { $0.screen.lines == ["probe> /run a"] }
    terminal.type("b/c\r")
    try terminal.wait { $0.read == [#""/run ab/c""#] }
  }

  @Test func `the person's editor changes the line, and its failure does not`() throws {
    let terminal = try started(["PROBE_EDITOR": "f() { grep -q ok $1 && sed -i s/ok/fine/ $1; }; f"])
    terminal.type("bad\u{18}\u{05}")
    try terminal.wait {
      $0.screen.lines.suffix(2) == ["probe> bad", "the editor ended with status 1: the line is as it was"]
    }
    terminal.type(" or ok")
    try terminal.wait { $0.screen.lines.last == "probe> bad or ok" }
    terminal.type("\u{18}\u{05}")
    try terminal.wait { $0.screen.lines.last == "probe> bad or fine" }
    terminal.type("\r")
    try terminal.wait { $0.read == [#""bad or fine""#] }
  }

  @Test func `vi keys work, an escape sequence is no Escape`() throws {
    let terminal = try started(["PROBE_EDITING": "vi"])
    terminal.type("hello world\u{1B}[D\u{1B}[D-")
    try terminal.wait { $0.screen.lines == ["probe> hello wor-ld"] }
    terminal.type("\u{1B}")
    // Alone it is Escape after a moment.
    try terminal.wait { $0.screen.column == 16 }
    terminal.type("0x")
    try terminal.wait { $0.screen.lines == ["probe> ello wor-ld"] }
    terminal.type("\r")
    try terminal.wait { $0.read == [#""ello wor-ld""#] }
  }

  @Test func `vi walks, deletes, takes back and searches`() throws {
    let terminal = try started(["PROBE_EDITING": "vi"])
    terminal.type("one two\nthree\u{1B}")
    try terminal.wait { $0.screen.lines.count == 2 && ($0.screen.row, $0.screen.column) == (1, 6) }
    terminal.type("kx")
    try terminal.wait { $0.screen.lines[0] == "probe> one wo" }
    terminal.type("u")
    try terminal.wait { $0.screen.lines[0] == "probe> one two" }
    terminal.type("dd")
    try terminal.wait { $0.screen.lines == ["probe> three"] }
    terminal.type("u")
    try terminal.wait { $0.screen.lines == ["probe> one two", "… three"] }
    terminal.type("/i")
    try terminal.wait { $0.screen.lines == ["search i: ship the old build"] }
    terminal.type("\r")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type("n")
    try terminal.wait { $0.screen.lines == ["probe> first line", "… second line"] }
    terminal.type("nN")
    try terminal.wait { $0.screen.lines == ["probe> ship the old build"] }
    terminal.type("A!\u{1B}Ihey \r")
    try terminal.wait { $0.read == [#""hey ship the old build!""#] }
  }

  @Test func `.editrc binds our functions and libedit's`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "editrc-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(
      "# mine\nbind -e\nbind ^T vi-zero\nparley:bind ^T parley-up\nother:bind ^G parley-up\nbind ^G ed-move-to-beg\nnonsense\n"
        .utf8
    ).write(to: file)
    let terminal = try started(["EDITRC": file.path])
    terminal.type("\u{14}\u{07}>")
    try terminal.wait { $0.screen.lines == ["probe> >ship the old build"] }
    terminal.type("\u{3}/q\t")
    try terminal.wait { $0.screen.lines.last == "probe> /quit" }
  }

  @Test func `keys that mean nothing leave nothing behind`() throws {
    let terminal = try started()
    terminal.type("a\u{1B}[15~\u{1B}[99;9~\u{1B}xb\u{1B}[2~c\r")
    try terminal.wait { $0.read == [#""abc""#] }
    #expect(!terminal.shown.contains(0x07))
  }

  @Test func `what comes from elsewhere is written above the line`() throws {
    let flag = FileManager.default.temporaryDirectory.appending(path: "flag-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: flag) }
    let terminal = try started(columns: 100)
    terminal.type("later \(flag.path)\rhalf ty")
    try terminal.wait { $0.screen.lines.last == "probe> half ty" }
    try Data().write(to: flag)
    try terminal.wait { $0.screen.text.hasSuffix("news from elsewhere\nprobe> half ty") }
    terminal.type("ped\r")
    try terminal.wait { $0.read.last == #""half typed""# }
  }

  private func started(columns: Int = 80, _ environment: [String: String] = [:]) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: columns, environment)
    try terminal.wait { $0.screen.lines.last?.hasPrefix("probe>") == true }
    return terminal
  }
}

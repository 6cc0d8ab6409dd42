import Foundation
import Shell
import Testing

@testable import Console

/// Pastes that are folded, when they are taken back and when they are recalled.
@Suite(.ownThread) struct FoldedPasteTests {
  private static let long = (1...500).map { "row \($0)" }.joined(separator: "\n")

  @Test(arguments: ["x", "two words", "row 1\nrow 2", long])
  func `a paste is a step of its own between what was typed before and after it`(pasted: String) throws {
    let terminal = try PseudoTerminal.atPrompt()
    let isFolded = pasted == Self.long
    terminal.type("ab\u{1B}[200~\(pasted)\u{1B}[201~")
    let shown = "probe> ab" + (isFolded ? "[paste 1: 500 lines]" : pasted.replacing("\n", with: "\n… "))
    try terminal.wait { $0.screen.text == shown }
    terminal.type("cd")
    try terminal.wait { $0.screen.text == shown + "cd" }
    terminal.type("\u{1F}")
    try terminal.wait { $0.screen.text == shown }
    terminal.type("\u{1F}")
    try terminal.wait { $0.screen.text == "probe> ab" }
    terminal.type("\u{1F}")
    try terminal.wait { $0.screen.text == "probe>" }
  }

  @Test func `a recalled paste is folded as it was, among what was typed`() throws {
    let terminal = try PseudoTerminal.atPrompt(["PROBE_KEEPS": "1"])
    terminal.type("say \u{1B}[200~\(Self.long)\u{1B}[201~ twice\r")
    // The line that was sent looks like the recalled one: a key must not come before the new prompt.
    try terminal.wait { $0.read.count == 1 && $0.screen.lines.last == "probe>" }
    for key in ["\u{1B}[A", "\u{1B}[A\u{1B}[B\u{1B}[A", "\u{12}row 77\u{5}"] {
      terminal.type(key)
      try terminal.wait { $0.screen.lines.last == "probe> say [paste 1: 500 lines] twice" }
      terminal.type("\u{3}")
      try terminal.wait { $0.screen.lines.last == "probe>" }
    }
    terminal.type("\u{1B}[A!\r")
    try terminal.wait { $0.read.count == 5 }
    let read = terminal.read.compactMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }
    #expect(read == ["say \(Self.long) twice", "say \(Self.long) twice!"])
  }

  @Test func `a long message that was typed is recalled open, to be edited`() throws {
    let terminal = try PseudoTerminal.atPrompt(["PROBE_KEEPS": "1"])
    let typed = (1...18).map { "row \($0)" }.joined(separator: "\n")
    terminal.type(typed + "\r")
    try terminal.wait { $0.read.count == 1 && $0.screen.lines.last == "probe>" }
    terminal.type("\u{1B}[A")
    try terminal.wait { $0.screen.lines.last == "… row 18" }
    terminal.type("\u{8}9\r")
    try terminal.wait { $0.read.count == 2 }
    let read = terminal.read.compactMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }
    #expect(read == [typed, typed.dropLast() + "9"])
  }

  @Test func `one of an earlier run is folded whole where drawing it would be felt`() throws {
    let long = (1...8000).map { "row \($0)" }.joined(separator: "\n")
    let terminal = try PseudoTerminal.atPrompt(["PROBE_EARLIER": long])
    terminal.type("\u{1B}[A")
    try terminal.wait { $0.screen.lines == ["probe> [paste 1: 8000 lines]"] }
    terminal.type("\r")
    try terminal.wait { !$0.read.isEmpty }
    #expect(try JSONDecoder().decode(String.self, from: Data(#require(terminal.read.first).utf8)) == long)
  }

  @Test func `of many pastes in a line each is folded, and what stands between them is not`() {
    var line = EditedLine(LineRequest(prompt: []))
    let (one, other) = (String(repeating: "x", count: 5000), String(repeating: "y\n", count: 20))
    let text = String(repeating: one + " and " + other, count: 300)
    let folded = line.refolded(EditText(text), knowing: [one, other])
    #expect(folded.count == 300 * 7)
    #expect(line.expanded(folded) == text)
  }
}

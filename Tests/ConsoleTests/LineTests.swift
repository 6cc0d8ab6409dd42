import Shell
import Testing
import Text

@testable import Console

struct LineTests {
  @Test func `what would hide, reorder or act is shown as symbols`() {
    let layout = Layout(
      prompt: [], text: EditText("a\u{1B}[2J\u{202E}b\u{200B}\u{E0041}\u{7F}"), cursor: 0, columns: 80)
    #expect(layout.rows[0].map(\.text).joined() == "a^[[2J<U+202E>b<U+200B><U+E0041>^?")
  }

  @Test func `characters of several scalars are one step and one place`() {
    let text = EditText("e\u{301}👩‍👩‍👧日x")
    #expect(text.characterEnd(after: 0) == 2)
    #expect(text.characterEnd(after: 2) == 7)
    #expect(text.characterStart(before: 7) == 2)
    #expect(text.characterStart(before: 2) == 0)
    let layout = Layout(prompt: [], text: text, cursor: 8, columns: 80)
    #expect(layout.rows[0].map(\.width) == [1, 2, 2, 1])
    #expect(layout.cursorColumn == 5)
  }

  @Test func `a small paste is text with its line ends made newlines`() {
    var line = EditedLine(LineRequest(prompt: []))
    #expect(line.fold(Array("one\r\ntwo\rthree\n\tfour\0".utf8)) == EditText("one\ntwo\nthree\n\tfour"))
  }

  @Test func `a large paste is one place in the line and comes back exactly`() {
    var line = EditedLine(LineRequest(prompt: []))
    let pasted = (1...500).map { "row \($0)\t" }.joined(separator: "\n") + "\n"
    let folded = line.fold(Array(pasted.utf8))
    #expect(folded.count == 1)
    #expect(line.label(folded[0]) == "[paste 1: 500 lines]")
    let second = line.fold(Array(String(repeating: "x", count: 5000).utf8))
    #expect(line.label(second[0]) == "[paste 2: 5000 characters]")
    #expect(line.expanded(EditText("see ") + folded + EditText(" end")) == "see " + pasted + " end")
  }

  @Test func `undo takes back a word at a time`() {
    var line = EditedLine(LineRequest(prompt: []))
    var text = ""
    for character in "one two" {
      line.noteForUndo(state(text))
      text.append(character)
    }
    line.noteForUndo(state(text))
    #expect(line.undone() == state("one "))
    #expect(line.undone() == state("one"))
    #expect(line.undone() == state(""))
    #expect(line.undone() == nil)
  }

  @Test func `search finds the newest line whatever the case, goes on, and fails without losing it`() {
    let lines = ["Deploy it", "nothing", "redeploy", "deploy it"].map { EditText($0) }
    let recalled = { (back: Int) in lines.indices.contains(back) ? lines[back] : nil }
    var search = RecallSearch(from: state("draft"))
    search.type(EditText("dePl"), recalled)
    #expect((search.place, search.cursor) == (0, 0))
    search.next(older: true, recalled)
    #expect((search.place, search.cursor) == (2, 2))
    search.next(older: true, recalled)
    #expect(search.place == 3)
    search.next(older: true, recalled)
    #expect(search.hasFailed && search.place == 3)
    search.next(older: false, recalled)
    #expect(search.place == 2 && !search.hasFailed)
    search.type(EditText("zzz"), recalled)
    #expect(search.hasFailed)
    for _ in 0..<7 { search.eraseLast(recalled) }
    #expect(search.shown == EditText("draft"))
  }

  @Test(arguments: [12, 20, 40, 80]) func `candidates fit the width`(_ columns: Int) {
    let candidates = (1...30).map { Candidate("/command\($0)日本", summary: "does thing number \($0) and more") }
    let plain = candidates.map { Candidate($0.text) }
    for rows in [
      CompletionList.rows(candidates, columns: columns, height: 10),
      CompletionList.rows(plain, columns: columns, height: 10),
    ] {
      #expect(rows.count <= 10)
      for row in rows { #expect(row.reduce(0) { $0 + $1.width } <= columns) }
    }
    let listed = CompletionList.rows(candidates, columns: columns, height: 10)
    #expect(listed.last?.map(\.text).joined().contains("21 more") == true)
  }

  private func state(_ text: String) -> EditedLine.State {
    EditedLine.State(text: EditText(text), cursor: text.unicodeScalars.count)
  }
}

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

  @Test func `of a long message that search finds the lines around the match are shown`() {
    let message = EditText((1...500).map { "row \($0)" }.joined(separator: "\n"))
    func excerpt(_ pattern: String) -> (String, Int, String) {
      var search = RecallSearch(from: state("draft"))
      search.type(EditText(pattern)) { $0 == 0 ? message : nil }
      let shown = search.excerpt
      let text = String(String.UnicodeScalarView(shown.text.compactMap { Unicode.Scalar(UInt32($0)) }))
      return (text, shown.cursor, shown.place.string)
    }
    #expect(excerpt("row 77") == ("row 75\nrow 76\nrow 77\nrow 78\nrow 79", 14, "(line 77 of 500) "))
    #expect(excerpt("row 1") == ("row 1\nrow 2\nrow 3\nrow 4\nrow 5", 0, "(line 1 of 500) "))
    #expect(excerpt("row 500") == ("row 496\nrow 497\nrow 498\nrow 499\nrow 500", 32, "(line 500 of 500) "))
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

  @Test func `what is suggested is the newest line that begins so, and says more`() {
    let recall = KeptLines(["ship", "ship the new", "first\nsecond", "ship the old", "e\u{301}a"])
    var suggestion = Suggestion()
    func rest(_ typed: String) -> EditText? { suggestion.rest(of: EditText(typed), in: recall) }
    #expect(rest("") == nil)
    #expect(rest("s") == EditText("hip"))
    #expect(rest("ship") == EditText(" the new"))
    #expect(rest("ship the o") == EditText("ld"))
    #expect(rest("ship the ox") == nil)
    #expect(rest("ship the") == EditText(" new"))
    #expect(rest("fir") == EditText("st\nsecond"))
    #expect(rest("Fir") == nil)
    // The accent belongs to the letter before it.
    #expect(rest("e") == nil)
    #expect(rest("e\u{301}") == EditText("a"))
    #expect(suggestion.rest(of: EditText("s") + [0x110000], in: recall) == nil)
  }

  @Test func `typing a line looks at each earlier one once`() {
    let recall = KeptLines((0..<10_000).map { "line \($0)" } + ["beyond all"])
    var suggestion = Suggestion()
    for length in 1...60 { _ = suggestion.rest(of: EditText(String(repeating: "b", count: length)), in: recall) }
    #expect(recall.looks.count == 10_000)
    #expect(suggestion.rest(of: EditText("line 9999"), in: recall) == nil)
    #expect(recall.looks.count == 20_000)
    #expect(suggestion.rest(of: EditText("line"), in: recall) == EditText(" 0"))
    #expect(recall.looks.count == 20_001)
  }

  @Test(arguments: [(80, "probe> first … 2 more lines"), (30, "probe> first … 2 more lines"), (12, "probe> fir…")])
  func `of several lines the first is suggested, as far as the row goes`(columns: Int, seen: String) {
    let layout = Layout(
      prompt: [Span("probe> ")], text: EditText("f"), cursor: 1, columns: columns,
      suggestion: EditText("irst\nsecond\nthird"))
    #expect(layout.rows.map { $0.map(\.text).joined() } == [seen])
    #expect(layout.passing?.cells == 8)
    #expect(layout.cursorColumn == 8)
  }

  @Test func `a suggestion takes no row of its own`() {
    for columns in 2...40 {
      let text = EditText("日本 text")
      let bare = Layout(prompt: [Span("> ")], text: text, cursor: text.count, columns: columns)
      let layout = Layout(
        prompt: [Span("> ")], text: text, cursor: text.count, columns: columns,
        suggestion: EditText("\u{1B}\t日本語 goes on and on and on"))
      #expect(layout.rows.count == bare.rows.count && layout.cursorColumn == bare.cursorColumn)
      #expect(layout.rows.allSatisfy { $0.reduce(0) { $0 + $1.width } <= columns })
    }
  }

  @Test(arguments: [12, 20, 40, 80]) func `candidates fit the width`(_ columns: Int) {
    let candidates = (1...30).map { Candidate("/command\($0)日本", summary: "does thing number \($0) and more") }
    let plain = candidates.map { Candidate($0.text) }
    for rows in [
      CompletionList(candidates, columns: columns, height: 10).rows,
      CompletionList(plain, columns: columns, height: 10).rows,
    ] {
      #expect(rows.count <= 10)
      for row in rows { #expect(row.reduce(0) { $0 + $1.width } <= columns) }
    }
    let listed = CompletionList(candidates, columns: columns, height: 10)
    #expect(listed.rows.last?.map(\.text).joined().contains("21 more") == true && listed.count == 9)
    let last = CompletionList(candidates.dropFirst(25), columns: columns, height: 10)
    #expect(last.rows.count == 5 && last.count == 5)
  }

  @Test func `of ten thousand candidates only those are looked at that fit the screen`() {
    var looks = 0
    let candidates = (0..<10_000).lazy.map { number in
      looks += 1
      return Candidate("model-\(number)", summary: "loaded")
    }
    let list = CompletionList(candidates, columns: 80, height: 20)
    #expect(list.rows.last?.map(\.text).joined() == "… 9981 more, Tab shows the next")
    #expect(looks < 1000)
  }

  @Test func `what candidates begin with in common ends before a letter, not within one`() {
    #expect(Completion.beginning(of: ["qwen-é1", "qwen-e2", "qwen-e\u{301}x"]) == "qwen-")
    #expect(Completion.beginning(of: ["same", "same"]) == "same")
    #expect(Completion.beginning(of: []) == "")
    #expect(Completion.beginning(of: ["'my file'", "'your file'"]) == "")
    #expect(Completion.beginning(of: ["'my file'", "'my folder'"]) == "'my f")
  }

  // One task alone looks.
  private final class KeptLines: Recall, @unchecked Sendable {
    let lines: [String]
    var looks: [Int] = []
    init(_ lines: [String]) { self.lines = lines }
    func line(_ back: Int) -> String? {
      looks.append(back)
      return lines.indices.contains(back) ? lines[back] : nil
    }
  }

  private func state(_ text: String) -> EditedLine.State {
    EditedLine.State(text: EditText(text), cursor: text.unicodeScalars.count)
  }
}

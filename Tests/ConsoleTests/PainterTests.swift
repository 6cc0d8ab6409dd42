import TestSupport
import Testing
import Text

@testable import Console

struct PainterTests {
  private static let prompt: StyledText = [Span("me", .accent), Span("> ")]

  @Test(arguments: [2, 7, 20, 80]) func `whatever was shown before, the screen equals a fresh drawing`(_ columns: Int) {
    var random = SeededNumbers(seed: UInt64(columns))
    let alphabet = EditText("ab 日本👍e\u{301}\n\t\u{1B}\u{202E}") + [0x110000]
    for _ in 0..<40 {
      var painter = Painter()
      var screen = ScreenModel(rows: 6, columns: columns)
      var text: EditText = []
      for _ in 0..<30 {
        let place = Int.random(in: 0...text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.removeSubrange(place..<min(text.count, place + 3))
        case 1: text.insert(contentsOf: (0..<9).compactMap { _ in alphabet.randomElement(using: &random) }, at: place)
        default: text.insert(alphabet.randomElement(using: &random) ?? 97, at: place)
        }
        let suggests = Bool.random(using: &random)
        let cursor = suggests ? text.count : Int.random(in: 0...text.count, using: &random)
        let layout = Layout(
          prompt: Self.prompt, text: text, cursor: cursor, columns: columns,
          suggestion: suggests ? EditText("XX日\tX\nX") : [], label: { _ in "[paste 1: 3 lines]" })
        screen.feed(painter.paint(layout, columns: columns, height: 6))

        var fresh = ScreenModel(rows: 6, columns: columns)
        var again = painter
        fresh.feed(again.again())
        #expect(screen.lines.suffix(fresh.lines.count) == fresh.lines[...], "\(text) at \(cursor)")
        #expect(screen.column == fresh.column)
        #expect(screen.column == min(layout.cursorColumn, columns - 1))

        #expect(!suggests || layout.cursorColumn > columns - 6 || fresh.text.contains("X"))
        fresh.feed(again.leave())
        #expect(!fresh.text.contains("X"), "what was suggested is left behind")
      }
    }
  }

  @Test func `one more letter costs one byte`() {
    var painter = Painter()
    _ = painter.paint(layout("hell"), columns: 80, height: 24)
    #expect(painter.paint(layout("hello"), columns: 80, height: 24) == Array("o".utf8))
  }

  @Test func `the cursor stands after its text even where a terminal shows a family as three persons`() {
    var painter = Painter()
    var screen = ScreenModel(rows: 4, columns: 40)
    let text = EditText("a👩‍👩‍👧b")
    screen.feed(painter.paint(layout("a👩‍👩‍👧b", columns: 40), columns: 40, height: 4))
    screen.feed(painter.paint(layout("a👩‍👩‍👧b", cursor: text.count - 1, columns: 40), columns: 40, height: 4))
    // Four cells of prompt, the letter, and two for each person.
    #expect(screen.column == 11)
  }

  @Test func `text taller than the screen is shown around the cursor, and whole when it is entered`() {
    let text = (1...20).map { "line \($0)" }.joined(separator: "\n")
    var painter = Painter()
    var screen = ScreenModel(rows: 5, columns: 30)
    screen.feed("before\r\n".utf8)
    screen.feed(painter.paint(layout(text, columns: 30), columns: 30, height: 5))
    #expect(screen.lines == (16...20).map { "… line \($0)" })
    screen.feed(painter.paint(layout(text, cursor: 0, columns: 30), columns: 30, height: 5))
    #expect(screen.lines.first == "me> line 1")
    #expect(screen.row == 0)
    screen.feed(painter.finish(layout(text, columns: 30)))
    #expect(screen.text.hasPrefix("before\nme> line 1\n… line 2\n"))
    #expect(screen.text.hasSuffix("… line 19\n… line 20"))
  }

  @Test func `erasing leaves what stood above`() {
    var painter = Painter()
    var screen = ScreenModel(rows: 6, columns: 10)
    screen.feed("above\r\n".utf8)
    screen.feed(painter.paint(layout("a long line of text", columns: 10), columns: 10, height: 6))
    #expect(screen.lines.count == 4)
    screen.feed(painter.erase())
    #expect(screen.lines == ["above"])
    #expect((screen.row, screen.column) == (1, 0))
  }

  @Test func `a narrower terminal that breaks lines anew is erased from the first of them`() {
    var painter = Painter()
    var screen = ScreenModel(rows: 8, columns: 10)
    screen.feed("above\r\n".utf8)
    // What a terminal of 20 columns makes of this when it gets half as wide.
    _ = painter.paint(layout("sixteen letters", columns: 20), columns: 20, height: 8)
    screen.feed("me> sixteen letters".utf8)
    screen.feed(painter.eraseAfterResize(to: 10, reflows: true))
    #expect(screen.lines == ["above"])
  }

  @Test func `a line that fills the last row leaves no empty one behind`() {
    var painter = Painter()
    var screen = ScreenModel(rows: 6, columns: 10)
    screen.feed(painter.paint(layout("sixsix", columns: 10), columns: 10, height: 6))
    #expect((screen.row, screen.column) == (1, 0))
    screen.feed(painter.finish(layout("sixsix", columns: 10)))
    screen.feed("next".utf8)
    #expect(screen.lines == ["me> sixsix", "next"])
  }

  private func layout(_ text: String, cursor: Int? = nil, columns: Int = 80) -> Layout {
    let text = EditText(text)
    return Layout(prompt: Self.prompt, text: text, cursor: cursor ?? text.count, columns: columns)
  }
}

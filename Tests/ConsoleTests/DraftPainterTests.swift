import TestSupport
import Testing
import Text

@testable import Console

struct DraftPainterTests {
  private static func rows(_ lines: [String]) -> [DraftPainter.Row] {
    lines.map { DraftPainter.Row(bytes: Array($0.utf8)[...], cells: Cells.cells(in: $0)) }
  }

  @Test(arguments: [2, 5, 20]) func `whatever was drafted, what stays is what was finished, in its order`(
    _ columns: Int
  ) {
    var random = SeededNumbers(seed: UInt64(columns))
    for _ in 0..<60 {
      let height = 2 + random.below(5)
      var painter = DraftPainter()
      var screen = ScreenModel(rows: height, columns: columns)
      var finished: [String] = []
      var draft: [String] = []
      for _ in 0..<25 {
        // What was drafted is often what is finished, whole or in part.
        var more = random.below(2) == 0 ? Array(draft.prefix(random.below(draft.count + 1))) : []
        more += (0..<random.below(3)).map { _ in random.line(columns) }
        draft = random.below(3) == 0 ? [] : (0..<random.below(height + 3)).map { _ in random.line(columns) }
        screen.feed(painter.show(Self.rows(more), draft: Self.rows(draft), columns: columns, height: height))
        finished += more
        let seen = screen.scrolledAway + screen.lines + Array(repeating: "", count: 2 * height)
        #expect(Array(seen.prefix(finished.count)) == finished, "\(draft)")
        #expect(painter.isShowing == !draft.isEmpty)
        // Of one that is too tall, its end.
        let shown = Array(draft.suffix(max(1, height - 1)))
        #expect(Array(seen.dropFirst(finished.count).prefix(shown.count)) == shown)
      }
      screen.feed(painter.erase())
      let left = screen.scrolledAway + screen.lines
      #expect(Array(finished.prefix(left.count)) == left)
    }
  }

  @Test func `words that come are written behind those that stand there`() {
    var painter = DraftPainter()
    _ = painter.show([], draft: Self.rows(["one", "tw"]), columns: 80, height: 24)
    #expect(painter.show([], draft: Self.rows(["one", "two"]), columns: 80, height: 24) == Array("o".utf8))
  }

  @Test func `a line that is finished as it stood there is not written again`() {
    var painter = DraftPainter()
    _ = painter.show([], draft: Self.rows(["one", "two"]), columns: 80, height: 24)
    #expect(painter.show(Self.rows(["one", "two"]), draft: [], columns: 80, height: 24) == Array("\r\n".utf8))
  }

  @Test func `a draft whose lines the terminal breaks anew stays, unless its beginning is not shown`() {
    var painter = DraftPainter()
    for (columns, reflows, draft, isLeft) in [
      (60, true, ["one", "two"], true), (60, false, ["one", "two"], false), (90, true, ["one", "two"], false),
      (60, true, ["one", "two", "three"], false),
    ] {
      _ = painter.show([], draft: Self.rows(draft), columns: 80, height: 3)
      let resized = painter.resize(to: columns, reflows: reflows)
      #expect(resized.isLeft == isLeft && !painter.isShowing, "\(draft) \(columns)")
      #expect(resized.bytes == Array((isLeft ? "\r\n" : "\r\u{1B}[1A\u{1B}[J").utf8))
    }
  }

  @Test func `a line that is wider than the screen is broken by the terminal`() {
    var painter = DraftPainter()
    var screen = ScreenModel(rows: 5, columns: 4)
    screen.feed(painter.show([], draft: Self.rows(["abcd", "ef"]), columns: 4, height: 5))
    screen.feed(painter.show(Self.rows(["abcdefgh"]), draft: Self.rows(["x"]), columns: 4, height: 5))
    #expect(screen.lines == ["abcd", "efgh", "x"])
  }
}

extension SeededNumbers {
  /// Of words that fit, with nothing at its end that could not be seen.
  fileprivate mutating func line(_ columns: Int) -> String {
    String((0..<below(columns + 1)).map { _ in pick(Array("abc")) })
  }
}

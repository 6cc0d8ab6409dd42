import Testing
import Text

@Suite struct RowCountTests {
  private func rows(_ pieces: StyledText..., columns: Int = 10) -> Int {
    var count = RowCount(columns: columns)
    for piece in pieces { count.add(piece) }
    return count.rows
  }

  @Test func `a line takes a row, and one more for each time that it is broken`() {
    #expect(rows([]) == 0)
    #expect(rows(.text("one\n")) == 1)
    #expect(rows(.text("one\n\ntwo\n")) == 3)
    #expect(rows(.text("0123456789\n")) == 1)
    #expect(rows(.text("0123456789a\n")) == 2)
    #expect(rows(.text("漢字漢字漢字\n")) == 2)
  }

  @Test func `a line may come in pieces and styles`() {
    #expect(rows(.text("01234", .strong) + .text("56789"), .text("a"), .text("\n")) == 2)
    #expect(rows(.text("no end yet")) == 1)
    #expect(rows(.text("one\ntwo")) == 2)
    #expect(rows(.text("\n"), .text("\n")) == 2)
  }
}

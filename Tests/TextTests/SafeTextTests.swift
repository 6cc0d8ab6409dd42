import Testing
import Text

@Suite struct SafeTextTests {
  @Test func `styled text comes in pieces that are the whole of it`() {
    let text: StyledText = .text("abc", .strong) + .text("défg", .dim) + .text("")
    #expect(
      text.pieces(of: 2) == [
        .text("ab", .strong), .text("c", .strong) + .text("d", .dim), .text("éf", .dim), .text("g", .dim),
      ])
    #expect(text.pieces(of: 100) == [.text("abc", .strong) + .text("défg", .dim)])
    #expect(StyledText().pieces(of: 2).isEmpty)
  }

  @Test func `what is put into a text is filtered, what is written in the source is not`() {
    let name = "evil\u{1B}[2J\nname"
    let text: SafeText = "model \(name)\n\(3) \(Filter.block("a\nb")) \(name.prefix(4))"
    #expect(text.string == "model evil^[[2J name\n3 a\nb evil")
  }

  @Test func `texts are joined, split and padded`() {
    #expect((["a", "b"] as [SafeText]).joined(separator: ", ") == "a, b")
    #expect(Filter.block("a\r\nb\n").lines == ["a", "b", ""])
    #expect(("漢" as SafeText).padded(to: 4) == "漢  ")
    #expect(("漢" as SafeText).padded(to: 4, onLeft: true) == "  漢")
    #expect(("abc" as SafeText).padded(to: 2) == "abc")
    #expect(SafeText.spaces(-1).isEmpty)
    var text: SafeText = "a"
    text += "b"
    #expect(text.cells == 2)
  }
}

@Suite struct FittingTests {
  @Test func `a page made for a wide screen is broken at word ends on a narrow one`() {
    let page: StyledText =
      .text("Chat\n", .strong) + .text("  /retry [#N]          ")
      + .text(" ask again; the earlier answer is kept\n", .dim)
    #expect(page.fitted(to: 80).string == page.string)
    #expect(
      page.fitted(to: 24).string == "Chat\n  /retry [#N]\n    ask again; the\n    earlier answer is\n    kept\n")
  }
}

import Testing
import Text

@testable import Console

struct AppearanceTests {
  @Test(
    arguments: [
      ("auto", nil, Palette.dark), ("auto", "15;0", .dark), ("auto", "0;15", .light), ("auto", "0;default;15", .light),
      ("auto", "0;7", .light), ("auto", "15;8", .dark), ("auto", "nonsense", .dark), ("light", "15;0", .light),
      ("dark", "0;15", .dark), ("none", "0;15", .none),
    ] as [(String, String?, Palette)])
  func `the colours are those for the background`(theme: String, colours: String?, palette: Palette) {
    #expect(Palette(theme: theme, colours: colours) == palette)
  }

  @Test func `on a light background nothing that matters is yellow`() {
    for meaning in Style.Meaning.allCases {
      #expect(!Style(meaning).code(.light).contains("33"))
    }
  }

  @Test func `without colours bold and dim are left`() {
    for meaning in Style.Meaning.allCases {
      #expect(["", "\u{1B}[2m"].contains(Style(meaning).code(.none)))
    }
    #expect(Style(.error, [.strong, .underlined]).code(.none) == "\u{1B}[1;4m")
  }

  @Test func `a link stands around its words, where the terminal knows links`() {
    let span = [Span("a", Style(.plain, .underlined), link: LinkTarget("https://example.com"))]
    let shown = String(decoding: span.bytes(inColour: true, links: true), as: UTF8.self)
    #expect(shown == "\u{1B}]8;;https://example.com\u{1B}\\\u{1B}[4ma\u{1B}[0m\u{1B}]8;;\u{1B}\\")
    #expect(String(decoding: span.bytes(inColour: false), as: UTF8.self) == "a")
  }
}

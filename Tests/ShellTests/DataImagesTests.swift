import Chat
import Foundation
import TestSupport
import Testing

@testable import Shell

/// Images as data in an answer's Markdown (docs/screen.md 8).
struct DataImagesTests {
  private static let png = CheckedImageTests.png(320, 200)
  private static let data = "data:image/png;base64," + Data(png).base64EncodedString()

  /// What is shown, with `<image>` for one that is drawn.
  private static func shown(_ pieces: [String]) -> String {
    var images = DataImages()
    return (pieces.flatMap { images.feed($0) } + images.finish()).reduce(into: "") {
      switch $1 {
      case .text(let text): $0 += text
      case .image: $0 += "<image>"
      }
    }
  }

  private static let caption = "PNG 320x200, 59 bytes]()"

  private static let sources: [(String, String)] = [
    ("![a cat](\(data))\nand on", "![a cat, \(caption)\n\n<image>and on"),
    ("See:\n![a cat](\(data) \"Title\")", "See:\n![a cat, \(caption)\n\n<image>"),
    ("![](\(data))", "![\(caption)\n\n<image>"),
    // Not on a line of its own.
    ("A cat ![a cat](\(data)).", "A cat ![a cat, \(caption)."),
    ("- ![a cat](\(data))\n", "- ![a cat, \(caption)\n"),
    ("![a](\(data)) ![b](\(data))\n", "![a, \(caption) ![b, \(caption)\n"),
    // What it is not.
    ("![x](data:image/png;base64,iVBO!)", "![x, its data is broken]()"),
    ("![x](DATA:image/svg+xml;base64,PHN2Zy8+)", "![x, no PNG, JPEG or GIF]()"),
    ("![x](data:image/svg+xml,<svg>)", "![x, no PNG, JPEG or GIF]()"),
    ("![x](data:text/html;base64,PGI+)", "![x, no PNG, JPEG or GIF]()"),
    (
      "![x](data:image/png;base64,\(Data(CheckedImageTests.png(30_000, 30_000)).base64EncodedString()))",
      "![x, too large to draw]()"
    ),
    ("![x](data:image/png;base64,iVBORw0K\nand on", "![x, cut off]()\nand on"),
    ("![x](data:image/png;base64,iVBORw0K", "![x, cut off]()"),
    // Whatever it says of itself, the bytes count.
    ("![x](data:image/gif;base64,\(Data(png).base64EncodedString()))", "![x, \(caption)\n\n<image>"),
  ]

  /// What goes through as it came.
  private static let untouched = [
    "![a cat](https://example.com/cat.png)\n", "[a link](\(data))\n", "`![a cat](\(data))`\n",
    "```\n![a cat](\(data))\n```\n", "> ~~~ text\n> ![a cat](\(data))\n> ~~~\n", "![a cat]: \(data)\n", "![a cat](dat",
    "![a", "]", "",
  ]

  @Test func `in its place it is said what it is`() {
    for (source, expected) in Self.sources { #expect(Self.shown([source]) == expected) }
    for source in Self.untouched { #expect(Self.shown([source]) == source) }
  }

  @Test func `it does not matter how the text comes`() {
    var random = SeededNumbers(seed: 3)
    for source in Self.sources.map(\.0) + Self.untouched {
      for _ in 0..<20 {
        var rest = Array(source)
        var pieces: [String] = []
        while !rest.isEmpty {
          let count = min(rest.count, 1 + random.below(9))
          pieces.append(String(rest.prefix(count)))
          rest.removeFirst(count)
        }
        #expect(Self.shown(pieces) == Self.shown([source]))
      }
    }
  }

  @Test func `after a fence there are images again`() {
    let source = "````\n```\n![a](\(Self.data))\n````\n![b](\(Self.data))\n"
    #expect(Self.shown([source]) == "````\n```\n![a](\(Self.data))\n````\n![b, \(Self.caption)\n\n<image>")
  }

  @Test func `more data than anything is drawn from is let go`() {
    var images = DataImages()
    var parts = images.feed("![x](data:image/png;base64,")
    let piece = String(repeating: "A", count: 1 << 20)
    for _ in 0..<20 { parts += images.feed(piece) }
    parts += images.feed(")") + images.finish()
    #expect(parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } } == "![x, too large to draw]()")
  }
}

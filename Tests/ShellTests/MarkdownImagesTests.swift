import Chat
import Foundation
import TestSupport
import Testing
import Text

@testable import Shell

/// Images as data in an answer's Markdown (docs/screen.md 8).
struct MarkdownImagesTests {
  private static let png = CheckedImageTests.png(320, 200)
  private static let data = "data:image/png;base64," + Data(png).base64EncodedString()
  /// Longer than what may stay in its line.
  private static let large = CheckedImageTests.png(320, 200, data: [UInt8](repeating: 7, count: 3000))
  private static let largeData = "data:image/png;base64," + Data(large).base64EncodedString()

  private static func flow(after earlier: String? = nil) -> MarkdownFlow {
    var flow = MarkdownFlow(MarkdownLook(columns: 60, hasStyles: false, drawsLines: false), images: .described)
    if let earlier { flow.resume(after: earlier) }
    return flow
  }

  /// The lines that are shown, with `<image>` for one that is drawn.
  private static func shown(_ pieces: [String], after earlier: String? = nil) -> String {
    var flow = flow(after: earlier)
    var parts: [MarkdownPart] = []
    for piece in pieces {
      parts += flow.feed(piece)
      _ = flow.draft()
    }
    return (parts + flow.finish()).flatMap { part -> [String] in
      switch part {
      case .lines(let lines): lines.spans.map(\.string)
      case .image: ["<image>"]
      }
    }.joined(separator: "\n")
  }

  private static let caption = "PNG 320x200, 59 bytes]"

  private static let sources: [(String, String)] = [
    ("![a cat](\(data))\n\nand on", "[image: a cat, \(caption)\n<image>\n\nand on"),
    ("See:\n![a cat](\(data) \"Title\")\nand on", "See:\n[image: a cat, \(caption)\nand on\n<image>"),
    ("![](\(data))", "[image: \(caption)\n<image>"),
    ("![a](<\(data)>)", "[image: a, \(caption)\n<image>"),
    ("- ![a cat](\(data))\n", "- [image: a cat, \(caption)\n<image>"),
    ("![a](\(data)) \nand on", "[image: a, \(caption)\nand on\n<image>"),
    ("x\n![a](\(data))  \nand on", "x\n[image: a, \(caption)\nand on\n<image>"),
    ("![two\nlines](\(data))", "[image: two\nlines, \(caption)\n<image>"),
    ("[r]: \(data)\n\n![a][r]", "...\n\n[image: a, \(caption)\n<image>"),
    ("- ```\n  x\n\n![a](\(data))", "...\n\n[image: a, \(caption)\n<image>"),
    ("\\`![a](\(data))\\`", "`[image: a, \(caption)`"),
    // Not on a line of its own.
    ("A cat ![a cat](\(data)).", "A cat [image: a cat, \(caption)."),
    ("# ![a](\(data))\n", "# [image: a, \(caption)"),
    // What it is not.
    ("![x](data:image/png;base64,iVBO!)", "[image: x, its data is broken]"),
    ("![x](DATA:image/svg+xml;base64,PHN2Zy8+)", "[image: x, no PNG, JPEG or GIF]"),
    ("![x](data:image/svg+xml,<svg>)", "[image: x, no PNG, JPEG or GIF]"),
    ("![x](data:text/html;base64,PGI+)", "[image: x, no PNG, JPEG or GIF]"),
    ("![x](data:,)", "[image: x, no PNG, JPEG or GIF]"),
    (
      "![x](data:image/png;base64,\(Data(CheckedImageTests.png(30_000, 30_000)).base64EncodedString()))",
      "[image: x, too large to draw]"
    ),
    // Whatever it says of itself, the bytes count.
    ("![x](data:image/gif;base64,\(Data(png).base64EncodedString()))", "[image: x, \(caption)\n<image>"),
  ]

  private static let largeCaption = "PNG 320x200, 3 KB]"

  private static let largeSources: [(String, String)] = [
    ("![a](\(largeData))\n\nand on", "[image: a, \(largeCaption)\n<image>\n\nand on"),
    (
      "![a](\(largeData))\n![b](\(largeData))",
      "[image: a, \(largeCaption)\n[image: b, \(largeCaption)\n<image>\n<image>"
    ),
    ("x ![a](\(largeData) \"t\") y", "x [image: a, \(largeCaption) y"),
    // Where it ends nobody knows, and nobody reads it.
    ("![a](\(largeData)\nand on", "![a](data:image/png;base64,…\nand on"),
    ("![a](\(largeData)", "![a](data:image/png;base64,…"),
    ("[a link](\(largeData))", "a link (data:image/png;base64,…)"),
    (
      "[r]: \(largeData)\n\n![a][r]\n![b][r]",
      "[r]: data:image/png;base64,…\n\n[image: a, \(largeCaption)\n[image: b, \(largeCaption)\n<image>"
    ),
    ("~~~ \(largeData)\nx\n~~~", "```data:image/png;base64,…\nx\n```"),
    ("    code\n\n![a](\(largeData))", "```\ncode\n```\n\n[image: a, \(largeCaption)\n<image>"),
  ]

  /// Lines that are broken because they are long, with data where they are.
  private static let longSources: [String] = {
    let prose = String(repeating: "word ", count: 3220)
    return [
      prose + "![a](\(largeData)) and on", prose + prose + "![a](\(largeData))",
      String(repeating: "x", count: 16_200) + "![a](\(largeData))", "    " + String(repeating: "code ", count: 9000),
      "~~~ " + String(repeating: "info ", count: 9000) + "\ncode\n~~~\n",
      String(repeating: "![a](\(largeData)) ", count: 600),
    ]
  }()

  private static let inCode: [(String, String)] = [
    ("`%`", "`%`"), ("``\n%\n``", "`%`"), ("```\n%\n```\n", "```\n%\n```"), ("    %\n", "```\n%\n```"),
    ("> ~~~\n> %\n> ~~~\n", "> ```\n> %\n> ```"), ("<pre>\n%\n</pre>", "<pre>\n%\n</pre>"),
    ("<!-- % -->", "<!-- % -->"),
    ("<!--\n%\n-->", "<!--\n%\n-->"), ("$$\n%\n$$", "$$\n%\n$$"), ("$$ % $$", "$$ % $$"),
  ]

  @Test func `in its place it is said what it is`() {
    for (source, expected) in Self.sources + Self.largeSources {
      let shown = Self.shown([source])
      let isEnd = expected.hasPrefix("...") && shown.hasSuffix(expected.dropFirst(3))
      #expect(shown == expected || isEnd, "\(source.prefix(100))")
    }
  }

  @Test func `in code, HTML and formulas it is none`() {
    for (source, expected) in Self.inCode {
      for data in [Self.data, Self.largeData] {
        let image = "![a](\(data))"
        let shown = Self.shown([source.replacing("%", with: image)])
        #expect(
          shown.filter { !$0.isWhitespace && $0 != ">" }
            == expected.replacing("%", with: image).filter { !$0.isWhitespace && $0 != ">" }, "\(source)")
      }
    }
  }

  @Test func `it does not matter how the text comes`() {
    var random = SeededNumbers(seed: 3)
    let inCode = Self.inCode.map { $0.0.replacing("%", with: "![a](\(Self.largeData))") }
    for source in (Self.sources + Self.largeSources).map(\.0) + inCode + Self.longSources {
      for longest in source.utf8.count > 16_384 ? [700, 9000] : [3, 40, 700] {
        var rest = Array(source)
        var pieces: [String] = []
        while !rest.isEmpty {
          let count = min(rest.count, 1 + random.below(longest))
          pieces.append(String(rest.prefix(count)))
          rest.removeFirst(count)
        }
        #expect(Self.shown(pieces) == Self.shown([source]))
      }
    }
  }

  @Test(arguments: ["\n\n", "\n"]) func `wherever an answer is cut, each image is drawn once`(gap: String) {
    let source = ["# One", "![a](\(Self.data))", "![b](\(Self.data)) c", "- ![d](\(Self.data))", "# End"].joined(
      separator: gap)
    for cut in source.indices {
      let (earlier, rest) = (String(source[..<cut]), String(source[cut...]))
      let images = [Self.shown([earlier]), Self.shown([rest], after: earlier)].map { $0.matches(of: /<image>/).count }
      // A caption that stood alone when the answer was cut does so no more with words behind it.
      let isCutBehind = [" c", "c"].contains { source[cut...].hasPrefix($0 + "\n") }
      #expect(images.reduce(0, +) == (isCutBehind ? 3 : 2), "\(earlier.suffix(40))")
    }
  }

  @Test(arguments: ["", "    code\n\n", "- a\n"]) func `data is not seen while it comes`(before: String) {
    for address in [Self.largeData, Self.largeData.replacing("data", with: "DATA"), Self.data] {
      var flow = Self.flow()
      for character in "\(before)![a](\(address)" {
        _ = flow.feed(String(character))
        let draft = flow.draft().spans.map(\.string).joined()
        #expect(!draft.contains("iVBOR"))
      }
      #expect(flow.draft().spans.last?.string.hasSuffix("[image: a]") == true)
    }
  }

  @Test func `a mark that somebody else wrote shows nothing twice`() {
    let mark = String(decoding: [0xEF, 0xB7, 0xAF, 0xEF, 0xB7, 0xA0, 0xEF, 0xB7, 0xAF] as [UInt8], as: UTF8.self)
    let shown = Self.shown(["`\(mark)` `![a](\(Self.largeData))` \(mark) `\(mark)\(mark)` ![x](data:,\(mark))"])
    #expect(shown.matches(of: /iVBOR/).count == 1)
    #expect(shown.contains("![a](\(Self.largeData.prefix(30))"))
    #expect(Self.shown([mark, "`\(mark)`"]).unicodeScalars.allSatisfy { $0.isASCII })
  }

  @Test func `more data than anything is drawn from is let go`() {
    var flow = Self.flow()
    var parts = flow.feed("![x](data:image/png;base64,")
    let piece = String(repeating: "A", count: 1 << 20)
    for _ in 0..<20 { parts += flow.feed(piece) }
    parts += flow.feed(")") + flow.finish()
    #expect(parts.lines.spans.map(\.string) == ["[image: x, too large to draw]"])
  }
}

import Chat
import Foundation
import Testing

@testable import Console

/// What is written for terminals that draw images, and which those are (docs/screen.md 8).
struct ImageProtocolTests {
  private static let environments: [([String: String], ImageProtocol?)] = [
    (["TERM": "xterm-256color"], nil),
    (["TERM": "xterm-kitty"], .kitty),
    (["TERM": "xterm-ghostty"], .kitty),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"], .kitty),
    (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"], .kitty),
    (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1", "VTE_VERSION": "7000"], nil),
    (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1", "TERM_PROGRAM": "vscode"], nil),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .iTerm2),
    (["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], .iTerm2),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .iTerm2),
    (["TERM": "tmux-256color", "LC_TERMINAL": "iTerm2"], nil),
    (["TERM": "screen", "KITTY_WINDOW_ID": "1"], nil),
    (["TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"], nil),
    (["TERM": "xterm-kitty", "STY": "1.pts-0.host"], nil),
    (["TERM": "xterm-kitty", "NVIM": "/run/nvim.1"], nil),
    ([:], nil),
  ]

  @Test func `a terminal is known by its variables, and not through another program`() {
    for (environment, expected) in Self.environments {
      #expect(ImageProtocol(environment) == expected, "\(environment)")
    }
  }

  private static func png(_ filling: Int = 0) throws -> CheckedImage {
    func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: data.count >> $0) } + Array(kind.utf8) + data + [1, 2, 3, 4]
    }
    let header = chunk("IHDR", [0, 0, 1, 64, 0, 0, 0, 200, 8, 2, 0, 0, 0])
    return try CheckedImage(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + header
        + chunk("IDAT", Array(repeating: 0x1B, count: filling)) + chunk("IEND", []))
  }

  @Test func `kitty gets pieces of 4096 bytes, and is to say nothing`() throws {
    let image = try Self.png(10_000)
    let extent = try #require(ImageExtent(image.size, on: (80, 24), cell: (10, 20)))
    let bytes = try #require(ImageProtocol.kitty.bytes(drawing: image, over: extent))
    let text = String(decoding: bytes, as: UTF8.self)
    let pieces = text.components(separatedBy: "\u{1B}_G").dropFirst().map { $0.components(separatedBy: "\u{1B}\\")[0] }
    #expect(
      pieces.map { $0.components(separatedBy: ";")[0] } == [
        "a=T,f=100,c=32,r=10,q=2,m=1", "q=2,m=1", "q=2,m=1", "q=2,m=0",
      ])
    let data = pieces.map { $0.components(separatedBy: ";")[1] }
    #expect(data.allSatisfy { $0.utf8.count <= 4096 })
    #expect(Data(base64Encoded: data.joined()).map(Array.init) == image.bytes)
  }

  @Test func `iTerm2 gets it in one piece`() throws {
    let image = try Self.png()
    let extent = try #require(ImageExtent(image.size, on: (80, 24), cell: (0, 0)))
    let bytes = try #require(ImageProtocol.iTerm2.bytes(drawing: image, over: extent))
    let data = Data(image.bytes).base64EncodedString()
    #expect(
      String(decoding: bytes, as: UTF8.self).contains(
        "\u{1B}7\u{1B}]1337;File=inline=1;size=\(image.bytes.count);width=32;height=10;preserveAspectRatio=1:\(data)\u{07}\u{1B}8"
      ))
  }

  @Test(arguments: [1, 3, 24]) func `the cursor is at the beginning of the line below`(_ row: Int) throws {
    let image = try Self.png()
    let extent = try #require(ImageExtent(image.size, on: (80, 24), cell: (10, 20)))
    let bytes = try #require(ImageProtocol.iTerm2.bytes(drawing: image, over: extent))
    var screen = ScreenModel(rows: 24, columns: 80)
    screen.feed(Array(repeating: Array("x\r\n".utf8), count: row - 1).flatMap { $0 })
    // The model knows no images: they move nothing.
    let osc = try #require(String(decoding: bytes, as: UTF8.self).firstRange(of: #/\x1B\][^\x07]*\x07/#))
    var text = String(decoding: bytes, as: UTF8.self)
    text.removeSubrange(osc)
    screen.feed(Array(text.utf8) + Array("below".utf8))
    let seen = screen.scrolledAway + screen.lines
    #expect(seen.firstIndex(of: "below") == row - 1 + extent.rows)
  }

  @Test func `kitty takes no JPEG, and is given none`() throws {
    let jpeg = try CheckedImage([0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 10, 0, 10, 3])
    let extent = try #require(ImageExtent(jpeg.size, on: (80, 24), cell: (10, 20)))
    #expect(ImageProtocol.kitty.bytes(drawing: jpeg, over: extent) == nil)
    #expect(ImageProtocol.iTerm2.bytes(drawing: jpeg, over: extent) != nil)
  }

  private static let extents: [((Int, Int), (Int, Int), (Int, Int)?)] = [
    ((1, 1), (80, 24), (1, 1)),
    ((320, 200), (80, 24), (32, 10)),
    ((8000, 100), (80, 24), (79, 1)),
    ((100, 8000), (80, 24), (1, 16)),
    ((320, 200), (1, 24), nil),
    ((320, 200), (80, 1), nil),
    ((4000, 4000), (20, 6), (8, 4)),
  ]

  @Test func `it is as large as it is, or as there is room`() {
    for (size, screen, expected) in Self.extents {
      let extent = ImageExtent(.init(width: size.0, height: size.1), on: (screen.0, screen.1), cell: (0, 0))
      #expect(extent.map { [$0.columns, $0.rows] } == expected.map { [$0.0, $0.1] })
    }
  }
}

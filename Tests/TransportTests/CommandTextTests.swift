import Testing

@testable import Transport

struct CommandTextTests {
  private func text(_ pieces: [[UInt8]], limit: Int = 1 << 20) -> CommandText {
    var text = CommandText(limit: limit)
    for piece in pieces { text.add(piece[...]) }
    text.finish()
    return text
  }

  @Test(arguments: [
    "aé€😀", "\u{FFFD}b", "\u{10FFFF}\u{D7FF}\u{E000}", "e\u{301}",
  ])
  func `a text cut anywhere is the same`(whole: String) {
    let bytes = Array(whole.utf8)
    for cut in 0...bytes.count {
      #expect(text([Array(bytes[..<cut]), Array(bytes[cut...])]).output == whole)
    }
    #expect(text(bytes.map { [$0] }).output == whole)
  }

  @Test(
    arguments: [
      [0xFF, 0x61], [0x61, 0xE2, 0x82], [0xE2, 0x61, 0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80, 0x62],
      [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80], [0x80, 0x80, 0x80, 0x80], [0xF5, 0x80, 0x61],
    ] as [[UInt8]])
  func `broken bytes are the same sign of it wherever they are cut`(bytes: [UInt8]) {
    let whole = String(decoding: bytes, as: UTF8.self)
    #expect(whole.contains("\u{FFFD}"))
    for cut in 0...bytes.count {
      #expect(text([Array(bytes[..<cut]), Array(bytes[cut...])]).output == whole)
    }
    #expect(text(bytes.map { [$0] }).output == whole)
  }

  @Test func `a character is handed out when it has all come`() {
    var text = CommandText(limit: 10)
    text.add([0x61, 0xE2, 0x82])
    #expect(text.output == "a")
    text.add([0xAC])
    #expect(text.output == "a€")
    #expect(text.text(since: 1) == "€")
  }

  @Test func `the end is kept, from a character on`() {
    #expect(text([Array("€€€".utf8)], limit: 9).output == "€€€")
    #expect(!text([Array("€€€".utf8)], limit: 9).isTruncated)
    for limit in 6...8 { #expect(text([Array("€€€".utf8)], limit: limit).output == "€€") }
    #expect(text([Array("€€€".utf8)], limit: 8).isTruncated)
    #expect(text([Array("€€€".utf8)], limit: 2).output == "")
  }

  @Test func `the limit counts what is handed out and not what came`() {
    let broken = text([[UInt8](repeating: 0xFF, count: 4)], limit: 9)
    #expect(broken.output == "\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(broken.isTruncated)
  }

  @Test func `of a limit of nothing nothing is handed out`() {
    #expect(text([], limit: 0).output == "")
    #expect(!text([], limit: 0).isTruncated)
    #expect(text([[0x61]], limit: 0).output == "")
    #expect(text([[0x61]], limit: 0).isTruncated)
    #expect(text([[0x61]], limit: 0).text(since: 0) == "a")
  }

  @Test(arguments: [1001, 65_536, 100_003])
  func `the ring goes around and hands out what one that keeps all would`(limit: Int) {
    var (ring, all, place) = (CommandText(limit: limit), [UInt8](), 0)
    var live = ""
    for round in 0..<400 {
      let piece = Array("\(round) é€😀 ".utf8).cycled(to: round * 7 % 3000)
      ring.add(piece[...])
      all += piece
      live += ring.text(since: place)
      place = ring.count
      guard round % 40 == 39 else { continue }
      let decoded = Array(String(decoding: all, as: UTF8.self).utf8)
      let end = decoded.suffix(limit).drop { $0 & 0xC0 == 0x80 }
      // A character may be on its way.
      #expect(ring.output.utf8.count <= limit)
      #expect(String(decoding: end, as: UTF8.self).contains(ring.output.suffix(limit / 4 - 10)))
    }
    ring.finish()
    let whole = String(decoding: all, as: UTF8.self)
    let end = Array(whole.utf8).suffix(limit).drop { $0 & 0xC0 == 0x80 }
    #expect(ring.output == String(decoding: end, as: UTF8.self))
    #expect(whole.hasPrefix(live))
  }
}

extension [UInt8] {
  /// So many bytes, over and over again.
  fileprivate func cycled(to count: Int) -> [UInt8] { (0..<count).map { self[$0 % self.count] } }
}

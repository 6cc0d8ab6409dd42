import Chat
import Testing

/// A picture is known by its first bytes.
struct ImageHeaderTests {
  private static let png: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 0x80, 0, 0, 1, 0xE0,
  ]
  private static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC4, 0, 3, 9, 0xFF, 0xC2, 0, 11, 8, 1, 0xE0, 2, 0x80, 3]

  private static func bytes(_ words: String, _ rest: [UInt8]) -> [UInt8] { Array(words.utf8) + rest }

  private static let pictures: [(bytes: [UInt8], said: String?)] = [
    (png, "PNG 640x480"),
    (Array(png.prefix(20)), "PNG"),
    (jpeg, "JPEG 640x480"),
    (Array(jpeg.prefix(10)), "JPEG"),
    (bytes("GIF89a", [0x80, 2, 0xE0, 1, 0]), "GIF 640x480"),
    (bytes("RIFF....WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0]), "WebP 640x480"),
    (bytes("RIFF....WEBPVP8L", [0, 0, 0, 0, 0x2F, 0x7F, 0xC2, 0x77, 0]), "WebP 640x480"),
    (bytes("RIFF....WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9D, 1, 0x2A, 0x80, 2, 0xE0, 1]), "WebP 640x480"),
    (bytes("RIFF....WEBP", []), "WebP"),
    (bytes("PNG", []), nil),
    (bytes("RIFF....WAVE", []), nil),
    ([], nil),
  ]

  @Test func `format and size are in the first bytes`() {
    for (bytes, expected) in Self.pictures {
      let header = ImageHeader(bytes)
      let size = header?.size.map { " \($0.width)x\($0.height)" } ?? ""
      #expect(header.map { $0.format.rawValue + size } == expected)
    }
  }

  @Test func `a picture cut anywhere is read without harm`() {
    for whole in [Self.png, Self.jpeg, Self.bytes("RIFF....WEBPVP8X", Array(repeating: 0xFF, count: 14))] {
      for end in 0...whole.count { _ = ImageHeader(Array(whole.prefix(end))) }
    }
  }

  @Test func `a type is that of the bytes, else that of the name`() {
    #expect(AttachedFile(path: "/a/pic.txt", name: "p", bytes: Self.png).type == "image/png")
    #expect(AttachedFile(path: "/a/pic.png", name: "p", bytes: Array("no picture".utf8)).type == "text/plain")
    #expect(AttachedFile(path: "/a.b/notes", name: "n", bytes: [0]).type == "application/octet-stream")
    #expect(AttachedFile(path: "/a/paper.PDF", name: "n", bytes: [0]).type == "application/pdf")
  }

  private static let texts: [(bytes: [UInt8], text: String?)] = [
    ([0xC3, 0xA9], "é"), ([0xC3], nil), ([0x61, 0], nil), ([], ""), ([0xED, 0xA0, 0x80], nil), ([0xC0, 0x80], nil),
    ([0xEF, 0xBB, 0xBF, 0x61, 0x0D, 0x0A], "\u{FEFF}a\r\n"),
  ]

  @Test func `text is strict`() {
    for (bytes, text) in Self.texts { #expect(AttachedFile(path: "/a", name: "a", bytes: bytes).text == text) }
  }
}

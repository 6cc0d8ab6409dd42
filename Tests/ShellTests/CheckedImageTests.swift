import Chat
import Foundation
import Testing

/// An image is drawn for what its bytes are (docs/screen.md 8).
struct CheckedImageTests {
  static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
    number(data.count) + Array(kind.utf8) + data + [1, 2, 3, 4]
  }

  private static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

  /// A PNG as far as can be seen without unpacking it.
  static func png(_ width: Int, _ height: Int, besides: [UInt8] = [], data: [UInt8] = [7, 7]) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", number(width) + number(height) + [8, 2, 0, 0, 0]) + besides + chunk("IDAT", data)
      + chunk("IEND", [])
  }

  private static func problem(_ bytes: [UInt8]) -> CheckedImage.Problem? {
    do throws(CheckedImage.Problem) {
      _ = try CheckedImage(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a PNG keeps what the picture needs`() throws {
    let secret = Self.chunk("tEXt", Array("Comment\0who made it".utf8))
    let image = try CheckedImage(Self.png(320, 200, besides: secret) + Array("\u{1B}[2J behind its end".utf8))
    #expect((image.format, image.size) == (.png, .init(width: 320, height: 200)))
    #expect(image.bytes == Self.png(320, 200))
    #expect(try CheckedImage(base64: Data(Self.png(320, 200)).base64EncodedString()) == image)
  }

  @Test func `what is none, or more than a terminal should draw, is said`() {
    #expect(Self.problem(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) == .noImage)
    #expect(Self.problem(Array("RIFF....WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]) == .noImage)
    #expect(Self.problem(Array(Self.png(1, 1).prefix(20))) == .noImage)
    #expect(Self.problem(Self.png(0, 5)) == .noImage)
    #expect(Self.problem(Self.png(30_000, 1)) == .tooLarge)
    #expect(Self.problem(Self.png(0xFFFF_FFFF, 0xFFFF_FFFF)) == .tooLarge)
    #expect(Self.problem(Self.png(8000, 8000)) == .tooLarge)
    #expect(Self.problem(Self.png(1, 1) + Array(repeating: 0, count: CheckedImage.mostBytes)) == .tooLarge)
  }

  /// A GIF of a screen of one pixel.
  static func gif(frame width: UInt16, _ height: UInt16) -> [UInt8] {
    let size = [width, height].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    return Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 9, 9, 9]
      + [0x21, 0xF9, 4, 0, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0] + size + [0, 2, 2, 0x44, 1, 0, 0x3B]
  }

  @Test func `a GIF is as large as its largest frame`() throws {
    #expect(try CheckedImage(Self.gif(frame: 1, 1)).format == .gif)
    #expect(Self.problem(Self.gif(frame: 65535, 65535)) == .tooLarge)
    #expect(Self.problem(Self.gif(frame: 8000, 8000)) == .tooLarge)
    let whole = Self.gif(frame: 1, 1)
    for end in 13..<whole.count - 1 { #expect(Self.problem(Array(whole.prefix(end))) == .cutOff) }
  }

  @Test func `a PNG that ends anywhere before its end is cut off`() {
    let whole = Self.png(320, 200)
    for end in 24..<whole.count { #expect(Self.problem(Array(whole.prefix(end))) == .cutOff) }
    // A chunk that says it is longer than the file.
    let lying = Array(whole.prefix(33)) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8)
    #expect(Self.problem(lying) == .cutOff)
  }

  @Test(arguments: ["", "iVBO*Rw0KGgo=", "iVBORw0KGgo\n=", "\u{1B}[31m", "aGVsbG8"])
  func `base64 is read strictly`(_ text: String) {
    #expect(throws: CheckedImage.Problem.notBase64) { try CheckedImage(base64: text) }
  }
}

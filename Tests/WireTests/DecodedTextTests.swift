import Testing
import Wire

@Suite struct DecodedTextTests {
  @Test(arguments: [
    (Array("caf\u{E9}".utf8), "caf\u{E9}", false),
    ([], "", false),
    ([0xEF, 0xBB, 0xBF, 0x61], "a", false),
    ([0x63, 0x61, 0x66, 0xE9], "caf\u{FFFD}", true),
    ([0xFF, 0xFE, 0x61, 0x00, 0x0A, 0x00], "a\n", false),
    ([0xFE, 0xFF, 0x00, 0x61, 0xD8, 0x3D, 0xDE, 0x00], "a\u{1F600}", false),
    ([0xFF, 0xFE], "", false),
    // Half a pair, and half a unit.
    ([0xFF, 0xFE, 0x61, 0x00, 0x3D, 0xD8], "a\u{FFFD}", true),
    ([0xFF, 0xFE, 0x61, 0x00, 0x62], "a", true),
  ])
  func `UTF-8 and marked UTF-16 are decoded, and repairs are reported`(
    bytes: [UInt8], text: String, isRepaired: Bool
  ) throws {
    let decoded = try #require(DecodedText(bytes))
    #expect(decoded.text == text && decoded.isRepaired == isRepaired)
  }

  @Test(arguments: [
    [0x61, 0x00, 0x62], [0x68, 0x00, 0x69, 0x00],  // UTF-16 without its mark.
    [0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00],  // UTF-32.
  ])
  func `bytes with a NUL are not text`(bytes: [UInt8]) { #expect(DecodedText(bytes) == nil) }
}

/// The parts of a PNG (W3C PNG, section 5).
package enum PNGChunks {
  /// Those without which it is not the same picture.
  private static let kept: Set<String> = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]

  /// The file with those alone: texts, profiles and what follows the end are nobody's to read.
  /// - Returns: nil for what is cut off, or no PNG.
  package static func essential(_ bytes: [UInt8]) -> [UInt8]? {
    var result = Array(bytes.prefix(8))
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 12 + length
      guard end <= bytes.count else { return nil }
      let kind = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
      guard (offset == 8) == (kind == "IHDR") else { return nil }
      if kept.contains(kind) { result += bytes[offset..<end] }
      if kind == "IEND" { return result }
      offset = end
    }
    return nil
  }
}

/// The frames of a GIF, each of which says how large it is: what draws it takes room for the largest, whatever the screen
/// that it names first has (GIF89a, sections 18 and 20).
enum GIFFrames {
  /// What holds all frames and the screen; nil where the bytes end within a block, have no frame, or are none of a GIF.
  static func extent(of bytes: [UInt8]) -> ImageHeader.Size? {
    guard bytes.count >= 13 else { return nil }
    var extent = ImageHeader.Size(width: number(bytes, 6), height: number(bytes, 8))
    var offset = 13 + colours(bytes[10])
    var frames = 0
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x21: offset += 2
      case 0x2C:
        guard offset + 10 <= bytes.count else { return nil }
        extent.width = max(extent.width, number(bytes, offset + 1) + number(bytes, offset + 5))
        extent.height = max(extent.height, number(bytes, offset + 3) + number(bytes, offset + 7))
        frames += 1
        // The size of a code stands before the data.
        offset += 10 + colours(bytes[offset + 9]) + 1
      case 0x3B: return frames > 0 ? extent : nil
      default: return nil
      }
      while offset < bytes.count, bytes[offset] != 0 { offset += 1 + Int(bytes[offset]) }
      offset += 1
    }
    // Many have no end of their own.
    return frames > 0 && offset == bytes.count ? extent : nil
  }

  /// The bytes of the table of colours that flags tell of.
  private static func colours(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }
}

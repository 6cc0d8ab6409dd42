/// The characters that a terminal draws lines with, instead of small letters (DEC special graphics, VT100).
enum LineDrawing {
  private static let characters = Array(" ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·".unicodeScalars).map(\.value)

  /// - Parameter scalar: of printable ASCII.
  static func character(_ scalar: UInt32) -> UInt32 { 0x5F...0x7E ~= scalar ? characters[Int(scalar - 0x5F)] : scalar }
}

import CText

/// What the filter does with a scalar beyond ASCII.
enum ScalarKind {
  /// U+0080 to U+009F: some terminals obey them like ESC.
  case control
  /// Never seen and never needed, but able to carry or reorder a hidden message: removed everywhere, and counted.
  case hidden
  /// Takes no room and changes nothing that a reader sees.
  case invisible
  case lineBreak, joiner, directionMark, isolate, endOfIsolate, variation, privateUse, space, mark, base

  init(_ scalar: UInt32) {
    if let format = Self.format(scalar) {
      self = format
    } else if ctext_is_mark(Int32(bitPattern: scalar)) != 0 || Self.isJamoTail(scalar) {
      self = .mark
    } else {
      self = .base
    }
  }

  /// The kinds that are told by the place in the code alone.
  private static func format(_ scalar: UInt32) -> ScalarKind? {
    switch scalar {
    case 0x80...0x9F: .control
    case 0x200C, 0x200D: .joiner
    case 0xFE00...0xFE0F: .variation
    case 0x200E, 0x200F, 0x061C: .directionMark
    case 0x2066...0x2068: .isolate
    case 0x2069: .endOfIsolate
    case 0x2028, 0x2029: .lineBreak
    case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: .space
    case 0x202A...0x202E, 0x206A...0x206F, 0xFFF9...0xFFFB, 0xFDD0...0xFDEF, 0xE0000...0xE0FFF: .hidden
    case _ where scalar & 0xFFFE == 0xFFFE: .hidden
    case 0xAD, 0x034F, 0x115F, 0x1160, 0x180E, 0x200B, 0x2060...0x2065, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFF8,
      0x1BCA0...0x1BCA3, 0x1D173...0x1D17A:
      .invisible
    case 0xE000...0xF8FF, 0xF0000...0x10FFFF: .privateUse
    default: nil
    }
  }

  /// Vowels and finals of Hangul stack onto a syllable as marks do.
  private static func isJamoTail(_ scalar: UInt32) -> Bool {
    0x1161...0x11FF ~= scalar || 0xD7B0...0xD7FF ~= scalar
  }
}

extension Filter {
  /// Whether a reader of filtered text cannot see the scalar: the filter removes it, or it takes no room.
  package static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch ScalarKind(scalar.value) {
    case .hidden, .invisible, .joiner, .directionMark, .isolate, .endOfIsolate, .variation: scalar.value > 0x7F
    case .control, .lineBreak, .privateUse, .space, .mark, .base: false
    }
  }
}

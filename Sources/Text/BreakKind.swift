/// What a grapheme is to the question whether a line may end beside it (after UAX 14, much shortened).
enum BreakKind: Sendable {
  case none, letter, digit, hyphen, other
  case wide
  /// Closing marks, small kana and the like, which never begin a line.
  case wideEnd
  /// Opening marks, which never end a line.
  case wideStart

  init(_ scalar: UInt32) {
    switch scalar {
    case 0x61...0x7A, 0x41...0x5A: self = .letter
    case 0x30...0x39: self = .digit
    case 0x2D, 0x2010, 0x2013, 0x2014: self = .hyphen
    case ..<0xC0, 0xD7, 0xF7, 0x2000...0x2BFF: self = .other
    // No mark that the sets below know is among the ideographs and the syllables of Hangul.
    case ..<0x3000, 0x3100..<0xFF00: self = .letter
    case _ where Self.neverFirst.contains(scalar): self = .wideEnd
    case _ where Self.neverLast.contains(scalar): self = .wideStart
    default: self = .letter
    }
  }

  /// The kind of a grapheme whose width is known only now.
  func withWidth(_ width: Int) -> BreakKind {
    guard width == 2 else { return self }
    switch self {
    case .letter, .other, .digit: return .wide
    default: return self
    }
  }

  private var isWide: Bool { self == .wide || self == .wideEnd || self == .wideStart }

  /// Whether a line may end between the last grapheme and the next.
  static func canBreak(_ beforeLast: BreakKind, _ last: BreakKind, _ next: BreakKind) -> Bool {
    switch (last, next) {
    case (.hyphen, .letter), (.hyphen, .wide): beforeLast == .letter || beforeLast == .digit
    case (.wide, .wide), (.wide, .wideStart), (.wideEnd, .wide), (.wideEnd, .wideStart): true
    case (.wide, .letter), (.wide, .digit), (.wideEnd, .letter), (.wideEnd, .digit): true
    case (.letter, .wide), (.letter, .wideStart), (.digit, .wide), (.digit, .wideStart): true
    default: false
    }
  }

  private static let neverFirst = Set(
    "、。，．・：；？！゛゜ヽヾゝゞ々ー）〕］｝〉》」』】〙〗〟ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ　〜～".unicodeScalars.map(\.value))
  private static let neverLast = Set("（〔［｛〈《「『【〘〖〝".unicodeScalars.map(\.value))
}

import Chat

/// Secrets to look for in text, in each of their spellings.
struct SecretSet: Sendable {
  static let placeholder = "<secret>"

  enum Occurrence: Equatable {
    case whole(Range<Int>)
    /// The text ends within what may be a secret, after so many bytes of it.
    case cut(start: Int, matched: Int, secret: Secret)
  }

  let secrets: [Secret]
  /// The bytes that an occurrence may begin with.
  private var firstBytes: [Bool]

  init(_ secrets: [Secret] = []) {
    self.secrets = secrets
    firstBytes = secrets.isEmpty ? [] : [Bool](repeating: false, count: 256)
    for secret in secrets { secret.withBytes { firstBytes[Int($0[0])] = true } }
    guard !secrets.isEmpty else { return }
    for byte in #"\%&"#.utf8 { firstBytes[Int(byte)] = true }
  }

  var isEmpty: Bool { secrets.isEmpty }

  /// The first occurrence from a place on. A whole one is preferred to a longer secret that is cut.
  func next(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Occurrence? {
    guard !secrets.isEmpty else { return nil }
    return firstBytes.withUnsafeBufferPointer { firstBytes in
      for place in start..<max(start, text.count) where firstBytes[Int(text[place])] {
        if let occurrence = occurrence(in: text, at: place) { return occurrence }
      }
      return nil
    }
  }

  private func occurrence(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Occurrence? {
    var end: Int?
    var cut: Occurrence?
    var longest = -1
    for secret in secrets {
      switch secret.withBytes({ SecretSpelling(text: text, secret: $0).match(at: place) }) {
      case .none: break
      case .whole(let other): end = max(end ?? 0, other)
      case .cut(let matched) where matched > longest:
        longest = matched
        cut = .cut(start: place, matched: matched, secret: secret)
      case .cut: break
      }
    }
    return end.map { .whole(place..<$0) } ?? cut
  }

  /// Whether a part of a secret of that length gives most of it away.
  static func isTelling(_ matched: Int, of secret: Secret) -> Bool {
    matched >= 12 && 2 * matched >= secret.byteCount
  }

  /// Returns the text without its secrets, or nil when there is none in it.
  /// - Parameters:
  ///   - placeholder: written in the place of each secret.
  ///   - isCut: whether the text may end within a secret, of which most is then masked too.
  func masked(
    _ text: UnsafeBufferPointer<UInt8>, by placeholder: String = placeholder, isCut: Bool = false
  ) -> [UInt8]? {
    var masked: [UInt8] = []
    var kept = 0
    var place = 0
    while let occurrence = next(in: text, from: place) {
      switch occurrence {
      case .whole(let range):
        masked += text[kept..<range.lowerBound]
        masked += placeholder.utf8
        kept = range.upperBound
        place = kept
      case .cut(let start, let matched, let secret) where isCut && SecretSet.isTelling(matched, of: secret):
        masked += text[kept..<start]
        masked += placeholder.utf8
        kept = text.count
        place = kept
      case .cut(let start, _, _): place = start + 1
      }
    }
    return kept == 0 ? nil : masked + text[kept...]
  }

  func masked(_ text: String, isCut: Bool = false) -> String {
    guard !isEmpty else { return text }
    var text = text
    return text.withUTF8({ masked($0, isCut: isCut) }).map { String(decoding: $0, as: UTF8.self) } ?? text
  }
}

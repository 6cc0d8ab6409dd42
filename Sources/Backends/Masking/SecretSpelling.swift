/// Compares text with a secret in every spelling that programs give a text. It may be escaped, and characters that do not
/// separate its parts for a reader may stand within it; `EscapedText` names both. Whatever shows the text removes those
/// characters, which would join the secret again (docs/rules.md C6).
struct SecretSpelling {
  enum Match: Equatable {
    case none
    /// The secret ends before this place.
    case whole(end: Int)
    /// The text ends within the secret, or within an escape, after so many bytes of the secret.
    case cut(matched: Int)
  }

  /// A limit for secrets and texts that are made of backslashes.
  private static let stepLimit = 1 << 16
  /// The bytes from which on blanks and line ends within a secret are ignored: a program may have wrapped it. A shorter
  /// secret may be two words of ordinary text, as `change me`.
  private static let wrappedLength = 16

  private let text: EscapedText
  private let secret: UnsafeBufferPointer<UInt8>

  init(text: UnsafeBufferPointer<UInt8>, secret: UnsafeBufferPointer<UInt8>) {
    self.text = EscapedText(bytes: text, ignoresBlanks: secret.count >= SecretSpelling.wrappedLength)
    self.secret = secret
  }

  func match(at start: Int) -> Match {
    var place = start
    var matched = 0
    while matched < secret.count {
      guard place < text.bytes.count else { return .cut(matched: matched) }
      let byte = text.bytes[place]
      if byte == UInt8(ascii: " "), byte != secret[matched] {
        guard text.ignoresBlanks else { return .none }
        place += 1
        continue
      }
      if text.hasReadings(at: place) { return branch(from: place, matched) }
      guard byte == secret[matched] else { return .none }
      place += 1
      matched += 1
    }
    return .whole(end: place)
  }

  /// Tries the readings of each place, depth first.
  private func branch(from place: Int, _ matched: Int) -> Match {
    var open = [(place: place, matched: matched)]
    var longestCut: Int?
    var steps = 0
    while let (place, matched) = open.popLast(), steps < SecretSpelling.stepLimit {
      steps += 1
      if matched == secret.count { return .whole(end: place) }
      guard place < text.bytes.count else {
        longestCut = max(longestCut ?? 0, matched)
        continue
      }
      guard text.hasReadings(at: place) else {
        if text.bytes[place] == secret[matched] { open.append((place + 1, matched + 1)) }
        continue
      }
      let (readings, isCut) = text.readings(at: place)
      if isCut { longestCut = max(longestCut ?? 0, matched) }
      for reading in readings {
        if reading.isIgnored, matched > 0 { open.append((reading.end, matched)) }
        if secret[matched...].starts(with: reading.bytes) { open.append((reading.end, matched + reading.bytes.count)) }
      }
    }
    return longestCut.map { .cut(matched: $0) } ?? .none
  }
}

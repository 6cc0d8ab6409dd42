import Chat

/// Masks a text that comes in pieces, however a secret is cut between them.
///
/// Only the end of a piece that agrees with the beginning of a secret is held back, and only from its fourth byte on:
/// `sk-` begins every key, and ordinary text does not wait.
struct MaskedStream {
  private static let fewest = 4
  /// The most bytes of an occurrence of a secret: escapes and invisible characters take room.
  private static func limit(for secret: Secret) -> Int { 16 * (secret.byteCount + 1) }

  /// The end of the text so far that may begin a secret.
  private var tail: [UInt8] = []
  /// The bytes of `tail` that were handed out already.
  private var shown = 0
  private var isTelling = false

  /// Returns the text that may be handed out after the next piece.
  mutating func feed(_ piece: String, _ secrets: SecretSet) -> String {
    var piece = piece
    if tail.isEmpty, piece.withUTF8({ secrets.next(in: $0, from: 0) }) == nil { return piece }
    let text = tail + piece.utf8
    return text.withUnsafeBufferPointer { String(decoding: read($0, secrets), as: UTF8.self) }
  }

  private mutating func read(_ text: UnsafeBufferPointer<UInt8>, _ secrets: SecretSet) -> [UInt8] {
    var out: [UInt8] = []
    var kept = shown
    var place = 0
    func keep(upTo end: Int) {
      if end > kept { out += text[kept..<end] }
      kept = max(kept, end)
    }
    var firstShort: Int?
    func keepTail(from start: Int) {
      tail = Array(text[start...])
      shown = kept - start
    }
    (tail, shown, isTelling) = ([], 0, false)
    while let occurrence = secrets.next(in: text, from: place) {
      switch occurrence {
      case .whole(let range):
        keep(upTo: range.lowerBound)
        out += SecretSet.placeholder.utf8
        kept = max(kept, range.upperBound)
        place = range.upperBound
        firstShort = nil
      case .cut(let start, let matched, let secret):
        let isShort = matched < min(MaskedStream.fewest, secret.byteCount)
        if text.count - start > MaskedStream.limit(for: secret) {
          if isShort {
            // A long row of marks follows a letter or two that happen to begin a secret.
            place = start + 1
            continue
          }
          // Only text that hides a secret is that long.
          keep(upTo: start)
          out += SecretSet.placeholder.utf8
          return out
        }
        if isShort {
          // Another secret may start later in the text.
          firstShort = firstShort ?? start
          place = start + 1
          continue
        }
        keep(upTo: start)
        keepTail(from: firstShort ?? start)
        isTelling = SecretSet.isTelling(matched, of: secret)
        return out
      }
    }
    keep(upTo: text.count)
    if let firstShort { keepTail(from: firstShort) }
    return out
  }

  /// Whether a secret lies across the end of this text and the start of the next.
  enum Junction {
    case none
    /// The other text ends within what may be a secret, which begins at `start` of the end of this text.
    case incomplete(start: Int, revealsMost: Bool)
    /// A secret begins at `start` of the end of this text, and ends after `end` bytes of the other text.
    case secret(start: Int, end: Int)
  }

  func secretAcrossBoundary(with other: String, _ secrets: SecretSet) -> Junction {
    guard !tail.isEmpty else { return .none }
    let text = tail + other.utf8
    return text.withUnsafeBufferPointer { text in
      var junction = Junction.none
      var place = 0
      while let occurrence = secrets.next(in: text, from: place) {
        switch occurrence {
        case .whole(let range):
          guard range.lowerBound < tail.count else { return junction }
          if range.upperBound > tail.count {
            return .secret(start: range.lowerBound, end: range.upperBound - tail.count)
          }
          place = range.upperBound
        case .cut(let start, let matched, let secret):
          guard start < tail.count else { return junction }
          place = start + 1
          guard text.count - start <= MaskedStream.limit(for: secret) else { continue }
          if SecretSet.isTelling(matched, of: secret) { return .incomplete(start: start, revealsMost: true) }
          if case .none = junction { junction = .incomplete(start: start, revealsMost: false) }
        }
      }
      return junction
    }
  }

  /// Returns what is held back, with a placeholder for the secret that begins at `start` of it.
  mutating func releaseSecret(at start: Int) -> String {
    defer { (tail, shown) = ([], 0) }
    return String(decoding: tail[min(shown, start)..<start], as: UTF8.self) + SecretSet.placeholder
  }

  /// Returns what is held back, before something else is handed out. What follows may still complete a secret, of which
  /// the rest is then masked.
  mutating func release(_ secrets: SecretSet) -> String {
    guard shown < tail.count else { return "" }
    defer { shown = tail.count }
    guard isTelling else { return secrets.masked(String(decoding: tail[shown...], as: UTF8.self), isCut: true) }
    tail = []
    return SecretSet.placeholder
  }
}

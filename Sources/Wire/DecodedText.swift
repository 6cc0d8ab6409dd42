/// The text of a file or a pipe: UTF-8, or UTF-16 behind its byte-order mark, as editors and shells of Windows write it.
package struct DecodedText: Sendable, Equatable {
  /// Without the byte-order mark.
  package let text: String
  /// Set if some bytes could not be decoded: U+FFFD stands in their place.
  package let isRepaired: Bool

  /// nil for bytes that are not text: no text has a NUL.
  package init?(_ bytes: some Collection<UInt8>) {
    let marks: [(bytes: [UInt8], isBigEndian: Bool)] = [([0xFF, 0xFE], false), ([0xFE, 0xFF], true)]
    guard let mark = marks.first(where: { bytes.starts(with: $0.bytes) }) else {
      if bytes.contains(0) { return nil }
      text = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
      isRepaired = String(validating: bytes, as: UTF8.self) == nil
      return
    }
    let body = Array(bytes.dropFirst(2))
    let units = stride(from: 0, to: body.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(body[index]), UInt16(body[index + 1]))
      return mark.isBigEndian ? first << 8 | second : second << 8 | first
    }
    if units.contains(0) { return nil }
    text = String(decoding: units, as: UTF16.self)
    isRepaired = body.count % 2 == 1 || String(validating: units, as: UTF16.self) == nil
  }
}

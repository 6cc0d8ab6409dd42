/// What was typed while nobody read lines, as far as it can be told without an editor.
enum TypedAhead {
  /// Lines and pastes as text; of the keys that change a line only those that take characters away count.
  static func text(of bytes: [UInt8]) -> String {
    var decoder = KeyDecoder()
    decoder.append(bytes)
    var text = ""
    while let key = decoder.next() {
      switch key {
      case .scalar(0x0D), .scalar(0x0A), .sequence([0x1B, 0x0D]), .sequence([0x1B, 0x0A]): text.append("\n")
      case .scalar(0x7F), .scalar(0x08):
        // A line that was ended is out of its reach.
        if text.last != "\n" { text = String(text.dropLast()) }
      case .scalar(0x15): text = String(text.prefix(through: text.lastIndex(of: "\n")))
      case .scalar(let value):
        if value >= 0x20, let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
      case .paste(let bytes): text += String(pasted: bytes)
      case .sequence: break
      }
    }
    return text
  }
}

extension String {
  /// What a paste is as text: terminals send its line ends as Return.
  init(pasted bytes: [UInt8]) {
    self = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
      .replacing("\r\n", with: "\n").replacing("\r", with: "\n")
  }

  /// Up to and with a place; nothing without one.
  fileprivate func prefix(through place: Index?) -> Substring { place.map { self[...$0] } ?? "" }
}

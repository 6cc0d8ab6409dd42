/// Splits text from outside, such as files and streams. Its lines end with LF or CRLF, and it may start with a byte-order
/// mark, which Windows editors write. Neither is part of the text.
///
/// In Swift "\r\n" is one `Character`, and not equal to "\n": `split(separator: "\n")`, `firstIndex(of: "\n")` and
/// `hasSuffix("\n")` do not see it. All text from outside is split here.
extension StringProtocol where SubSequence == Substring {
  /// The lines without their ends. A line end at the end of the text begins no further line.
  package var textLines: [String] {
    var lines: [String] = []
    var rest = withoutByteOrderMark.utf8[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<end]
      lines.append(String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { lines.append(String(Substring(rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest))) }
    return lines
  }

  /// The text behind a byte-order mark.
  package var withoutByteOrderMark: Substring {
    let text = self[...]
    return text.unicodeScalars.first == "\u{FEFF}" ? Substring(text.unicodeScalars.dropFirst()) : text
  }

  package var endsInNewline: Bool { self[...].utf8.last == UInt8(ascii: "\n") }

  /// The text with a newline at its end.
  package var withFinalNewline: String { endsInNewline ? String(self) : String(self) + "\n" }

  /// The text without one line end at its end.
  package var withoutFinalNewline: Substring {
    let text = self[...]
    guard endsInNewline else { return text }
    let bytes = text.utf8.dropLast()
    return Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
  }
}

extension Collection<UInt8> {
  /// The bytes behind a byte-order mark of UTF-8.
  package var withoutByteOrderMark: SubSequence { dropFirst(startsWithByteOrderMark ? 3 : 0) }

  package var startsWithByteOrderMark: Bool { starts(with: [0xEF, 0xBB, 0xBF]) }
}

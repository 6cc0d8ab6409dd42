import CHighlight

/// The colours of a piece of code, line by line, by the rules of its language (GNU source-highlight;
/// docs/screen.md 5).
// A class around a C pointer.
final class CodeColours {
  private let code: OpaquePointer

  /// A longer line is no code that somebody reads, and its patterns would take long.
  private static let longest = 300

  /// nil for a language that is not known.
  init?(language: String) {
    guard let code = highlight_new(language) else { return nil }
    self.code = code
  }

  deinit { highlight_free(code) }

  /// The line through the filter, with a style for each of its parts.
  func line(_ line: UnsafeBufferPointer<UInt8>) -> StyledBytes {
    let parts = parts(of: line)
    var text = StyledBytes(bytes: line.count, runs: parts.count + 1)
    var start = 0
    // Patterns know bytes, and may part those of one character.
    for (end, part) in parts where end > start {
      var end = end
      while end < line.count, line[end] & 0xC0 == 0x80 { end += 1 }
      text.append(untrusted: UnsafeBufferPointer(rebasing: line[start..<end]), part.style, profile: .code)
      start = end
    }
    if start < line.count {
      text.append(untrusted: UnsafeBufferPointer(rebasing: line[start...]), .plain, profile: .code)
    }
    return text
  }

  /// Where each part ends.
  private func parts(of line: UnsafeBufferPointer<UInt8>) -> [(end: Int, part: highlight_part)] {
    guard !line.isEmpty, line.count <= Self.longest, let address = line.baseAddress else { return [] }
    var parts: [(end: Int, part: highlight_part)] = []
    parts.reserveCapacity(16)
    let isWhole = withUnsafeMutablePointer(to: &parts) { parts in
      address.withMemoryRebound(to: CChar.self, capacity: line.count) { bytes in
        highlight_line(code, bytes, line.count, parts) { parts, part, count in
          guard let parts = parts?.assumingMemoryBound(to: [(end: Int, part: highlight_part)].self) else { return }
          parts.pointee.append(((parts.pointee.last?.end ?? 0) + count, part))
        }
      }
    }
    return isWhole && parts.last?.end == line.count ? parts : []
  }
}

extension highlight_part {
  fileprivate var style: Style {
    switch self {
    case HIGHLIGHT_KEYWORD: Style(.keyword)
    case HIGHLIGHT_STRING: Style(.string)
    case HIGHLIGHT_NUMBER: Style(.number)
    case HIGHLIGHT_COMMENT: Style(.comment)
    case HIGHLIGHT_TYPE: Style(.type)
    case HIGHLIGHT_FUNCTION: Style(.function)
    default: .plain
    }
  }
}

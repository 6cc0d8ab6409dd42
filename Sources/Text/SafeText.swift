/// Text that may reach a terminal: compiled in, or through the filter. Nothing else makes one.
package struct SafeText: Sendable, Equatable {
  /// The characters, as they may be written.
  package let string: String

  init(filtered string: String) { self.string = string }
}

extension SafeText: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { string = value }

  package init(stringInterpolation: Interpolation) { string = stringInterpolation.text }

  /// Literal parts are ours; an interpolated string is not, and goes through the `inline` profile.
  package struct Interpolation: StringInterpolationProtocol {
    var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
    package mutating func appendLiteral(_ literal: String) { text += literal }
    package mutating func appendInterpolation(_ safe: SafeText) { text += safe.string }
    package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    package mutating func appendInterpolation(_ untrusted: String) { text += Filter.inline(untrusted).string }
    package mutating func appendInterpolation(_ untrusted: Substring) { appendInterpolation(String(untrusted)) }
  }
}

extension SafeText {
  package static func + (left: SafeText, right: SafeText) -> SafeText {
    SafeText(filtered: left.string + right.string)
  }

  package static func += (left: inout SafeText, right: SafeText) {
    left = SafeText(filtered: left.string + right.string)
  }

  package var isEmpty: Bool { string.isEmpty }

  /// How many cells the text takes on one line of a terminal.
  package var cells: Int { Cells.cells(in: string) }

  /// The text up to each line feed; a text without one is one line.
  package var lines: [SafeText] {
    string.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { SafeText(filtered: String($0)) }
  }

  /// The text where it fits into so many cells, else as many whole graphemes as fit before `…`.
  package func cut(to width: Int) -> SafeText {
    guard width > 0 else { return "" }
    guard cells > width else { return self }
    return SafeText(filtered: Cells.prefix(of: string, width: width - 1) + "…")
  }

  /// The text with spaces after it, or before it, up to so many cells.
  package func padded(to width: Int, onLeft: Bool = false) -> SafeText {
    let missing = width - cells
    guard missing > 0 else { return self }
    let spaces = String(repeating: " ", count: missing)
    return SafeText(filtered: onLeft ? spaces + string : string + spaces)
  }

  /// So many spaces.
  package static func spaces(_ count: Int) -> SafeText {
    SafeText(filtered: String(repeating: " ", count: max(0, count)))
  }
}

extension Sequence<SafeText> {
  package func joined(separator: SafeText = "") -> SafeText {
    SafeText(filtered: lazy.map(\.string).joined(separator: separator.string))
  }
}

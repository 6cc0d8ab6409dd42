/// Text that may reach a terminal: compiled in, or through the filter. Nothing else makes one.
package struct SafeText: Sendable, Equatable {
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
  }
}

extension SafeText {
  package static func + (left: SafeText, right: SafeText) -> SafeText {
    SafeText(filtered: left.string + right.string)
  }

  package var isEmpty: Bool { string.isEmpty }
}

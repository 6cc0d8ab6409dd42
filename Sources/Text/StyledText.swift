/// Text with meaning; the terminal decides on escape codes.
package typealias StyledText = [Span]

/// A run of text in one style.
package struct Span: Sendable, Equatable {
  package var text: SafeText
  package var style: Style

  package init(_ text: SafeText, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// What a run of text is, not how it looks.
package enum Style: Sendable, Equatable, CaseIterable {
  case plain, dim, strong, accent, good, error, warning, hint
}

extension [Span] {
  /// One run in one style.
  package static func text(_ text: SafeText, _ style: Style = .plain) -> StyledText { [Span(text, style)] }

  /// The characters alone.
  package var string: String { map(\.text.string).joined() }
}

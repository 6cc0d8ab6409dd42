/// Text with meaning; the terminal decides on escape codes.
package typealias StyledText = [Span]

/// A run of text in one style.
package struct Span: Sendable, Equatable {
  package var text: SafeText
  package var style: Style
  /// Where it leads, on a terminal that can follow links.
  package var link: LinkTarget?

  package init(_ text: SafeText, _ style: Style = .plain, link: LinkTarget? = nil) {
    self.text = text
    self.style = style
    self.link = link
  }
}

/// What a run of text is, not how it looks.
package struct Style: Sendable, Equatable {
  /// What it means; in code, what part of speech it is.
  package enum Meaning: UInt8, Sendable, Equatable, CaseIterable {
    case plain, dim, accent, good, error, warning, hint
    case code, keyword, string, number, comment, type, function
  }

  /// What is laid on it beside its meaning.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let strong = Traits(rawValue: 1)
    package static let emphasis = Traits(rawValue: 2)
    package static let struck = Traits(rawValue: 4)
    package static let underlined = Traits(rawValue: 8)
  }

  package var meaning: Meaning
  package var traits: Traits

  package init(_ meaning: Meaning, _ traits: Traits = []) {
    self.meaning = meaning
    self.traits = traits
  }

  package static let plain = Style(.plain)
  package static let dim = Style(.dim)
  package static let strong = Style(.plain, .strong)
  package static let accent = Style(.accent)
  package static let good = Style(.good)
  package static let error = Style(.error)
  package static let warning = Style(.warning)
  package static let hint = Style(.hint)
}

extension [Span] {
  /// One run in one style.
  package static func text(_ text: SafeText, _ style: Style = .plain) -> StyledText { [Span(text, style)] }

  /// The characters alone.
  package var string: String { map(\.text.string).joined() }

  /// How many cells it takes on one line.
  package var cells: Int { reduce(0) { $0 + $1.text.cells } }
}

extension [Span] {
  /// The same in pieces of at most so many characters, each counted as a Unicode scalar.
  package func pieces(of size: Int) -> [StyledText] {
    var pieces: [StyledText] = []
    var (piece, room) = (StyledText(), size)
    for span in self {
      var rest = span.text.string.unicodeScalars[...]
      while !rest.isEmpty {
        let part = rest.prefix(room)
        var cut = span
        cut.text = SafeText(filtered: String(part))
        piece.append(cut)
        (rest, room) = (rest.dropFirst(part.count), room - part.count)
        if room == 0 {
          pieces.append(piece)
          (piece, room) = ([], size)
        }
      }
    }
    return piece.isEmpty ? pieces : pieces + [piece]
  }
}

package import Wire

/// A text that the person keeps to send or to run again and again (docs/snippets.md 1).
package struct Snippet: Sendable, Equatable {
  package var name: String
  /// What is sent or run, with the places in it that are filled in then.
  package var text: String
  /// Where it goes when nobody says otherwise.
  package var kind: Kind
  package var category: String?
  /// As it was given, such as `#007AFF`.
  package var color: String?
  /// The name of a sign, or the sign itself.
  package var icon: String?
  /// Whether it can be run, and Tab offers it for that.
  package var isActive: Bool
  /// Milliseconds since 1970; nil where nobody knows.
  package var createdAt: Int?
  package var usageCount: Int
  /// More are not counted.
  static let mostUses = 1_000_000_000
  /// Milliseconds since 1970.
  package var lastUsedAt: Int?
  /// Whether it came from a file, and the person has not let it run in a shell since.
  package var isForeign: Bool
  /// What else its file says of it, such as the `id` that another program knows it by.
  package var rest: [JSON.Member]

  package enum Kind: String, Sendable, CaseIterable {
    case message
    /// A command for the person's own shell.
    case shell
  }

  package init(
    name: String, text: String, kind: Kind = .message, category: String? = nil, color: String? = nil,
    icon: String? = nil, isActive: Bool = true, createdAt: Int? = nil, usageCount: Int = 0, lastUsedAt: Int? = nil,
    isForeign: Bool = false, rest: [JSON.Member] = []
  ) {
    self.name = name
    self.text = text
    self.kind = kind
    self.category = category
    self.color = color
    self.icon = icon
    self.isActive = isActive
    self.createdAt = createdAt
    self.usageCount = usageCount
    self.lastUsedAt = lastUsedAt
    self.isForeign = isForeign
    self.rest = rest
  }

  /// Whether another one is the same but for how often, since when and whether it was ever run.
  package func isSame(as other: Snippet) -> Bool {
    var (one, two) = (self, other)
    (one.createdAt, one.usageCount, one.lastUsedAt, one.isForeign) = (nil, 0, nil, false)
    (two.createdAt, two.usageCount, two.lastUsedAt, two.isForeign) = (nil, 0, nil, false)
    return one == two
  }
}

/// A group of snippets that has a colour of its own.
package struct SnippetCategory: Sendable, Equatable {
  package var name: String
  package var color: String?
  /// What else its file says of it.
  package var rest: [JSON.Member]

  package init(name: String, color: String? = nil, rest: [JSON.Member] = []) {
    self.name = name
    self.color = color
    self.rest = rest
  }
}

/// What a snippet can be called, so that it can be typed, and seen for what it is.
package enum SnippetName {
  /// In characters.
  package static let longest = 80

  package static func isGood(_ name: String) -> Bool {
    guard let first = name.first, let last = name.last, first != "-" else { return false }
    return !first.isWhitespace && !last.isWhitespace && name.count <= longest
      && name.unicodeScalars.allSatisfy { !isHidden($0) }
  }

  /// The nearest good name to one that somebody else chose.
  static func mended(_ name: String) -> String {
    guard !isGood(name) else { return name }
    let seen = String(String.UnicodeScalarView(name.unicodeScalars.map { isHidden($0) ? " " : $0 }))
    let words = seen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let cut = words.drop { $0 == "-" || $0 == " " }.prefix(longest)
    return cut.isEmpty ? "snippet" : String(cut.reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Ends of lines, controls, and what hides or reorders; joiners make one sign of several.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
    case .format: scalar.value != 0x200C && scalar.value != 0x200D
    default: false
    }
  }
}

import Store

/// What the flags of a command say of a snippet; `none` takes a thing away.
struct SnippetChange: Sendable, Equatable {
  private var kind: Snippet.Kind?
  private var category: String?
  private var color: String?
  private var icon: String?

  /// nil leaves what is there.
  init(kind: String? = nil, category: String? = nil, color: String? = nil, icon: String? = nil) throws(ShellError) {
    if let kind {
      guard let known = Snippet.Kind(rawValue: kind) else { throw .badSnippet(.kind(kind)) }
      self.kind = known
    }
    if let color, !SnippetChange.isColor(color) { throw .badSnippet(.color(color)) }
    self.category = category
    self.color = color
    self.icon = icon
  }

  var isNothing: Bool { kind == nil && category == nil && color == nil && icon == nil }

  func apply(to snippet: inout Snippet) {
    if let kind {
      snippet.kind = kind
      // A kind that this version does not know is another one from now on.
      snippet.rest.removeAll { $0.key == "kind" }
    }
    if let category { snippet.category = SnippetChange.value(category) }
    if let color { snippet.color = SnippetChange.value(color) }
    if let icon { snippet.icon = SnippetChange.value(icon) }
  }

  private static func value(_ word: String) -> String? { word == "none" ? nil : word }

  /// `#` and three to eight hexadecimal digits, or a word.
  private static func isColor(_ word: String) -> Bool {
    guard word.hasPrefix("#") else { return !word.isEmpty && word.allSatisfy { $0.isASCII && $0.isLetter } }
    return [3, 4, 6, 8].contains(word.count - 1) && word.dropFirst().allSatisfy(\.isHexDigit)
  }
}

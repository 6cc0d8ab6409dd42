import Wire

/// Replaces the marks in a ChatGPT answer that only its own page can draw (docs/export.md 5).
///
/// A mark is `U+E200 kind U+E202 data U+E201`. `metadata.content_references` lists most of them with the text to show
/// instead. U+E203 to U+E206 delimit the words that a citation supports.
enum ChatGPTReferences {
  private static let opening: Unicode.Scalar = "\u{E200}"
  private static let closing: Unicode.Scalar = "\u{E201}"
  private static let separator: Unicode.Scalar = "\u{E202}"

  /// Returns the text with each mark replaced by its link or name, or removed where it has neither.
  static func resolved(in text: String, _ metadata: JSON) -> String {
    guard text.unicodeScalars.contains(where: isMark) else { return text }
    let replacements = replacements(metadata)
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      // A mark ends on its line; one without an end must not reach to the end of another.
      if scalar == opening,
        let end = rest.dropFirst().firstIndex(where: { $0 == closing || $0 == opening || $0 == "\n" }),
        rest[end] == closing
      {
        let mark = rest[...end]
        result.append(contentsOf: (replacements[String(mark)] ?? name(in: mark)).unicodeScalars)
        rest = rest[end...].dropFirst()
      } else {
        if !isMark(scalar) { result.append(scalar) }
        rest.removeFirst()
      }
    }
    return String(result)
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool { (0xE200...0xE206).contains(scalar.value) }

  /// The text to show for each mark.
  private static func replacements(_ metadata: JSON) -> [String: String] {
    var found: [String: String] = [:]
    for reference in metadata["content_references"]?.array ?? [] {
      guard let mark = reference["matched_text"]?.string, mark.unicodeScalars.first == opening else { continue }
      let alternative = reference["alt"]?.string ?? ""
      let links = (reference["items"]?.array ?? []).compactMap(link)
      if !alternative.isEmpty {
        found[mark] = alternative
      } else if !links.isEmpty {
        found[mark] = "(" + links.joined(separator: ", ") + ")"
      } else if let name = reference["name"]?.string {
        found[mark] = name
      }
    }
    return found
  }

  private static func link(_ item: JSON) -> String? {
    guard let url = item["url"]?.string, !url.isEmpty else { return nil }
    return "[\(item["title"]?.string ?? url)](\(url))"
  }

  /// The name in an entity's mark, `entity U+E202 ["kind", "name", …]`, or the words of a link's, `url U+E202 words`.
  private static func name(in mark: Substring.UnicodeScalarView) -> String {
    let parts = mark.dropFirst().dropLast().split(separator: separator).map { String($0) }
    guard parts.count > 1 else { return "" }
    switch parts[0] {
    case "entity": return (try? JSON(parsing: Array(parts[1].utf8)))?[1]?.string ?? ""  // not JSON: it has no name
    case "url": return parts[1]
    default: return ""
    }
  }
}

/// Plain text of what a site wrote in HTML.
enum HTMLText {
  private static let breaks: Set<String> = [
    "br", "p", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote",
  ]

  private static let limit = 64 << 10

  /// Without tags, comments, scripts and styles; a line for each block, at most one empty line between two.
  ///
  /// What is longer than anybody reads is cut: its size is the server's to choose, the time it takes is not.
  static func plain(_ page: String) -> String {
    let html = page.utf8.count <= limit ? page : String(page.prefix(limit)) + "…"
    // Without any tag it is no HTML, and its lines are lines.
    guard html.contains("<") else { return tidy(HTMLPage.resolvingEntities(of: html)) }
    var text = ""
    var rest = html.replacing(/\s+/, with: " ")[...]
    while let open = rest.firstIndex(of: "<") {
      text += rest[..<open]
      rest = rest[open...]
      let begins = !rest.hasPrefix("</")
      guard let name = tag(rest) else {
        text.append(rest.removeFirst())
        continue
      }
      let end =
        name == "!--" ? rest.firstRange(of: "-->")?.upperBound : rest.firstIndex(of: ">").map(rest.index(after:))
      rest = rest[(end ?? rest.endIndex)...]
      if begins, name == "script" || name == "style" {
        rest = rest[(rest.firstRange(of: /<\/(script|style)/.ignoresCase())?.lowerBound ?? rest.endIndex)...]
      }
      if breaks.contains(name) { text += "\n" }
    }
    return tidy(HTMLPage.resolvingEntities(of: text + rest))
  }

  /// The name of the tag that begins here, in lower case; nil for a `<` that begins none.
  private static func tag(_ text: Substring) -> String? {
    let inside = text.dropFirst()
    if inside.hasPrefix("!--") { return "!--" }
    let name = inside.drop { $0 == "/" || $0 == "!" || $0 == "?" }.prefix { $0.isLetter || $0.isNumber }
    return name.isEmpty ? nil : name.lowercased()
  }

  private static func tidy(_ text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    var kept: [String] = []
    for line in lines where !line.isEmpty || kept.last?.isEmpty == false { kept.append(line) }
    if kept.last?.isEmpty == true { kept.removeLast() }
    return kept.joined(separator: "\n")
  }
}

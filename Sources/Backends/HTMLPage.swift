/// An HTML page that came where an API's answer was expected: only its title is worth telling.
struct HTMLPage: Equatable {
  /// Empty when the page has none.
  let title: String

  /// nil when the bytes do not start like a page.
  init?(_ bytes: [UInt8]) {
    let page = bytes.prefix(64 << 10).drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
    let lowered = page.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    let starts = ["<!doctype html", "<html", "<head", "<title", "<body", "<!--"]
    guard starts.contains(where: { lowered.starts(with: $0.utf8) }) else { return nil }
    title = HTMLPage.title(of: Array(page), lowered: lowered)
  }

  var description: String { title.isEmpty ? "HTML page" : "HTML page \"\(title)\"" }

  private static func title(of page: [UInt8], lowered: [UInt8]) -> String {
    guard let open = lowered.firstRange(of: "<title".utf8),
      let start = lowered[open.upperBound...].firstIndex(of: UInt8(ascii: ">"))
    else { return "" }
    let raw = page[(start + 1)...].prefix { $0 != UInt8(ascii: "<") }
    let words = String(decoding: raw, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return String(resolvingEntities(of: words).prefix(100))
  }

  static func resolvingEntities(of text: String) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}

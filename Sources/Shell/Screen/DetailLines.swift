import Text

/// Names and what belongs to them, a line or more for each that is not empty.
enum DetailLines {
  static func text(_ rows: [(name: SafeText, value: SafeText)], columns: Int?) -> StyledText {
    let rows = rows.filter { !$0.value.isEmpty }
    let label = (rows.map(\.name.cells).max() ?? 0) + 2
    return rows.flatMap { row -> StyledText in
      var value = row.value
      if let columns {
        var wrapper = Wrapper(columns: columns, indent: label, column: label)
        value = wrapper.feed(row.value)
        value += wrapper.finish()
      }
      return .text(row.name.padded(to: label), .dim) + .text(value + "\n")
    }
  }

  /// Text of a server's, on lines of its own.
  static func block(_ untrusted: String, columns: Int?) -> SafeText {
    let safe = Filter.block(untrusted.trimmed)
    guard let columns else { return safe + "\n" }
    var wrapper = Wrapper(columns: columns)
    let body = wrapper.feed(safe)
    return body + wrapper.finish() + "\n"
  }
}

package import Text
package import Wire

/// Rows that a listing command found: a table on a terminal, tab-separated in a pipe, objects with `--json`.
package struct Listing: Sendable {
  /// The columns that people see, in order.
  package var columns: [Column]
  /// One object a row, in order.
  package var rows: [JSON]
  /// Said on a terminal instead of an empty table.
  package var whenEmpty: SafeText
  /// Whether the last column must be seen whole, on as many lines as it takes.
  package var wrapsLast = false

  package struct Column: Sendable {
    package var title: SafeText
    package var cell: @Sendable (JSON) -> SafeText

    package init(_ title: SafeText, _ cell: @escaping @Sendable (JSON) -> SafeText) {
      self.title = title
      self.cell = cell
    }

    /// A column that shows one field as it is.
    package init(_ title: SafeText, _ key: String) {
      self.init(title) { row in
        switch row[key] {
        case .some(.string(let text)): "\(text)"
        case .some(.bool(let flag)): flag ? "yes" : ""
        case .some(let value): value == .null ? "" : "\(value.serialized())"
        case nil: ""
        }
      }
    }
  }
}

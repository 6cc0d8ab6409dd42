package import Text

/// A page of help that is not a command or a setting: for `/help NAME`, and a section of the man page.
package struct Topic: Sendable {
  package var name: String
  package var summary: String
  /// What to type, shown first.
  package var example: String
  package var rows: [Row]
  /// Paragraphs that follow the rows.
  package var notes: [String]

  /// A word and what it means.
  package struct Row: Sendable {
    package var term: String
    package var text: String

    init(_ term: String, _ text: String) {
      self.term = term
      self.text = text
    }
  }

  init(_ name: String, _ summary: String, example: String, rows: [Row], notes: [String] = []) {
    self.name = name
    self.summary = summary
    self.example = example
    self.rows = rows
    self.notes = notes
  }

  /// The page, within 78 columns.
  package var body: SafeText {
    var lines = ["Example", "    " + example, ""]
    // A longer term stands on a line of its own.
    let column = (rows.map(\.term.count).filter { $0 <= 42 }.max() ?? 0) + 2
    for row in rows {
      var term = row.term
      if term.count > column - 2 {
        lines.append(term)
        term = ""
      }
      for line in Topic.wrapped(row.text, 78 - column) {
        lines.append(Help.padded(term, column) + line)
        term = ""
      }
    }
    for note in notes { lines += [""] + Topic.wrapped(note, 78) }
    return Filter.block(lines.joined(separator: "\n"))
  }

  /// Lines of at most so many characters, broken at spaces.
  package static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

import Store
package import Text

/// Where help speaks of something that has no page.
extension Help {
  /// The lines in which each of these begins a word, and the pages that have them elsewhere; nil where there is neither.
  /// - Parameter meant: what goes by another name here.
  package func mentions(of words: [String], meant: String?) -> StyledText? {
    // What is looked for as several may stand as one.
    let sought = words.flatMap(\.words).map { $0.count > 3 && $0.last == "s" ? String($0.dropLast()) : $0 }
    guard !sought.isEmpty else { return nil }
    let parts = parts
    let likely = meant.map { [Line(term: $0, about: "is likely what you look for")] } ?? []
    let lines = likely + parts.flatMap { $0.lines(with: sought) }
    let pages = parts.filter { $0.hasElsewhere(sought) }.map { "/help " + $0.name }
    var text: StyledText = lines.flatMap(\.text)
    if !pages.isEmpty {
      let list = Topic.wrapped((lines.isEmpty ? "See " : "See also ") + pages.joined(separator: ", "), 78)
      text += .text(Filter.block((lines.isEmpty ? "" : "\n") + list.joined(separator: "\n  ")) + "\n")
    }
    return text.isEmpty ? nil : text
  }

  /// A line of help: what to type or press, and what that does.
  private struct Line {
    let term: String
    let about: String

    /// Within 80 columns; what a long term leaves no room for stands below it.
    var text: StyledText {
      let column = 31
      let margin = "\n" + String(repeating: " ", count: column)
      let head = Help.padded(term, column - 1) + " "
      if head.count > column, head.count + about.count <= 80 { return styled(head, about) }
      let rest = Topic.wrapped(about, 80 - column).joined(separator: margin)
      return head.count > column ? styled(term, margin + rest) : styled(head, rest)
    }

    private func styled(_ head: String, _ rest: String) -> StyledText {
      .text("\(Filter.inline(head))") + .text("\(Filter.block(rest))\n", .dim)
    }
  }

  /// What a page has.
  private struct Part {
    /// The page's.
    let name: String
    let lines: [Line]
    /// What it says besides.
    let more: String

    func lines(with sought: [String]) -> [Line] {
      lines.filter { sought.areIn("\($0.term) \($0.about)") }
    }

    func hasElsewhere(_ sought: [String]) -> Bool { lines(with: sought).isEmpty && sought.areIn(more) }
  }

  private var parts: [Part] {
    let ofCommands = commands.map { command in
      Part(
        name: command.name,
        lines: command.forms.map { form in
          Line(
            term: "/\(command.name)\(form.usage.isEmpty ? "" : " \(form.usage)")",
            about: form.summary.isEmpty ? command.summary : form.summary)
        },
        more: ([command.summary, command.details] + command.aliases
          + command.flags.flatMap { [$0.usage, $0.summary] }).joined(separator: " "))
    }
    let ofSettings = Setting.all.map { setting in
      Part(
        name: setting.key, lines: [Line(term: "/settings \(setting.key)", about: setting.summary)],
        more: setting.details)
    }
    let ofTopics = Topics.all.map { topic in
      Part(
        name: topic.name,
        // A command stands there already.
        lines: topic.rows.filter { !$0.term.hasPrefix("/") }.map {
          Line(term: $0.term, about: "\($0.text) (/help \(topic.name))")
        },
        more: ([topic.summary] + topic.notes).joined(separator: " "))
    }
    return ofCommands + ofSettings + ofTopics
  }
}

extension String {
  /// Its letters and digits, in small letters.
  fileprivate var words: [String] { lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init) }
}

extension [String] {
  /// Whether each of these begins a word of the text; a short one is one.
  fileprivate func areIn(_ text: String) -> Bool {
    let words = text.words
    return allSatisfy { sought in words.contains { sought.count < 3 ? $0 == sought : $0.hasPrefix(sought) } }
  }
}

import Shell

/// What `parley --help` prints: examples first, within 80 columns.
package enum CommandLineHelp {
  /// Ways to call it, and what each does.
  package static let forms: [(usage: String, summary: String)] = [
    ("parley [OPTION...]", "a shell, on a terminal"),
    ("parley [OPTION...] WORD...", "one message; the answer on standard output"),
    ("parley [OPTION...] /COMMAND WORD...", "one slash command"),
    ("... | parley [OPTION...] [WORD...]", "standard input is the message, or follows the words"),
    ("parley -c LINE... | -f FILE", "lines as if typed"),
  ]

  package static let examples = [
    "parley",
    "parley /connect localhost:8080",
    "parley \"What is the capital of France?\"",
    "git diff | parley \"Review this change.\"",
    "parley --json -t 0 \"2+2?\"",
  ]

  package static var text: String {
    var lines = ["parley: \(Options.summary)", "", "Examples"]
    lines += examples.map { "    \($0)" }
    lines += ["", "Usage"]
    for form in forms { lines += ["  \(form.usage)", "      \(form.summary)"] }
    for group in OptionRow.groups {
      lines += ["", group.title]
      for option in OptionRow.group(group.keys) { lines += row(option) }
    }
    return (lines + ["", "More: parley /help, parley /help exit-codes, man parley"]).joined(separator: "\n")
  }

  private static func row(_ option: OptionRow) -> [String] {
    let column = 30
    let usage = "  \(option.usage)"
    return Topic.wrapped(option.summary, 80 - column).enumerated().map { index, text in
      let left = index == 0 ? usage : ""
      return left + String(repeating: " ", count: max(1, column - left.count)) + text
    }
  }
}

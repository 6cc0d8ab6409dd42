import Chat
import Store
import Text
import Wire

extension Commands {
  /// An answer as the model wrote it, Markdown and all; on a terminal with what hides in it made visible.
  static let raw = Command(
    "raw", .chat, summary: "print an answer as the model wrote it", forms: [Form(.optional(.part))],
    examples: ["/raw", "/raw #2", "/raw #2.code1"],
    details: """
      On a terminal, characters that serve only to hide or reorder text are shown by their number, such as <U+202E>.
      """
  ) { shell, match throws(ShellError) in
    let part = match.values.isEmpty ? AnswerPart() : try AnswerPart(match[0])
    let named = try await shell.talk.named(part, command: "raw", shell.desk)
    if match.asJSON || shell.desk.options.output != .text {
      shell.desk.show(["turn": .int(named.turn), "text": .string(named.text)] as JSON)
    } else {
      try await show(asWritten: named.text, shell.desk)
    }
    return .prompt
  }

  /// Prints a text to be looked at or handed on as it is, with a newline at its end. Throws `interrupted`.
  static func show(asWritten text: String, _ desk: Desk) async throws(ShellError) {
    let end: SafeText = text.endsInNewline ? "" : "\n"
    guard desk.world.terminal.traits.outputIsTerminal else { return desk.show(.text(Filter.source(text) + end)) }
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    let some = 100
    try await desk.show(
      long: LongText {
        stride(from: 0, to: lines.count, by: some).lazy.map { start in
          let part = lines[start..<min(start + some, lines.count)]
          return .text(part.map(visible).joined(separator: "\n") + (part.endIndex < lines.count ? "\n" : end))
        }
      })
  }

  /// A line with nothing taken out of it.
  private static func visible(_ line: Substring) -> SafeText {
    Filter.command(String(line).replacing("\t", with: "        "))
  }
}

import Chat
import Store
import Text
import Wire

extension Commands {
  /// An answer as the model wrote it, Markdown and all; on a terminal with what hides in it made visible.
  static let raw = Command(
    "raw", .chat, summary: "print an answer as the model wrote it", forms: [Form(.optional(.handle))],
    examples: ["/raw", "/raw #2"],
    details: """
      On a terminal, characters that serve only to hide or reorder text are shown by their number, such as <U+202E>.
      """
  ) { shell, match throws(ShellError) in
    let (session, path) =
      shell.talk.conversation.path.isEmpty
      ? try await shell.talk.session(called: nil, shell.desk)
      : (shell.talk.conversation.session, shell.talk.conversation.path)
    let place = Conversation(session, path: path)
    let turn: Turn?
    if let handle = match.values.first {
      turn = try await shell.talk.turn(handle, in: place, command: "raw", shell.desk)
    } else {
      turn = path.last { !($0.answer?.text ?? "").isEmpty }
    }
    guard let turn, let text = turn.answer?.text, !text.isEmpty else { throw .noAnswer(.nothingToShow) }
    if match.asJSON || shell.desk.options.output != .text {
      shell.desk.show(["turn": .int(turn.number), "text": .string(text)] as JSON)
    } else {
      shell.desk.show(.text(asWritten(text, shell.desk)))
    }
    return .prompt
  }

  /// A text to be looked at or handed on as it is, with a newline at its end.
  static func asWritten(_ text: String, _ desk: Desk) -> SafeText {
    let isSeen = desk.world.terminal.traits.outputIsTerminal
    return (isSeen ? visible(text) : Filter.source(text)) + (text.last == "\n" ? "" : "\n")
  }

  /// Every line with nothing taken out of it.
  private static func visible(_ text: String) -> SafeText {
    text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .map { Filter.command(String($0).replacing("\t", with: "        ")) }
      .joined(separator: "\n")
  }
}

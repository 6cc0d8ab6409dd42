import Chat
import Text

extension Commands {
  static let attaching = [attach, detach]

  private static let attach = Command(
    "attach", .chat, summary: "files for the next message",
    forms: [
      Form(summary: "list what goes with the next message") { shell, match throws(ShellError) in
        try await shell.desk.show(shell.talk.attached(shell.desk), asJSON: match.asJSON)
      },
      Form(.required(.files), summary: "join these to the next message") { shell, match throws(ShellError) in
        // Nothing follows that it could go with.
        if shell.desk.isOneCommand {
          throw .doesNothingAlone(command: "attach", hint: "parley --attach FILE and a message")
        }
        try shell.talk.attach(match.values, says: true, shell.links, shell.desk)
      },
    ], examples: ["/attach notes.txt", "/attach 'my cat.png' ~/src/main.c"],
    details: """
      Texts in UTF-8 stand in the message, pictures (PNG, JPEG, GIF, WebP) beside it, if the model takes them. Each is \
      read when the message is sent. In a message @FILE does the same, @'my file.txt' where a name has blanks.
      """)

  private static let detach = Command(
    "detach", .chat, summary: "take files off the next message",
    forms: [
      Form(summary: "take off all, and what !! brought"),
      Form(.required(.attached), summary: "take these off"),
    ], examples: ["/detach", "/detach notes.txt"]
  ) { shell, match throws(ShellError) in
    if shell.desk.isOneCommand {
      throw .doesNothingAlone(command: "detach", hint: "parley --attach FILE and a message")
    }
    try shell.talk.detach(match.values, shell.desk)
    return .prompt
  }
}

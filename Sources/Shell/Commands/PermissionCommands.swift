import Text

extension Commands {
  static let permissions = [permissionsCommand]

  private static let permissionsCommand = Command(
    "permissions", .models, summary: "the tools that run without asking",
    forms: [
      Form(summary: "list what you allowed, and for how long") { shell, match throws(ShellError) in
        try await shell.toolbox.listPermissions(
          in: shell.talk.conversation.session.id, asJSON: match.asJSON, shell.desk)
      },
      Form(.word("revoke"), .required(.tool), summary: "ask again for a tool or a server") {
        shell, match throws(ShellError) in
        try shell.toolbox.revoke(match[0], in: shell.talk.conversation.session.id, shell.desk)
      },
      Form(.word("revoke"), .word("all"), summary: "ask again for every tool") { shell, _ throws(ShellError) in
        try shell.toolbox.revoke("all", in: shell.talk.conversation.session.id, shell.desk)
      },
    ], examples: ["/permissions", "/permissions revoke web_search", "/permissions revoke all"],
    details: """
      A tool is allowed for good by the answer 'always' to the question before it runs. It is asked about again when it \
      describes itself differently, or when its server is at another address. What was allowed for a session is taken \
      back too.
      """)
}

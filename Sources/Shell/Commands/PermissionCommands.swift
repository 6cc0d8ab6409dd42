import Text

extension Commands {
  static let permissions = [permissionsCommand]

  private static let permissionsCommand = Command(
    "permissions", .models, summary: "the tools that run without asking",
    forms: [
      Form(summary: "list what you allowed, and for how long"),
      Form(.word("revoke"), .required(.tool), summary: "ask again for a tool or a server"),
      Form(.word("revoke"), .word("all"), summary: "ask again for every tool"),
    ], examples: ["/permissions", "/permissions revoke web_search", "/permissions revoke all"],
    details: """
      A tool is allowed for good by the answer 'always' to the question before it runs. It is asked about again when it \
      describes itself differently, or when its server is at another address. What was allowed for a session is taken \
      back too.
      """
  ) { shell, arguments throws(ShellError) in
    var arguments = arguments
    let asJSON = arguments.takeJSONFlag()
    switch (arguments.words.first, arguments.words.count) {
    case (nil, _): shell.toolbox.listPermissions(in: shell.talk.conversation.session.id, asJSON: asJSON, shell.desk)
    case ("revoke", 2): try shell.toolbox.revoke(arguments.words[1], in: shell.talk.conversation.session.id, shell.desk)
    case ("revoke", 1): throw .missing(.tool, command: "permissions revoke")
    case (.some(let word), _): throw .unexpected(word, command: "permissions")
    }
    return .prompt
  }
}

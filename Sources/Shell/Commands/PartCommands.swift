import Text

/// Answers, and code in them, out of the shell: onto the clipboard, to a file, to a program.
extension Commands {
  static let parts = [copy, save, pipe]

  private static let handles = """
    #3 is an answer, #-1 the last, #3.code1 its first block of code, #3.code the last one in it.
    """

  private static let copy = Command(
    "copy", .chat, summary: "put an answer on the clipboard",
    forms: [
      Form(.optional(.part)) { shell, match throws(ShellError) in
        try await shell.copy(match.values.isEmpty ? AnswerPart() : AnswerPart(match[0]))
      },
      Form(.word("code"), .optional(.number), summary: "code of the last answer") {
        shell, match throws(ShellError) in
        try await shell.copy(AnswerPart(code: AnswerPart.code(match.values.first, in: match.text)))
      },
    ],
    examples: ["/copy", "/copy code", "/copy #3.code1"],
    details: """
      The Markdown as the model wrote it, or code: the last block where none is numbered; without newlines at its end. \
      \(handles) On this machine wl-copy, xclip \
      or xsel is used, within tmux its paste buffer, and elsewhere, over ssh too, the terminal is asked (OSC 52), of \
      which some take no more than 74 KB and some nothing; /settings clipboard names another program.
      """)

  private static let save = Command(
    "save", .chat, summary: "write an answer to a file",
    forms: [
      Form(.required(.file), .optional(.part)) { shell, match throws(ShellError) in
        let part = match.values.count > 1 ? try AnswerPart(match[1]) : AnswerPart()
        try await save(part, to: match[0], &shell)
      },
      Form(.required(.file), .word("code"), .optional(.number), summary: "code of the last answer") {
        shell, match throws(ShellError) in
        let number = match.values.count > 1 ? match[1] : nil
        try await save(AnswerPart(code: AnswerPart.code(number, in: match.text)), to: match[0], &shell)
      },
    ],
    examples: ["/save answer.md", "/save prime.py code", "/save prime.py #3.code1"],
    details: "A file that is there is never written over. \(handles)")

  private static let pipe = Command(
    "pipe", .chat, summary: "give an answer to a program",
    forms: [
      Form(.required(.commandLine), summary: "the last answer") { shell, match throws(ShellError) in
        try await pipe(AnswerPart(), into: match.prose, &shell)
      },
      Form(.required(.part), .required(.commandLine), summary: "another, or code") { shell, match throws(ShellError) in
        try await pipe(AnswerPart(match[0]), into: match.prose(from: 1), &shell)
      },
    ],
    examples: ["/pipe wc -w", "/pipe #3.code1 python3", "/pipe #-1 pandoc -o answer.pdf"],
    details: "The command is run by your shell, with the text as its standard input. \(handles)")

  private static func save(_ part: AnswerPart, to path: String, _ shell: inout Shell) async throws(ShellError) {
    // A handle alone is no name that anybody wants.
    guard !path.trimmed.isEmpty, path.wholeMatch(of: /#-?\d+(\.code\d*)?/) == nil else {
      throw .missing(.file, command: "save", forms: [])
    }
    let named = try await shell.talk.named(part, command: "save", shell.desk)
    do throws(FileProblem) {
      let file = try shell.desk.world.makeFile(path)
      do throws(FileProblem) {
        try file.write(Array(named.text.asLines.utf8))
        try file.keep()
      } catch {
        file.discard()
        throw error
      }
    } catch {
      throw .file(error)
    }
    shell.desk.say("\(named.name) is in \(path) (\(named.extent))")
  }

  private static func pipe(_ part: AnswerPart, into command: String, _ shell: inout Shell) async throws(ShellError) {
    let named = try await shell.talk.named(part, command: "pipe", shell.desk)
    // What the program shows is not filtered, and may be what it was given.
    let isSeen = shell.desk.world.terminal.traits.outputIsTerminal
    let text = isSeen ? Filter.source(named.text.asLines).string : named.text.asLines
    try await shell.desk.run([shell.desk.usersShell, "-c", command], called: command, giving: text)
  }
}

import Store
import Text

extension Commands {
  static let snippets = [snippetsCommand]

  private static let snippetsCommand = Command(
    "snippets", .chat, summary: "texts and commands that you use often",
    forms: [
      Form(flags: [category], summary: "list yours, in your order") { shell, match throws(ShellError) in
        try await shell.snippets.list(in: match.value(of: category), asJSON: match.asJSON, &shell.desk)
      },
      Form(.word("show"), .required(.snippet), summary: "all of one") { shell, match throws(ShellError) in
        try await shell.snippets.show(match[0], asJSON: match.asJSON, &shell.desk)
      },
      Form(
        .word("run"), .required(.snippet), .optional(.place), .optional(.placeValues),
        next: { shell, match throws(ShellError) in
          try await shell.runSnippet(match[0], Array(match.values.dropFirst()))
        }, summary: "send it, or run it"),
      Form(
        .word("add"), .required(.newName), .optional(.text), flags: ofOne, summary: "keep a text or command"
      ) { shell, match throws(ShellError) in
        try await shell.snippets.add(match[0], match.prose(from: 2), try change(match), &shell.desk)
      },
      Form(
        .word("add"), .required(.newName), .word("--"), .required(.program), flags: ofOne,
        summary: "one with flags in it"
      ) { shell, match throws(ShellError) in
        try await shell.snippets.add(match[0], text(match, from: 3), try change(match), &shell.desk)
      },
      Form(.word("edit"), .required(.snippet), .optional(.text), flags: ofOne, summary: "change text or flags") {
        shell, match throws(ShellError) in
        let isBehindDashes = match.values.dropFirst().first == "--"
        try await shell.snippets.edit(
          match[0], isBehindDashes ? text(match, from: 3) : match.prose(from: 2), try change(match), &shell.desk)
      },
      Form(.word("rename"), .required(.snippet), .required(.newName), summary: "call it something else") {
        shell, match throws(ShellError) in
        try shell.snippets.rename(match[0], to: match[1], &shell.desk)
      },
      Form(.word("move"), .required(.snippet), .required(.number), summary: "give it that place") {
        shell, match throws(ShellError) in
        guard let place = Int(match[1]) else { throw .badNumber(match[1], command: "snippets") }
        try shell.snippets.move(match[0], to: place, &shell.desk)
      },
      Form(.choice(["on", "off"]), .required(.snippet), summary: "let one run, or no longer") {
        shell, match throws(ShellError) in
        try shell.snippets.switchOn(match[1], match[0] == "on", &shell.desk)
      },
      Form(.word("remove"), .required(.snippet), summary: "forget one") { shell, match throws(ShellError) in
        try await shell.snippets.remove(match[0], &shell.desk)
      },
      Form(.word("search"), .required(.words), flags: [category], summary: "list those with these words") {
        shell, match throws(ShellError) in
        try await shell.snippets.list(
          in: match.value(of: category), with: match.values, asJSON: match.asJSON, &shell.desk)
      },
      Form(.word("export"), .optional(.file), flags: [category, dates], summary: "all as JSON, to a new file") {
        shell, match throws(ShellError) in
        try shell.snippets.handOut(
          match.values.first, in: match.value(of: category), try dateForm(match), &shell.desk)
      },
      Form(.word("import"), .required(.file), flags: [replace, rename, dates], summary: "take over those of a file") {
        shell, match throws(ShellError) in
        try match.requireAtMostOne(of: [replace, rename], in: "snippets import")
        let clash: Snippets.Clash =
          match.value(of: replace) != nil ? .replace : match.value(of: rename) != nil ? .rename : .skip
        try await shell.snippets.takeOver(match[0], try dateForm(match), onClash: clash, &shell.desk)
      },
    ],
    flags: [kind, category, color, icon, replace, rename, dates],
    examples: [
      "/snippets add review 'Review ${file:main.swift} for bugs'", "/snippets run review file=Loop.swift",
      "/snippets add --kind shell log -- git log --oneline -n ${count:10}", "/snippets run log count=3",
      "/snippets import commands.json", "parley /snippets --json",
    ],
    details: """
      ${name} in a text is asked for when it runs, or given as name=value; ${name:default} has a default, and $${ is \
      a plain ${. A snippet is sent as a message, or runs in your shell where it is of that kind or you say so behind \
      its name, or in a terminal that you name there as @TERMINAL; there each value is one word, whatever is in it. Flags of these commands are taken wherever they stand: \
      behind -- nothing is a flag. none takes a category, a colour or an icon away. import reads what export writes, \
      and lists of commands or shortcuts, and groups of them, that other programs write; it changes none of yours but \
      with --replace, and a command of a file asks before it first runs. --dates reads or writes the list of other \
      programs, with dates as iso8601, iso8601-ms, seconds, milliseconds or swift (since 2001); without it, reading \
      finds out.
      """)

  private static func change(_ match: Match) throws(ShellError) -> SnippetChange {
    try SnippetChange(
      kind: match.value(of: kind), category: match.value(of: category), color: match.value(of: color),
      icon: match.value(of: icon))
  }

  /// What stands behind `--`. Words that came one by one are the words of the command, whatever is in them.
  private static func text(_ match: Match, from index: Int) -> String {
    guard match.isSplit, match.value(of: kind) == Snippet.Kind.shell.rawValue else { return match.prose(from: index) }
    return match.words.dropFirst(index).map(ShellFilling.word).joined(separator: " ")
  }

  private static func dateForm(_ match: Match) throws(ShellError) -> SnippetDates? {
    guard let word = match.value(of: dates) else { return nil }
    guard let form = SnippetDates(rawValue: word) else { throw .badSnippet(.dates(word)) }
    return form
  }

  /// What a snippet is besides its text.
  private static let ofOne = [kind, category, color, icon]
  private static let kind = Flag("--kind", .snippetKind, summary: "where it runs")
  private static let category = Flag("--category", .category, summary: "its group; of lists, which")
  private static let color = Flag("--color", .color, summary: "such as #007AFF")
  private static let icon = Flag("--icon", .icon, summary: "a sign, or the name of one")
  private static let replace = Flag("--replace", summary: "a file's take the place of yours")
  private static let rename = Flag("--rename", summary: "a file's get other names")
  private static let dates = Flag("--dates", .dates, summary: "dates of other programs")
}

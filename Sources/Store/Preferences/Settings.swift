extension Setting {
  /// Every setting there is (docs/shell.md 5), in the order they are shown. The file, the command, the help
  /// and the completion know no other.
  package static let all: [Setting] = [
    Setting(
      "system-prompt", .text, .text("You are a helpful assistant."), unset: true, "system prompt of new sessions"),
    Setting("temperature", .number(0...2), .number(0.7), unset: true, "how freely the model answers"),
    Setting("max-tokens", .integer(1...10_000_000), .unset, "longest answer in tokens"),
    Setting("top-p", .number(0...1), .unset, "how much of the likely words is considered"),
    Setting("seed", .integer(0...Int.max), .unset, "makes answers repeatable where the server can"),
    Setting("stop", .list, .unset, "texts that end an answer"),
    Setting(
      "titles", .choice(["question", "model"]), .text("question"), "what names a session",
      details: """
        question is how its first message begins. With model, who answered it is then asked for a title of a few words, \
        behind the prompt and by a short request of its own; your next message, or leaving, ends that at once. It is \
        tried three times at most, says nothing when it fails, and never replaces a title. Servers that keep \
        conversations themselves are not asked, nor is anything with --private or in a script.
        """),

    Setting("color", .choice(["auto", "never"]), .text("auto"), "when to use colour"),
    Setting("theme", .choice(["auto", "dark", "light", "none"]), .text("auto"), "colours for which background"),
    Setting(
      "render", .choice(["auto", "markdown", "plain"]), .text("auto"),
      "how answers are shown on a terminal"),
    Setting("images", .choice(["auto", "never"]), .text("auto"), "draw images where a terminal can"),
    Setting("reasoning", .choice(["show", "dim", "fold", "hide"]), .text("dim"), "how a model's reasoning is shown"),
    Setting(
      "notify", .choiceOrCommand(["bell", "osc9", "off"]), .text("off"),
      "what tells of a long answer: bell, osc9 or a command",
      example: #"notify-send "$PARLEY_SESSION" "$PARLEY_STATUS""#,
      details: """
        osc9 is a line that many terminals show on the desktop. A command is run by /bin/sh, with PARLEY_SESSION (the \
        session's title, or else how its first message begins), PARLEY_STATUS (complete, cut-off, failed and so on) and \
        PARLEY_SECONDS. It has nothing to do with the terminal: what it writes is thrown away, nothing waits for it, and \
        it goes on when parley ends.
        """),
    Setting("notify-after", .seconds(0...86_400), .number(20), "how long a long answer takes"),
    Setting(
      "clipboard", .choiceOrCommand(["auto", "osc52"]), .text("auto"),
      "how /copy reaches the clipboard: auto, osc52 or a command", example: "xclip -selection clipboard",
      details: """
        A command is run by your shell, with the text as its standard input. osc52 asks the terminal in any case, and \
        auto where no program does it (/help copy).
        """),
    Setting("timing", .flag, .flag(false), "show tokens and times after each answer"),
    Setting("accessible", .flag, .flag(false), "plain lines for screen readers: nothing is redrawn"),

    Setting("editing", .choice(["emacs", "vi"]), .text("emacs"), "keys of the line editor"),
    Setting("suggestions", .flag, .flag(true), "show in grey how a line may go on"),
    Setting("prompt", .text, .unset, "text before the line; replaces the whole prompt"),
    Setting("editor", .text, .unset, "program for long messages, when $VISUAL and $EDITOR are unset"),
    Setting(
      "pager", .choiceOrCommand(["auto", "off"]), .text("auto"), "what shows text longer than the screen",
      example: "less -S",
      details: """
        auto is $PAGER, else less where it is installed. A command is run by /bin/sh, with the text as its standard input. \
        Nothing is paged in a pipe or a script, with --json or --plain, and where nothing is redrawn (accessible, TERM=dumb). \
        less gets LESS=FRX unless you set LESS, and no LESSOPEN.
        """),
    Setting(
      "on-error", .choice(["switch", "continue", "stop"]), .text("switch"), "which errors end a script",
      details: """
        switch: a script ends when a change of server, agent, model, session or branch fails, because its next line would \
        go to the one that was in use before, and at a command that does not exist. Its exit status is that of the failure. Other errors are reported, and the script \
        continues. continue: no error ends a script. stop: the first error ends it, with exit status 3.
        """),
    Setting(
      "missing-file", .choice(["edit", "send"]), .text("edit"), "what to do when a message names a missing file",
      details: """
        edit: a message that was typed at the prompt and names a missing file, such as @notes.txt, is returned to it. \
        send: the message is sent with the name only. Without a prompt it is always sent.
        """),
    Setting(
      "ask-before-moving", .flag, .flag(true), "ask before another server gets a session",
      details: """
        After a switch of the server, the next message takes the whole session along. On a terminal you are asked, once for \
        each session and server; otherwise, and with off, a notice says how much goes where. /new starts a session without it.
        """),
    Setting(
      "credential-store", .choiceOrNamed(["auto", "keyring", "file"], prefix: "helper:"), .text("auto"),
      "where sign-ins are kept"),

    Setting(
      "tools.approval", .choice(["ask", "session", "always", "never"]), .text("ask"),
      "whether a tool runs unasked"),
    Setting("tools.remember", .flag, .flag(false), "keep the chosen tools for later"),
    Setting("tools.selected", .list, .unset, "tools of new sessions"),
    Setting("tools.format", .choice(["auto", "native", "text"]), .text("auto"), "how a model is told of tools"),
    Setting("tools.rounds", .integer(1...1000), .integer(25), "rounds with tools before an answer"),
    Setting(
      "tools.result-limit", .integer(1000...1_000_000), .integer(20_000),
      "characters of a result a model gets"),

    Setting("timeout.connect", .seconds(0.1...3600), .number(10), "time to reach a server"),
    Setting("timeout.request", .seconds(0.1...86_400), .number(30), "time for a request that is not an answer"),
    Setting("timeout.first-token", .seconds(0.1...86_400), .unset, "time until an answer begins"),
    Setting("timeout.idle", .seconds(0.1...86_400), .number(300), unset: true, "time between two signs of life"),
    Setting("timeout.tool", .seconds(0.1...86_400), .number(30), "time between two signs of a tool"),
    Setting("timeout.tool-start", .seconds(0.1...86_400), .number(60), "time for a tool server to start"),
    Setting(
      "timeout.terminal", .seconds(0.1...86_400), .number(30), "silence after which a command in a terminal is left"),
  ]

  private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

  package static func named(_ key: String) throws(SettingError) -> Setting {
    guard let setting = byKey[key] else { throw .unknownKey(key, nearest: nearest(to: key)) }
    return setting
  }

  /// The keys that `key` may have been meant as, the likeliest first.
  static func nearest(to key: String) -> [String] {
    let key = key.lowercased().replacing("_", with: "-")
    let near = all.map(\.key).compactMap { known -> (key: String, distance: Int)? in
      if known == key { return (known, 0) }
      let distance = editDistance(key, known)
      if distance <= max(1, known.count / 3) { return (known, distance) }
      return key.count > 2 && known.contains(key) ? (known, known.count) : nil
    }
    return near.sorted { ($0.distance, $0.key) < ($1.distance, $1.key) }.prefix(3).map(\.key)
  }
}

import Chat
import Store
import Text
import Wire

extension Commands {
  static let shell = [settings, help, keys, about, timing, run, expect, quit]

  private static let settings = Command(
    "settings", .shell, summary: "list settings",
    forms: [
      Form(summary: "list all settings") { shell, match throws(ShellError) in
        shell.refreshPreferences()
        try await shell.desk.show(listing(of: Setting.all, shell.desk), asJSON: match.asJSON)
      },
      Form(.required(.settingKey), .optional(.settingValue), summary: "show or set one") {
        shell, match throws(ShellError) in
        shell.refreshPreferences()
        if match.values.count == 1 { return try await showSetting(match[0], match.asJSON, shell) }
        // Quotes in a command or a sentence are part of it.
        let setting = try? Setting.named(match[0])  // an unknown key is complained of below
        let isProse = setting?.takesProse == true
        let text = isProse ? match.prose(from: 1) : match.values.dropFirst().joined(separator: " ")
        if let setting, case .choiceOrCommand = setting.kind {
          try requireProgram(inNotify: text, setting, shell.desk)
        }
        if setting?.key == "system-prompt" { try await shell.confirmSecret(in: text, as: .systemPrompt) }
        try await change(match[0], &shell) { preferences throws(PreferenceError) in
          try preferences.set(match[0], text)
        }
      },
      Form(.word("reset"), .required(.settingKey), summary: "go back to the default") {
        shell, match throws(ShellError) in
        shell.refreshPreferences()
        try await change(match[0], &shell, note: " (default)") { preferences throws(PreferenceError) in
          try preferences.reset(match[0])
        }
      },
    ], examples: ["/settings temperature 0.4", "/settings reset temperature"],
    details: "A setting is kept in preferences.json (/help files). --set KEY=VALUE holds for one run.")

  private static func showSetting(_ key: String, _ asJSON: Bool, _ shell: Shell) async throws(ShellError) {
    let setting: Setting
    do throws(SettingError) { setting = try Setting.named(key) } catch { throw .preferences(.setting(error)) }
    try await shell.desk.show(listing(of: [setting], shell.desk), asJSON: asJSON)
  }

  private static func change(
    _ key: String, _ shell: inout Shell, note: SafeText = "",
    _ change: (inout Preferences) throws(PreferenceError) -> PreferenceChange
  ) async throws(ShellError) {
    let changed: PreferenceChange
    do throws(PreferenceError) { changed = try change(&shell.desk.preferences) } catch { throw .preferences(error) }
    shell.desk.world.terminal.follow(shell.desk.preferences)
    shell.desk.say(changed, of: key, note: note)
    if let override = SettingOverride(of: key, in: shell.desk.world.environment) {
      shell.desk.say("in this run \(override.variable)=\(override.value) counts")
    }
    if key == "credential-store" {
      await shell.desk.world.credentialKeeping.choose(shell.desk.preferences.credentialChoice)
    }
  }

  private static func listing(of settings: [Setting], _ desk: Desk) -> Listing {
    let preferences = desk.preferences
    // On a screen what a setting is about needs the room; whoever reads a pipe counts the columns.
    let isSeen = desk.world.terminal.traits.outputIsTerminal
    let width = isSeen ? (settings.count > 1 ? 16 : 24) : nil
    let areStandard = isSeen && settings.allSatisfy { preferences.origin(of: $0.key).text == "default" }
    let standard = Listing.Column("DEFAULT") { row in
      // A value that is the default says so in the next column.
      row["origin"] == "default" ? "" : Filter.inline(row["default"]?.string ?? "", width: isSeen ? width : nil)
    }
    return Listing(
      columns: [
        Listing.Column("SETTING", "key"),
        Listing.Column("VALUE") { Filter.inline($0["value"]?.string ?? "", width: width) },
      ] + (areStandard ? [] : [standard]) + [Listing.Column("FROM", "origin"), Listing.Column("ABOUT", "summary")],
      rows: settings.map { setting in
        [
          "key": .string(setting.key), "value": .string(preferences[setting.key].text),
          "default": .string(setting.standard.text), "origin": .string(preferences.origin(of: setting.key).text),
          "accepts": .string(setting.accepted), "summary": .string(setting.summary),
        ]
      },
      whenEmpty: "", wrapsLast: true)
  }

  private static let help = Command(
    "help", aliases: ["?"], .shell, summary: "list commands, or explain one",
    forms: [
      Form(.optional(.helpTopic)),
      Form(.required(.words), summary: "list what has to do with these"),
    ],
    examples: ["/help", "/help history", "/help temperature", "/help exit-codes", "/help timeout"]
  ) { shell, match throws(ShellError) in
    guard let word = match.values.first else {
      // An editor is shown those that are of use there.
      let isServed = shell.desk.options.presence == .atChoices
      try await shell.desk.show(page: Help(isServed ? Shell.servedCommands : all).overview)
      return .prompt
    }
    let help = Help(all)
    let isAlone = match.values.count == 1
    guard
      let page = (isAlone ? help.page(word) : nil)
        ?? help.mentions(of: match.values, meant: isAlone ? meant(by: word) : nil)
    else {
      let words = match.values.joined(separator: " ")
      throw .unknown(.topic, words, nearest: Nearest.words(to: words, among: help.names))
    }
    try await shell.desk.show(page: page)
    return .prompt
  }

  private static let keys = Command(
    "keys", .shell, summary: "the keys of the line editor", examples: ["/keys"], needsPrompt: true
  ) { shell, _ throws(ShellError) in
    try await shell.desk.show(page: .text(Topics.keys.body + "\n"))
    return .prompt
  }

  private static let about = Command(
    "about", .shell, summary: "version, server, files in use", examples: ["/about", "parley /about --json"]
  ) { shell, match throws(ShellError) in
    let paths = shell.desk.world.paths
    let server = shell.links.front?.server ?? shell.links.kept.current?.server
    let facts: [(String, String)] = [
      ("version", shell.desk.world.version),
      ("server", server.map { "\($0.name) (\($0.kind), \($0.url))" } ?? "none"),
      ("model", shell.links.front?.model ?? shell.links.kept.current?.model ?? "none"),
      ("preferences", paths.preferences), ("history", shell.desk.options.isPrivate ? "in memory" : paths.history),
      ("servers", paths.servers), ("tools", paths.toolServers), ("permissions", paths.permissions),
      ("snippets", paths.snippets),
      ("known_servers", paths.knownServers), ("credentials", paths.credentials), ("drafts", paths.drafts),
      ("cache", paths.cache), ("start-up", paths.startUpCommands), ("licence", "Apache-2.0"),
    ]
    try await shell.desk.show(
      Listing(
        columns: [Listing.Column("WHAT", "what"), Listing.Column("VALUE", "value")],
        rows: facts.map { ["what": .string($0.0), "value": .string($0.1)] }, whenEmpty: "", wrapsLast: true),
      asJSON: match.asJSON)
    return .prompt
  }

  private static let timing = Command(
    "timing", .shell, summary: "show tokens and time after each answer",
    forms: [
      Form(.choice(["on", "off"])) { shell, match throws(ShellError) in
        try await change("timing", &shell) { preferences throws(PreferenceError) in
          try preferences.set("timing", match[0])
        }
      }
    ],
    unlisted: [Form { shell, _ in shell.desk.show(.text(shell.desk.preferences.timing ? "on\n" : "off\n")) }],
    examples: ["/timing on"])

  private static let run = Command(
    "run", .shell, summary: "run the lines of a file as if typed", forms: [Form(.required(.file)).switching()],
    examples: ["/run questions.parley"],
    details: """
      A failed /connect, /server use, /agent use, /model, /resume, /fork, /branch or /run ends a script: its next line \
      would go to what was in use before. So does a command that does not exist. After other errors a script continues. \
      The setting on-error changes both.
      """, needsPrompt: true
  ) { shell, match throws(ShellError) in
    return .run(lines: try await shell.desk.scriptLines(in: match[0]), name: match[0])
  }

  private static let quit = Command(
    "quit", aliases: ["exit", "bye"], .shell, summary: "leave", examples: ["/quit"], needsPrompt: true
  ) { _, _ in .quit }
}

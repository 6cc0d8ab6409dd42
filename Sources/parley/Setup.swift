import Console
import Invocation
import Shell
import Store
import Text

extension Shell {
  /// A shell with the person's settings, those of this run on top.
  static func made(
    in world: World, _ options: Options, _ lines: any LineSource, isInteractive: Bool
  ) throws(Refusal) -> Shell {
    var preferences = Preferences(world.paths.preferences)
    do throws(SettingError) {
      for pair in options.settings {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
          throw .badValue(key: "--set", value: pair, accepted: "KEY=VALUE, such as temperature=0.4")
        }
        try preferences.overlay(parts[0], parts[1], from: .commandLine)
      }
      if let temperature = options.temperature {
        try preferences.overlay("temperature", temperature, from: .commandLine)
      }
    } catch {
      let complaint = Complaint(.preferences(.setting(error)))
      throw Refusal(text: complaint.text, hint: complaint.hint, status: complaint.status)
    }
    let run = RunOptions(options, isInteractive: isInteractive)
    let shell = Shell(
      world: world, options: run, preferences: preferences, servers: Servers(world.paths.servers), lines: lines)
    shell.sayWarnings()
    return shell
  }
}

extension RunOptions {
  fileprivate init(_ options: Options, isInteractive: Bool) {
    let resume: Resume = options.resume.map(Resume.session) ?? (options.continuesLast ? .last : .none)
    self.init(
      server: options.server, model: options.model, system: options.system, resume: resume,
      output: options.jsonl ? .jsonLines : options.json ? .json : .text, isQuiet: options.quiet,
      isVerbose: options.verbose, isLenient: options.lenient, answersYes: options.yes, isPrivate: options.private,
      isInteractive: isInteractive)
  }
}

extension ConsoleOptions {
  /// What the person wants of the terminal: `--plain`, `NO_COLOR`, `TERM=dumb` and `ACCESSIBLE` switch off what they name.
  init(_ options: Options, _ environment: [String: String], isInteractive: Bool) {
    let isDumb = environment["TERM"] == "dumb"
    let noColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    let isAccessible = environment["ACCESSIBLE"].map { !$0.isEmpty && $0 != "0" } ?? false
    self.init(
      isInteractive: isInteractive, colour: !options.plain && !isDumb && !noColour,
      redraws: !options.plain && !isDumb && !isAccessible, edits: !isDumb)
  }
}

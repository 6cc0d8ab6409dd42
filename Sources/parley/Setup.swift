import Console
import Foundation
import Invocation
import Shell
import Store
import Text

extension Paths {
  /// Where this person's files are.
  static func real(_ environment: [String: String]) throws(Refusal) -> Paths {
    do throws(Paths.Failure) {
      return try Paths(
        environment: environment, accountHome: NSHomeDirectory(),
        workingDirectory: FileManager.default.currentDirectoryPath)
    } catch {
      throw Refusal(text: "no home directory", hint: "set HOME, or PARLEY_HOME", status: .storeUnusable)
    }
  }
}

extension Preferences {
  /// The person's settings, those of this run on top.
  static func made(_ paths: Paths, _ options: Options) throws(Refusal) -> Preferences {
    do throws(SettingError) {
      return try Preferences(paths.preferences, options)
    } catch {
      let complaint = Complaint(.preferences(.setting(error)))
      // No shell is open yet that would take a command.
      let hint = complaint.hint.map { $0.string.hasPrefix("/") ? "parley " + $0 : $0 }
      throw Refusal(text: complaint.text, hint: hint, status: complaint.status)
    }
  }
}

extension ConsoleOptions {
  /// Whether the locale has more than ASCII (POSIX, 8.2). One that says nothing is taken for UTF-8, as terminals are.
  static func hasSigns(_ environment: [String: String]) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let name = name?.lowercased() else { return true }
    return name.contains("utf-8") || name.contains("utf8")
  }

  /// What the person wants of the terminal: `--plain`, `NO_COLOR`, the settings, `TERM=dumb` and `ACCESSIBLE` switch off what they name.
  init(_ options: Options, _ preferences: Preferences, _ environment: [String: String], isInteractive: Bool) {
    let isDumb = ["dumb", "", nil].contains(environment["TERM"])
    let noColour = SettingOverride.value(of: "NO_COLOR", in: environment) != nil
    let isAccessible =
      SettingOverride.value(of: "ACCESSIBLE", in: environment).map { $0 != "0" } ?? preferences.flag("accessible")
    let mayColour = !options.plain && !isDumb && !noColour
    self.init(
      isInteractive: isInteractive, colour: mayColour && preferences.word("color") != "never",
      palette: Palette(theme: preferences.word("theme"), colours: environment["COLORFGBG"]),
      redraws: !options.plain && !isDumb && !isAccessible, edits: !isDumb,
      signs: Self.hasSigns(environment), links: mayColour && environment["TERM"] != "linux",
      isSpoken: isAccessible && !options.plain,
      images: preferences.word("images") == "never" ? nil : ImageProtocol(environment))
    // A screen reader says what an image is; a plain page has lines alone.
    if !redraws { images = nil }
  }
}

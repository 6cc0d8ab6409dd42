/// The table of commands. Adding one is a `Command` value in its topic's file and its name here.
package enum Commands {
  package static let all: [Command] =
    chat + [context] + parts + branching + attaching + several + snippets + models + tools + permissions + history
    + ordering
    + exchanging
    + [statistics]
    + forgetting + [store]
    + remote + gateway + terminals
    + browse + servers
    + agents
    + pairing
    + signIn + diagnosis + shell

  /// Every name and alias, to the full name.
  package static let names: [String: String] = Dictionary(
    all.flatMap { command in ([command.name] + command.aliases).map { ($0, command.name) } },
    uniquingKeysWith: { first, _ in first })

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Words for which other programs have a command of that name, and what does it here.
  private static let elsewhere = [
    "search": "/history search", "find": "/history search", "grep": "/history search", "list": "/history",
    "open": "/resume", "switch": "/resume", "unarchive": "/resume", "back": "/undo", "delete": "/forget",
    "remove": "/forget", "rename": "/title", "name": "/title", "untag": "/tag -WORD", "star": "/pin", "clear": "/new",
    "reset": "/new", "compact": "/context summary", "compress": "/context summary", "backup": "/db backup",
    "regenerate": "/retry", "again": "/retry",
  ]

  /// What a word that is no command is likely meant to do.
  static func meant(by word: String) -> String? { elsewhere[word.drop { $0 == "/" }.lowercased()] }

  /// The command of this full name.
  package static func named(_ name: String) -> Command? { byName[name] }
}

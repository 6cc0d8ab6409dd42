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

  /// The command of this full name.
  package static func named(_ name: String) -> Command? { byName[name] }
}

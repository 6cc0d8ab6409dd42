package import ArgumentParser
import Chat

/// What the person wrote on the command line; parsing only records it (docs/shell.md 1).
package struct Options: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "parley",
    abstract: summary, version: version)

  /// What the program is, in a line.
  package static let summary = "a shell for talking with self-hosted AI"

  /// The program's version.
  package static let version = Program.version
  /// When the options last changed, for the man page.
  package static let date = "2026-11-26"

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Talk to this server; an address is probed and used for this run.", valueName: "name|url"))
  package var server: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Ask this model; a unique part of its name is enough, and NAME! need not be listed.", valueName: "name"))
  package var model: String?

  @Option(
    name: [.customShort("S"), .long], help: ArgumentHelp("The system prompt, for this run only.", valueName: "text"))
  package var system: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("The temperature, 0 to 2, for this run only.", valueName: "n"))
  package var temperature: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A setting, for this run only; may be repeated.", valueName: "key=value"))
  package var settings: [String] = []

  @Option(
    name: [.customShort("T"), .customLong("tool")],
    help: ArgumentHelp("Offer this tool, or all of a tool server; may be repeated.", valueName: "name"))
  package var tools: [String] = []

  @Flag(name: .customLong("no-tools"), help: "Offer no tools.")
  package var noTools = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Join this file to the message: a text or a picture; may be repeated.", valueName: "file"))
  package var attach: [String] = []

  @Option(
    help: ArgumentHelp("Ask for JSON that fits this JSON Schema, and check the answer against it.", valueName: "file"))
  package var schema: String?

  @Flag(name: [.customShort("C"), .customLong("continue")], help: "Go on with the last session.")
  package var continuesLast = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Go on with a session: the start of its id, its title or part of it.", valueName: "session"))
  package var resume: String?

  @Flag(help: "Write nothing of this run to disk.")
  package var `private` = false

  @Option(name: .customShort("c"), help: ArgumentHelp("Run this line as if typed; may be repeated.", valueName: "line"))
  package var lines: [String] = []

  @Option(
    name: .customShort("f"),
    help: ArgumentHelp("Run the lines of a file; - reads standard input line by line.", valueName: "file"))
  package var file: String?

  @Flag(help: "Print one JSON object at the end.")
  package var json = false

  @Flag(help: "Print one JSON object a line for each event as it happens.")
  package var jsonl = false

  @Flag(help: "No colour, no redrawing.")
  package var plain = false

  @Flag(name: .shortAndLong, help: "No notices and no reasoning.")
  package var quiet = false

  @Flag(name: .shortAndLong, help: "Say what is sent; secrets are masked.")
  package var verbose = false

  @Flag(name: .customLong("no-stdin"), help: "Never look at standard input.")
  package var ignoresStandardInput = false

  @Flag(help: "Exit with 0 when the server ended the answer early.")
  package var lenient = false

  @Flag(name: [.customShort("y"), .long], help: "Answer yes where the shell would ask.")
  package var yes = false

  @Flag(help: "Serve an editor: the Agent Client Protocol on standard input and output.")
  package var acp = false

  @Argument(
    help: ArgumentHelp(
      "The message, or a slash command and its words; - waits for all of standard input.", valueName: "word"))
  package var words: [String] = []

  package init() {}
}

import ArgumentParser
import Invocation

/// What the command line asks for.
enum CommandLineReading {
  case run(Options)
  /// Help or the version.
  case show(String)
  /// Wrong usage, in words.
  case wrong(String)

  init(_ arguments: some Collection<String>) {
    do {
      // The parser's start costs more than all of this program's; --version is what scripts call often.
      if arguments.count == 1, arguments.first == "--version" {
        self = .show(Options.version)
        return
      }
      self = .run(try Options.parse(Array(arguments)))
    } catch {
      let message = Options.message(for: error)
      self =
        Options.exitCode(for: error) == .success
        ? .show(message) : .wrong("error: \(message)\nhint: parley --help lists the options")
    }
  }
}

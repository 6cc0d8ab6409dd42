import ArgumentParser
import Shell

/// What a command line asks for.
package enum CommandLineReading {
  case run(Options)
  /// Help, the version or a completion script.
  case show(String)
  /// Tab in the person's shell.
  case complete(LineCompletion)
  case wrong(UsageError)

  package init(_ arguments: [String]) {
    // The parser's start costs more than all of this program's; --version is what scripts call often.
    if arguments == ["--version"] {
      self = .show(Options.version)
    } else if arguments.first == CompletionScript.request {
      let words = arguments.dropFirst()
      self = .complete(LineCompletion(words.first ?? "", replacing: words.dropFirst().first))
    } else if arguments.first == "--generate-completion-script" {
      self = CommandLineReading(scriptFor: arguments.dropFirst().first)
    } else {
      self = CommandLineReading(parsing: arguments)
    }
  }

  private init(parsing arguments: [String]) {
    do {
      var options = try Options.reading(arguments)
      let isMessageForSure = arguments.contains("--")
      if !isMessageForSure { options.readHelpAsCommand() }
      let error = options.conflict ?? (isMessageForSure ? nil : options.commandWithoutSlash)
      self = error.map(CommandLineReading.wrong) ?? .run(options)
    } catch {
      let message = Options.message(for: error)
      if Options.exitCode(for: error) != .success {
        self = .wrong(UsageError(parser: message))
      } else {
        self = .show(message == Options.version ? message : CommandLineHelp.text)
      }
    }
  }

  private init(scriptFor shell: String?) {
    if let script = CompletionScript.all.first(where: { $0.shell == shell }) {
      // What shows it ends it with a newline.
      self = .show(String(script.text.dropLast()))
    } else {
      self = .wrong(UsageError("--generate-completion-script needs a shell", hint: "bash, zsh or fish"))
    }
  }
}

/// A command line that cannot be run: one line on what is wrong, one on what to type.
package struct UsageError: Error, Equatable {
  package var text: String
  package var hint: String

  init(_ text: String, hint: String = "parley --help lists the options") {
    self.text = text
    self.hint = hint
  }

  /// The parser's message, such as `Unknown option '--bogus'. Did you mean '--quiet'?`, in this program's words.
  init(parser message: String) {
    let sentence = message.prefix { $0 != "\n" }.split(separator: ". ").first.map(String.init) ?? message
    let quoted = sentence.split(separator: "'", omittingEmptySubsequences: false)
    self.init(sentence.prefix(1).lowercased() + sentence.dropFirst())
    guard quoted.count > 1 else { return }
    if text.hasPrefix("unknown option") {
      let near = Nearest.words(
        to: String(quoted[1]), among: OptionRow.all.flatMap(\.names).filter { $0.hasPrefix("--") })
      if quoted[1].hasPrefix("--"), !near.isEmpty { hint = "did you mean \(near.joined(separator: " or "))?" }
    } else if text.hasPrefix("the option") {
      self = UsageError("\(quoted[1]) takes no value")
    } else if text.hasPrefix("missing value"), let name = quoted[1].split(separator: " ").first,
      let option = OptionRow.all.first(where: { $0.names.contains(String(name)) }), let value = option.value
    {
      self = UsageError("\(name) needs \(value)", hint: "parley \(option.names.last ?? "") \(value)")
    }
  }
}

extension Options {
  /// `parley help`, and `parley help TOPIC` where there is such a topic, mean the command; `--` before it sends it.
  mutating func readHelpAsCommand() {
    guard words == ["help"] || words.count == 2 && words[0] == "help" && Help(Commands.all).knows(words[1]) else {
      return
    }
    words[0] = "/help"
  }

  /// The error for a message that is only the name of a command, such as `parley models`.
  var commandWithoutSlash: UsageError? {
    guard words.count == 1, let word = words.first else { return nil }
    if word == "version" {
      return UsageError("'version' is not a message", hint: "parley --version; parley -- version sends it")
    }
    guard Commands.names[word] != nil else { return nil }
    return UsageError("'\(word)' is a command", hint: "parley /\(word) runs it; parley -- \(word) sends it")
  }

  /// Options that exclude each other.
  var conflict: UsageError? {
    if json, jsonl {
      return UsageError(
        "--json and --jsonl exclude each other", hint: "--json is one object, --jsonl one for each event")
    }
    if noTools, !tools.isEmpty {
      return UsageError("--tool and --no-tools exclude each other", hint: "--tool NAME offers nothing but NAME")
    }
    if acp,
      json || jsonl || file != nil || !lines.isEmpty || continuesLast || resume != nil || schema != nil
        || !attach.isEmpty
    {
      return UsageError(
        "--acp serves an editor: it takes a server, a model and settings, and nothing of a run of its own",
        hint: "parley --acp; /help editors shows what to tell the editor")
    }
    if acp, let word = words.first, !word.hasPrefix("/") {
      return UsageError("--acp takes no message", hint: "parley --acp, which an editor starts")
    }
    if !words.isEmpty, !lines.isEmpty || file != nil {
      return lines.isEmpty
        ? UsageError("-f runs a file and takes no words", hint: "parley -f FILE")
        : UsageError("-c runs lines and takes no words", hint: "quote the line: parley -c \"LINE\"")
    }
    return nil
  }
}

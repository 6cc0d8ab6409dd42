import Testing

@testable import Invocation

@Suite struct CommandLineReadingTests {
  @Test(arguments: [
    (["--bogus"], "unknown option '--bogus'", "parley --help lists the options"),
    (["--modle", "x"], "unknown option '--modle'", "did you mean --model?"),
    (["-qz"], "unknown option '-z'", "parley --help lists the options"),
    (["-t"], "-t needs N", "parley --temperature N"),
    (["--set="], "--set needs KEY=VALUE", "parley --set KEY=VALUE"),
    (["--json=3"], "--json takes no value", "parley --help lists the options"),
    (["-c", "/about", "hello"], "-c runs lines and takes no words", "quote the line: parley -c \"LINE\""),
    (["-f", "x", "hello"], "-f runs a file and takes no words", "parley -f FILE"),
    (
      ["--json", "--jsonl"], "--json and --jsonl exclude each other", "--json is one object, --jsonl one for each event"
    ),
    (
      ["-T", "web", "--no-tools", "hi"], "--tool and --no-tools exclude each other",
      "--tool NAME offers nothing but NAME"
    ),
    (["--generate-completion-script", "tcsh"], "--generate-completion-script needs a shell", "bash, zsh or fish"),
    (["models"], "'models' is a command", "parley /models runs it; parley -- models sends it"),
    (["-q", "bye"], "'bye' is a command", "parley /bye runs it; parley -- bye sends it"),
    (["version"], "'version' is not a message", "parley --version; parley -- version sends it"),
  ])
  func `wrong usage is said in one line, with what to type`(arguments: [String], text: String, hint: String) throws {
    guard case .wrong(let error) = CommandLineReading(arguments) else {
      Issue.record("\(arguments) was read as something else")
      return
    }
    #expect(error == UsageError(text, hint: hint))
  }

  @Test(arguments: [
    (["help"], ["/help"]), (["--", "help"], ["help"]), (["help", "exit-codes"], ["/help", "exit-codes"]),
    (["help", "/retry"], ["/help", "/retry"]),
    (["-q", "help", "temperature"], ["/help", "temperature"]), (["help", "me"], ["help", "me"]),
    (["--", "help", "retry"], ["help", "retry"]), (["--", "models"], ["models"]), (["models?"], ["models?"]),
    (["models", "are", "what"], ["models", "are", "what"]),
    (["help", "exit-codes", "please"], ["help", "exit-codes", "please"]),
  ])
  func `help with a topic is the command, and -- sends it`(arguments: [String], words: [String]) {
    guard case .run(let options) = CommandLineReading(arguments) else {
      Issue.record("not run")
      return
    }
    #expect(options.words == words)
  }

  @Test(arguments: [["--help"], ["-h"], ["-q", "--help"]])
  func `help is this program's own`(arguments: [String]) {
    guard case .show(let text) = CommandLineReading(arguments) else {
      Issue.record("not shown")
      return
    }
    #expect(text == CommandLineHelp.text)
  }

  @Test(arguments: [["--version"], ["-q", "--version"]])
  func `the version is a number alone`(arguments: [String]) {
    guard case .show(Options.version) = CommandLineReading(arguments) else {
      Issue.record("not shown")
      return
    }
  }

  @Test func `words, options and a terminator are kept as they came`() {
    guard case .run(let options) = CommandLineReading(["-q", "-m", "a b", "say", "--", "--bogus"]) else {
      Issue.record("not run")
      return
    }
    #expect(options.quiet && options.model == "a b" && options.words == ["say", "--bogus"])
  }

  @Test func `a program behind a terminator keeps all its words`() {
    let line = ["--yes", "/tools", "add", "--env", "KEY", "notes", "--", "serve", "--json", "-q", "--", "x"]
    guard case .run(let options) = CommandLineReading(line) else {
      Issue.record("not run")
      return
    }
    #expect(!options.quiet && !options.json)
    #expect(
      options.words == ["/tools", "add", "notes", "--env", "KEY", "--", "serve", "--json", "-q", "--", "x"])
  }
}

import Testing

@testable import Shell

@Suite struct InputTests {
  private let names = [
    "model": "model", "models": "models", "help": "help", "?": "help", "history": "history", "quit": "quit",
  ]

  private func input(_ line: String) -> Input { Input(line, names: names) { $0 == "/etc" } }

  private func input(_ words: [String]) -> Input { Input(words: words, names: names) { $0 == "/etc" } }

  @Test(arguments: ["", " ", "\t\n"]) func `white space is nothing`(line: String) {
    #expect(input(line) == .nothing)
  }

  @Test(arguments: [
    ("hello", "hello"), ("hello  ", "hello"), (" /quit", "/quit"), ("//quit", "/quit"), ("/srv/x y", "/srv/x y"),
    ("/etc is", "/etc is"), (" !ls", "!ls"), ("a\nb", "a\nb"),
  ]) func `text is a message`(line: String, message: String) {
    #expect(input(line) == .message(message))
  }

  @Test(arguments: [
    ("    if x:\n        y\n", "    if x:\n        y"), ("\n\n/quit", "\n\n/quit"), ("  \n", nil), (" !ls", " !ls"),
  ]) func `white space at the start of a paste belongs to the message`(line: String, message: String?) {
    let input = Input(line, isIndented: true, names: names) { _ in false }
    #expect(input == message.map(Input.message) ?? .nothing)
  }

  @Test func `a command is known by its name, an alias, or the start of its name`() {
    #expect(input("/model smol x") == .command(name: "model", arguments: Arguments(text: "smol x")))
    #expect(input("/? a") == .command(name: "help", arguments: Arguments(text: "a")))
    #expect(input("/q") == .command(name: "quit", arguments: Arguments(text: "")))
    #expect(input("/hi 'a b'") == .command(name: "history", arguments: Arguments(text: "'a b'")))
  }

  @Test func `a prefix of several commands runs none of them`() {
    #expect(input("/mod") == .ambiguous(word: "/mod", names: ["model", "models"]))
  }

  @Test func `a slip is no message`() {
    #expect(input("/modle smol") == .suggestion(word: "/modle", nearest: ["model"]))
    #expect(input("/xyzzy") == .suggestion(word: "/xyzzy", nearest: []))
    #expect(input("/") == .suggestion(word: "/", nearest: []))
  }

  @Test func `an exclamation mark is for the shell`() {
    #expect(input("! ls -l") == .shell(command: "ls -l", attaches: false))
    #expect(input("!!ls") == .shell(command: "ls", attaches: true))
    #expect(input("!") == .shell(command: "", attaches: false))
  }

  @Test func `prose behind a word is as it was typed, and a flag taken out leaves the rest so`() {
    var typed = Arguments(text: #"add log  --kind shell git log  --format="%h  %s" "#)
    #expect(typed.prose(from: 2) == #"--kind shell git log  --format="%h  %s""#)
    let kind = Flag("--kind", .kind, summary: "")
    #expect(typed.take(kind, among: [kind]) == "shell")
    #expect(typed.words == ["add", "log", "git", "log", "--format=%h  %s"])
    #expect(typed.prose(from: 2) == #"git log  --format="%h  %s""#)
    #expect(typed.prose(from: 9) == "")
    #expect(Arguments(text: "add log 'a  b' ").prose(from: 2) == "a  b")
    #expect(Arguments(text: #"add log 'a' b\ c"#).prose(from: 2) == #"'a' b\ c"#)
    var last = Arguments(text: "add log a --kind shell")
    #expect(last.take(kind, among: [kind]) == "shell" && last.prose(from: 2) == "a")
    var split = Arguments(words: ["add", "log", "a  b", "--kind", "shell", "c"])
    #expect(split.take(kind, among: [kind]) == "shell" && split.isSplit)
    #expect(split.words == ["add", "log", "a  b", "c"] && split.prose(from: 2) == "a  b c")
    var program = Arguments(text: "add log -- --kind shell")
    #expect(program.take(kind, among: [kind]) == nil && program.prose(from: 3) == "--kind shell")
  }

  @Test func `words of a command line keep their borders`() {
    guard case .command("history", let arguments) = input(["/history", "show", "a b", "it's"]) else {
      Issue.record("not the command")
      return
    }
    #expect(arguments.words == ["show", "a b", "it's"])
    #expect(input(["/etc", "is  it"]) == .message("/etc is  it"))
    #expect(input(["/modle", "x"]) == .suggestion(word: "/modle", nearest: ["model"]))
    #expect(input(["two", "words"]) == .message("two words"))
  }

  @Test(arguments: [
    ("show x --json", true, "show x"), ("show x", false, "show x"), ("--json show", false, "--json show"),
  ])
  func `--json is taken from the end alone`(text: String, isTaken: Bool, rest: String) {
    var arguments = Arguments(text: text)
    let taken = arguments.takeJSONFlag()
    #expect(taken == isTaken)
    #expect(arguments == Arguments(text: rest))
  }
}

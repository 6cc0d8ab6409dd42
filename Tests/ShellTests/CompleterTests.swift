import Chat
import Store
import Testing

@testable import Shell

@Suite struct CompleterTests {
  private let completer = Completer(
    commands: Commands.all,
    models: [Model(id: "smol-1b"), Model(id: "qwen-7b", contextWindow: 32_768, state: "loaded")],
    currentModel: "smol-1b",
    servers: [
      Server(name: "gpu1", kind: "openai", url: "http://gpu1/v1"), Server(name: "my lab", kind: "openai", url: "u"),
    ],
    currentServer: "gpu1",
    sessions: { _ in SessionNames([("3f2a0000-1", "Capitals of Europe"), ("77aa0000-2", "connection pools")]) },
    settings: [
      ("temperature", "how freely", [], "0.7"), ("editing", "keys", ["emacs", "vi"], "emacs"),
      ("editor", "program", [], "vi"),
    ],
    listFolder: { folder in
      switch folder {
      case ".": ["notes.txt", "my file", "src/", ".hidden"]
      case "src/": ["main.swift"]
      case "~/": ["letters/"]
      default: []
      }
    })

  private func texts(_ line: String, at cursor: Int? = nil) -> [String] {
    completer.complete(line, cursor ?? line.unicodeScalars.count).candidates.map(\.text)
  }

  @Test func `a command is completed from its first letters`() {
    #expect(texts("/mo") == ["/model", "/models"])
    #expect(texts("/xyz") == [])
    #expect(texts("/").count == Commands.all.count)
    #expect(completer.complete("/mo", 3).replaced == 0..<3)
  }

  @Test func `a model shows what is known of it`() {
    let found = completer.complete("/model ", 7)
    #expect(found.replaced == 7..<7)
    #expect(
      found.candidates == [
        Candidate("smol-1b", summary: "current"), Candidate("qwen-7b", summary: "loaded, 32768 tokens"),
      ])
    #expect(texts("/model 7b") == ["qwen-7b"])
    #expect(texts("/model smol-1b ") == [])
  }

  @Test func `the words of a form lead to its parameters`() {
    #expect(texts("/server ") == ["use", "settings", "rename", "remove", "trust", "forget-trust", "allow"])
    #expect(texts("/server use ") == ["gpu1", "'my lab'"])
    #expect(texts("/server use my") == ["'my lab'"])
    #expect(texts("/server rename gpu1 ") == [])
    #expect(texts("/history s") == ["show", "search"])
    #expect(texts("/timing ") == ["on", "off"])
  }

  @Test func `a session is found by any part of its title`() {
    #expect(texts("/resume pool") == ["'connection pools'"])
    #expect(texts("/history show EUROPE") == ["'Capitals of Europe'"])
    #expect(texts("/resume 'Capitals of") == ["'Capitals of Europe'"])
  }

  @Test func `a fuzzy title finds a session as resume does`() {
    #expect(texts("/resume cpteur") == ["'Capitals of Europe'"])
  }

  @Test func `settings have keys and values`() {
    #expect(texts("/settings temp") == ["temperature"])
    #expect(texts("/settings editing ") == ["emacs", "vi"])
    #expect(completer.complete("/settings editing e", 19).candidates.first?.summary == "current")
    #expect(texts("/settings temperature ") == [])
    #expect(texts("/settings reset edit") == ["editing", "editor"])
    #expect(texts("/settings r").contains("reset"))
  }

  @Test func `help knows commands, topics and settings`() {
    #expect(texts("/help exi") == ["exit-codes"])
    #expect(texts("/help edit") == ["edit", "editors", "editing", "editor"])
    #expect(texts("/? retr") == ["retry"])
  }

  @Test func `files are completed where one can stand`() {
    #expect(texts("/run n") == ["notes.txt"])
    #expect(texts("/run my") == ["'my file'"])
    #expect(texts("/run src/") == ["src/main.swift"])
    #expect(texts("what is in src/m") == ["src/main.swift"])
    #expect(texts("read ~/l") == ["~/letters/"])
    #expect(texts("/run .h") == [".hidden"])
    #expect(completer.complete("/run s", 6).candidates == [Candidate("src/", isWhole: false)])
    #expect(texts("hello") == [])
  }

  @Test func `only what is before the cursor counts`() {
    let found = completer.complete("/model smol-1b", 8)
    #expect(found.replaced == 7..<8)
    #expect(found.candidates.map(\.text) == ["smol-1b"])
    #expect(texts("/mo smol", at: 3) == ["/model", "/models"])
  }

  @Test func `the cursor is counted in scalars`() {
    let line = "/title e\u{301}te\u{301} src/m"
    #expect(completer.complete("é src/m", 7).replaced == 2..<7)
    #expect(completer.complete(line, line.unicodeScalars.count).candidates.isEmpty)
  }

  @Test func `what is completed can be typed`() {
    for line in ["/server use my", "/resume pool", "/run my"] {
      let text = texts(line)[0]
      #expect(Words(splitting: text).words.count == 1)
    }
  }
}

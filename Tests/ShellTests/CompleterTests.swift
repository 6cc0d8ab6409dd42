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
    sessions: { _ in
      SessionNames([
        SessionName(id: "3f2a0000-1", title: "Capitals of Europe", updatedAt: 1000, turns: 4),
        SessionName(id: "77aa0000-2", title: "connection pools"),
        SessionName(id: "5c000000-3", title: "twice"), SessionName(id: "5d000000-4", title: "twice"),
      ])
    },
    settings: ["temperature", "editing", "editor"].compactMap { key in
      Setting.all.first { $0.key == key }.map { OfferedSetting($0, Preferences("/nonexistent/preferences.json")) }
    },
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

  @Test func `of thousands of models some are offered, the rest is counted, and what all begin with is known`() {
    var completer = completer
    completer.models = (0..<10_000).map { Model(id: "org/qwen-\($0)") } + [Model(id: "smol")]
    completer.mostModels = 500
    let found = completer.complete("/model or", 9)
    #expect((found.candidates.count, found.more, found.beginning) == (500, 9500, "org/qwen-"))
    #expect(completer.complete("/model org/qwen-9999", 20).candidates.map(\.text) == ["org/qwen-9999"])
    #expect(completer.complete("/model qwn9998", 14).candidates.first?.text == "org/qwen-9998")
    #expect(completer.complete("/model org/qewn-9999", 20).note.string.hasPrefix("did you mean org/qwen-9999, "))
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
    let all = texts("/help ")
    #expect(all.contains("tools") && Set(all).count == all.count)
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

  @Test func `of sessions that fit, the likeliest comes first, with its age and turns`() {
    var completer = completer
    completer.now = { 2 * 3_600_000 + 1000 }
    #expect(
      completer.complete("/resume Cap", 11).candidates == [
        Candidate("'Capitals of Europe'", summary: "2 h ago, 4 turns")
      ])
    // Two of one name are told apart by their ids.
    #expect(texts("/resume tw") == ["5c000000", "5d000000"])
    #expect(texts("/resume 77aa") == ["'connection pools'"])
    completer.sessions = { _ in
      SessionNames(
        ["spiced poi", "a plump idea", "connection pools, pi", "pi"].map { SessionName(id: "x", title: $0) })
    }
    #expect(
      completer.complete("/resume ppi", 11).candidates.map(\.text) == [
        "'a plump idea'", "'connection pools, pi'", "'spiced poi'",
      ])
  }

  @Test func `settings show what they are, and what they take where nothing can be chosen`() {
    #expect(completer.complete("/settings temp", 14).candidates[0].summary == "now 0.7, how freely the model answers")
    let found = completer.complete("/settings temperature ", 22)
    #expect(found.note.string == "temperature takes a number from 0 to 2, or unset; now 0.7")
    #expect(completer.complete("/settings temperature h", 23).note == found.note)
  }

  @Test(arguments: [
    ("/modle", "did you mean /model?"), ("/modle x", "did you mean /model?"),
    ("/model qwne-7b", "did you mean qwen-7b?"), ("/settings editting", "did you mean editing?"),
    ("/settings editing vii", "did you mean vi?"), ("/server use 'my lba'", "did you mean 'my lab'?"),
    ("/run nots.txt", "did you mean notes.txt?"), ("/run src/mian.swift", "did you mean src/main.swift?"),
    ("/connect x --knid", "did you mean --kind?"), ("/srv/data is empty", ""), ("a message", ""), ("/model zzzzzz", ""),
  ])
  func `what nothing begins with is answered with what was meant`(line: String, note: String) {
    let found = completer.complete(line, line.unicodeScalars.count)
    #expect(found.candidates.isEmpty)
    #expect(found.note.string == note)
  }

  @Test func `turns are offered by their numbers, the last first`() {
    var completer = completer
    completer.turns = { [(1, "Capital of\n France?"), (2, "And  Spain?")] }
    #expect(
      completer.complete("/retry ", 7).candidates == [
        Candidate("#2", summary: "And Spain?"), Candidate("#1", summary: "Capital of France?"),
      ])
    #expect(completer.complete("/retry #-", 9).candidates.map(\.text) == ["#-1", "#-2"])
    #expect(completer.complete("/history show #1", 16).candidates.map(\.summary) == ["Capital of France?"])
  }

  @Test func `a server shows its kind and where it is`() {
    #expect(completer.complete("/server use g", 13).candidates[0].summary == "current, openai, http://gpu1/v1")
  }

  @Test func `files are offered behind an at, quoted where they need it`() {
    #expect(texts("look at @no") == ["@notes.txt"])
    #expect(texts("look at @") == ["@'my file'", "@notes.txt", "@src/"])
    #expect(texts("(@src/") == ["@src/main.swift"])
    #expect(texts("mail me@no") == [])
    let found = completer.complete("look at @'my f", 14)
    #expect(found == Completion(replaced: 8..<14, candidates: [Candidate("@'my file'")]))
    #expect(texts("look at @notes.txt ") == [])
  }

  @Test func `files are attached one after the other, and those that wait are taken off`() {
    #expect(texts("/attach no") == ["notes.txt"])
    #expect(texts("/attach notes.txt my") == ["'my file'"])
    var waiting = completer
    waiting.attached = ["notes.txt", "my file"]
    let found = waiting.complete("/detach notes.txt ", 18)
    #expect(found.candidates.map(\.text) == ["'my file'"])
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

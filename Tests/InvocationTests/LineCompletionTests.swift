import Chat
import Shell
import Store
import Testing

@testable import Invocation

@Suite struct LineCompletionTests {
  @Test func `models of the current server are offered`() throws {
    #expect(try texts("parley --model ") == ["llama3:8b", "llama3:70b", "org/qwen coder:7b"])
    #expect(try texts("parley -m=") == [])
    #expect(try texts("parley --model=llama3:8") == ["--model=llama3:8b"])
    #expect(try texts("parley /model coder") == ["org/qwen coder:7b"])
  }

  @Test func `a server on the line has its own models`() throws {
    #expect(try texts(#"parley --server "the lab" -m "#) == ["only-lab"])
    #expect(try texts(#"parley -s the\ lab -m "#) == ["only-lab"])
    #expect(try texts("parley --server='the lab' /model ") == ["only-lab"])
    #expect(try texts("parley -s elsewhere:1 -m ") == [])
  }

  @Test func `quotes and backslashes are read as the shells read them`() throws {
    #expect(try texts(#"parley -m "org/qwen c"#) == ["org/qwen coder:7b"])
    #expect(try texts(#"parley -m org/qwen\ c"#) == ["org/qwen coder:7b"])
    #expect(try texts(#"parley -r 'it'\''s a "#) == ["it's a $(touch x): why?"])
  }

  @Test func `only what a shell replaces is offered`() throws {
    #expect(try texts("parley -m llama3:", replacing: "") == ["8b", "70b"])
    #expect(try texts("parley --set color=n", replacing: "n") == ["never"])
    #expect(try texts(#"parley -m "org/q"#, replacing: "org/q") == ["org/qwen coder:7b"])
  }

  @Test func `settings are offered, then their values`() throws {
    #expect(try texts("parley --set colo") == ["color="])
    #expect(try texts("parley --set on-error=") == ["on-error=switch", "on-error=continue", "on-error=stop"])
    #expect(!(try texts("parley --set ")).contains("reset="))
  }

  @Test func `files are offered where an option takes one`() throws {
    #expect(try texts("parley -f ") == ["fruit.json"])
    #expect(try texts("parley --schema fr") == ["fruit.json"])
    #expect(try texts("parley -a fr") == ["fruit.json"])
    #expect(try texts("parley --attach=a.txt --attach fr") == ["fruit.json"])
    #expect(try texts("parley look at @fr") == ["@fruit.json"])
  }

  @Test func `options come once, unless they may be repeated`() throws {
    #expect(try texts("parley --json --js") == ["--jsonl"])
    #expect(try texts("parley --set seed=1 --se") == ["--server", "--set"])
    #expect(try texts("parley -- --js") == [])
  }

  @Test func `a slash command takes the words it takes in the shell`() throws {
    #expect(try texts("parley -q /hist") == ["/history"])
    #expect(try texts("parley /server use ") == ["the lab", "lab"])
    #expect(try texts("PARLEY_HOME=/tmp/x parley /timing ") == ["on", "off"])
    #expect(try texts("parley explain /hist") == [])
  }

  @Test func `a command's flags are offered, and what follows them`() throws {
    #expect(try texts("parley /connect gpu1 --k") == ["--kind"])
    #expect(try texts("parley /connect gpu1 --kind ka") == ["kamiwaza"])
    #expect(try texts("parley /login --t").contains("--token-stdin"))
    #expect(try texts("parley --k") == [])
  }

  private func texts(_ line: String, replacing replaced: String? = nil) throws -> [String] {
    var servers = Servers(nil)
    _ = try servers.add(kind: "openai", url: "http://lab:2", name: "the lab")
    try servers.remember([Model(id: "only-lab")], of: "the lab", at: 1)
    _ = try servers.add(kind: "openai", url: "http://lab:1", name: "lab")
    try servers.remember(["llama3:8b", "llama3:70b", "org/qwen coder:7b"].map { Model(id: $0) }, of: "lab", at: 1)
    try servers.use("lab")
    return LineCompletion(line, replacing: replaced).candidates { [servers] server in
      Completer(
        servers: servers, preferences: Preferences("/nonexistent/preferences.json"), server: server,
        sessions: { _ in SessionNames([SessionName(id: "1", title: "it's a $(touch x): why?")]) },
        listFolder: { folder in folder == "." ? ["fruit.json"] : [] },
        kinds: ["kamiwaza", "openai"])
    }.map(\.text)
  }
}

import Testing
import Wire

@testable import Backends
@testable import Chat

struct ACPFactsTests {
  @Test func `an agent says what it can`() {
    let facts = ACPFacts([
      "agentCapabilities": [
        "loadSession": true, "promptCapabilities": ["image": true, "audio": false, "embeddedContext": true],
        "mcpCapabilities": ["http": true, "sse": false], "auth": ["logout": [:]],
        "sessionCapabilities": ["list": [:], "resume": ["x": 1], "close": [:], "fork": .null, "delete": false],
      ],
      "agentInfo": ["name": "vole", "title": "Vole", "version": "1.2"], "protocolVersion": 1, "authMethods": [],
    ])
    #expect(facts.protocolVersion == ACPFacts.spoken)
    #expect(facts.name == "vole")
    #expect(facts.title == "Vole")
    #expect(facts.version == "1.2")
    #expect(
      facts.capabilities == ["load", "list", "resume", "close", "image", "embeddedContext", "mcp-http", "logout"])
  }

  @Test(
    arguments: [
      .null, [:], "hello", ["agentCapabilities": [:]],
      ["agentCapabilities": .null, "agentInfo": .null, "authMethods": .null],
      [
        "agentCapabilities": ["sessionCapabilities": true, "loadSession": "yes", "promptCapabilities": []],
        "authMethods": [7],
      ],
    ] as [JSON]) func `an agent that says nothing can nothing`(_ result: JSON)
  {
    let facts = ACPFacts(result)
    #expect(facts.capabilities.isEmpty)
    #expect(facts.signIns.isEmpty)
    #expect(facts.name == nil)
    #expect(facts.protocolVersion == nil)
  }

  @Test(arguments: [(1, 1), (2, 2), ("1", 1), ("2025-11-25", nil), (1.0, 1), (.null, nil)] as [(JSON, Int?)])
  func `the version is a number`(_ written: JSON, _ version: Int?) {
    #expect(ACPFacts(["protocolVersion": written]).protocolVersion == version)
  }

  @Test func `ways to sign in are asked of the agent, or run in the terminal`() throws {
    let facts = ACPFacts([
      "authMethods": [
        ["id": "browser", "name": "Log in", "description": .null, "_meta": ["terminal-auth": ["command": "rm"]]],
        ["id": "tty", "type": "terminal", "name": "Set up", "args": ["--setup", 3], "env": ["A": "b", "C": .null]],
        ["id": "new", "type": "env_var"], ["name": "no id"], .null,
        ["id": "list", "type": "terminal", "args": .null, "env": [["name": "A", "value": "b"], ["name": "C"]]],
      ]
    ])
    #expect(facts.signIns.map(\.id) == ["browser", "tty", "new", "list"])
    #expect(facts.signIns.map(\.isOfAgent) == [true, false, false, false])
    #expect(facts.signIns.map(\.isOfTerminal) == [false, true, false, true])
    #expect(facts.signIns[0].arguments.isEmpty)
    #expect(facts.signIns[1].arguments == ["--setup"])
    #expect(facts.signIns[1].variables == [AgentCommand.Variable(name: "A", value: "b")])
    #expect(facts.signIns[2].name == "new")
    #expect(facts.signIns[3].variables == [AgentCommand.Variable(name: "A", value: "b")])
  }

  @Test func `it is told who asks, and what is done for it`() {
    let all = ACPOffer(
      readsFiles: true, writesFiles: true, runsCommands: true, signsInOnTerminal: true, hasFlags: true, asksForms: true,
      showsPages: true)
    let question = ACPFacts.question(all, version: "9.9")
    #expect(question["protocolVersion"] == 1)
    #expect(question["clientInfo"] == ["name": "parley", "title": "parley", "version": "9.9"])
    #expect(
      question["clientCapabilities"] == [
        "fs": ["readTextFile": true, "writeTextFile": true], "terminal": true, "auth": ["terminal": true],
        "session": ["configOptions": ["boolean": [:]]], "elicitation": ["form": [:], "url": [:]],
      ])
  }

  @Test func `an agent elsewhere is offered no files and no commands`() {
    let all = ACPOffer(
      readsFiles: true, writesFiles: true, runsCommands: true, signsInOnTerminal: true, hasFlags: true, asksForms: true)
    #expect(
      all.forRemote.json == [
        "fs": ["readTextFile": false, "writeTextFile": false], "terminal": false,
        "session": ["configOptions": ["boolean": [:]]], "elicitation": ["form": [:]],
      ])
    #expect(ACPOffer().json == ["fs": ["readTextFile": false, "writeTextFile": false], "terminal": false])
  }

  @Test func `a prompt is the last message alone`() {
    let request = ChatRequest(
      model: nil, messages: [Message(.system, "s"), Message(.user, "a"), Message(.assistant, "b"), Message(.user, "c")])
    #expect(
      ACPPrompt(request, for: nil, isAway: false).params(session: "s1")
        == ["sessionId": "s1", "prompt": [["type": "text", "text": "c"]]])
  }

  @Test func `a file is named by an address that any name fits into`() {
    var request = ChatRequest(model: nil, messages: [Message(.user, "a")])
    request.files = [AttachedFile(path: "/a b/ü#?.md", name: "ü#?.md", bytes: Array("é".utf8))]
    let prompt = ACPPrompt(request, for: ACPFacts([:]), isAway: false)
    #expect(
      prompt.blocks.last == [
        "type": "resource_link", "uri": "file:///a%20b/%C3%BC%23%3F.md", "name": "ü#?.md",
        "mimeType": "text/markdown", "size": 2,
      ])
    #expect(ACPPrompt(request, for: ACPFacts([:]), isAway: true).leftOut == ["ü#?.md"])
  }
}

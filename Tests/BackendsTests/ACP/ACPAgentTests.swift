import Chat
import TestSupport
import Testing
import Wire

@testable import Backends

/// What a real agent cannot be made to do.
@Suite struct ACPAgentTests {
  private func outcome(_ script: String, greets: Bool = true) async -> Outcome {
    await Outcome(of: ScriptedAgent.backend(script, greets: greets).answer(.hello))
  }

  @Test func `an agent that ends before it says hello is told with its last words`() async {
    let outcome = await outcome("sys.stderr.write('no key\\n'); sys.exit(7)", greets: false)
    #expect(outcome.error == .exited(program: "python3", status: 7, lastWords: "no key"))
  }

  @Test func `a program that is not there is told`() async {
    let backend = ACPBackend(Server(name: "a", kind: "acp", url: "acp:no-such-agent"), Surroundings())
    let outcome = await Outcome(of: backend.answer(.hello))
    #expect(outcome.error == .notStarted(program: "no-such-agent", reason: "not found"))
  }

  @Test func `an address without a command is none of an agent`() async {
    let backend = ACPBackend(Server(name: "a", kind: "acp", url: "acp:"), Surroundings())
    let outcome = await Outcome(of: backend.answer(.hello))
    #expect(outcome.error == .notStarted(program: "acp:", reason: "no command"))
  }

  @Test(arguments: ["2", "0", "null", "\"one\"", "1.5"]) func `no version but one is spoken`(version: String) async {
    let outcome = await outcome(
      "send({'id': read('initialize')['id'], 'result': {'protocolVersion': json.loads('\(version)')}})\nread()",
      greets: false)
    guard case .noSharedVersion? = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
  }

  @Test func `an update that cannot be read is told, and a line of a log is not`() async {
    let outcome = await outcome(
      """
      id = prompt()
      say('a')
      sys.stdout.write('{"time": 1, starting\\n')
      sys.stdout.write('{"level":"info","text":"sent session/update\\n')
      sys.stdout.write('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","upda\\n')
      sys.stdout.write('  {"jsonrpc": "2.0", "method": "session' + chr(92) + '/update", "params"\\n')
      sys.stdout.flush()
      say('b')
      end(id, 'tired')
      read()
      """)
    let unreadable = outcome.events.filter { if case .notice(.unreadable) = $0 { true } else { false } }
    #expect(unreadable.count == 2)
    #expect(outcome.text == "ab")
    #expect(outcome.events.last == .finished(.other("tired")))
  }

  @Test func `an update over several lines is read, and one without a session is reported`() async {
    let outcome = await outcome(
      """
      id = prompt()
      content = {'sessionUpdate': 'agent_message_chunk', 'content': {'type': 'text', 'text': 'a'}}
      params = {'sessionId': 's', 'update': content}
      print(json.dumps({'jsonrpc': '2.0', 'method': 'session/update', 'params': params}, indent=1), flush=True)
      send({'method': 'session/update', 'params': {'update': content}})
      end(id)
      read()
      """)
    #expect(outcome.text == "a")
    #expect(outcome.events.contains(.notice(.unreadable("an update without a session"))))
  }

  @Test func `the halves of a character in two updates are joined`() async {
    let outcome = await outcome(
      """
      id = prompt()
      say('a' + chr(0xD83C))
      say(chr(0xDF89) + 'b')
      say(chr(0xD83C) + 'c')
      end(id)
      read()
      """)
    #expect(outcome.text == "a🎉b\u{FFFD}c")
  }

  @Test func `a conversation without a name is none`() async {
    let outcome = await outcome("hello()\nsend({'id': read('session/new')['id'], 'result': {}})\nread()", greets: false)
    guard case .malformed? = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
  }

  @Test func `what it says of its conversation before it has named it counts`() async throws {
    let backend = ScriptedAgent.backend(
      """
      hello()
      id = read('session/new')['id']
      update(sessionUpdate='usage_update', used=5, size=100)
      update(sessionUpdate='available_commands_update', availableCommands=[{'name': 'web', 'description': 'looks'}])
      send({'id': id, 'result': {'sessionId': 's'}})
      end(prompt())
      read()
      """, greets: false)
    let outcome = await Outcome(of: backend.answer(.hello))
    #expect(outcome.error == nil)
    #expect(backend.acp.state.commands.map(\.name) == ["web"])
    #expect(backend.acp.state.used == 5)
    await backend.acp.close()
  }

  @Test func `what it says of other conversations is not of this answer`() async {
    let outcome = await outcome(
      """
      id = prompt()
      send({'method': 'session/update', 'params': {'sessionId': 'other', 'update':
        {'sessionUpdate': 'agent_message_chunk', 'content': {'type': 'text', 'text': 'not yours'}}}})
      say('yours')
      end(id)
      read()
      """)
    #expect(outcome.text == "yours")
  }

  @Test func `an agent that dies in a turn keeps what it said and is started again by the next message`() async {
    let backend = ScriptedAgent.backend(
      """
      id = prompt()
      say('half')
      sys.exit(3)
      """)
    let first = await Outcome(of: backend.answer(.hello))
    #expect(first.text == "half")
    #expect(first.error == .exited(program: "python3", status: 3, lastWords: ""))
    #expect(backend.acp.state.connection == .ended)
    let second = await Outcome(of: backend.answer(.hello))
    #expect(second.text == "half")
  }

  @Test(arguments: [
    ("end(id)", Activity.Status.unreported), ("end(id, 'max_tokens')", .unreported),
    ("send({'id': id, 'error': {'code': -32603, 'message': 'no more'}})", .unreported),
    ("end(id, 'cancelled')", .stopped),
  ])
  func `a call without a last update was stopped only if its turn was cancelled`(
    end: String, status: Activity.Status
  ) async {
    let outcome = await outcome(
      "id = prompt()\nupdate(sessionUpdate='tool_call', toolCallId='a', title='Edit', status='pending')\n\(end)\nread()"
    )
    let states = outcome.events.compactMap { event in
      if case .activity(let activity) = event { activity.status } else { nil }
    }
    #expect(states == [.pending, status])
  }

  @Test func `a question that the agent asks as it dies is answered, and nobody waits`() async {
    let backend = ScriptedAgent.backend(
      """
      id = prompt()
      send({'id': 9, 'method': 'fs/write_text_file', 'params': {'sessionId': 's', 'path': '/tmp/x', 'content': 'x'}})
      sys.stdin.close()
      os._exit(4)
      """)
    let outcome = await Outcome(of: backend.answer(.hello))
    guard case .exited(_, 4, _)? = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
    await backend.acp.close()
  }

  @Test func `a question at the end of a turn is of it or is news, and its answer arrives`() async throws {
    let backend = ScriptedAgent.backend(
      """
      end(prompt())
      send({'id': 9, 'method': 'session/request_permission', 'params': {'sessionId': 's', 'toolCall': {'toolCallId': 'c',
        'title': 'Late wish'}, 'options': [{'optionId': 'yes', 'name': 'Yes', 'kind': 'allow_once'}]}})
      answer = read()
      id = prompt()
      say(json.dumps(answer['result']))
      end(id)
      read()
      """)
    let first = await Outcome(of: backend.answer(.hello))
    #expect(first.error == nil)
    var asked = first.events.compactMap { if case .question(let question) = $0 { question } else { nil } }
    let hasCome = await eventually {
      asked += backend.acp.takeNews().compactMap { if case .question(let question) = $0 { question } else { nil } }
      return !asked.isEmpty
    }
    #expect(hasCome)
    guard let question = asked.first, case .permission(let activity, let options) = question.subject else {
      Issue.record("\(asked)")
      return
    }
    #expect(activity.title == "Late wish")
    question.reply(.option(options[0]))
    let second = await Outcome(of: backend.answer(.hello))
    #expect(second.text == #"{"outcome": {"outcome": "selected", "optionId": "yes"}}"#)
    await backend.acp.close()
  }

  @Test func `an agent that goes on trying says so, and a kind of form that nobody knows is refused`() async {
    let outcome = await outcome(
      """
      id = prompt()
      send({'method': '_session/retrying', 'params': {'sessionId': 's', 'category': 'rate limit', 'detail': 'in 4 s'}})
      send({'id': 9, 'method': 'elicitation/create', 'params': {'sessionId': 's', 'mode': 'telepathy', 'message': 'm'}})
      say(str(read()['error']['code']))
      end(id)
      """)
    #expect(outcome.events.contains(.notice(.said("trying again: rate limit: in 4 s"))))
    #expect(outcome.text == "-32602")
  }

  @Test func `a question that the agent withdraws is over`() async throws {
    let backend = ScriptedAgent.backend(
      """
      id = prompt()
      send({'id': 'q', 'method': 'session/request_permission', 'params': {'sessionId': 's', 'toolCall': {'toolCallId': 'c'},
        'options': [{'optionId': 'yes', 'name': 'Yes', 'kind': 'allow_once'}]}})
      send({'method': '$/cancel_request', 'params': {'requestId': 'q'}})
      say(json.dumps(read()['result']))
      end(id)
      """)
    var questions: [AgentQuestion] = []
    var text = ""
    for try await event in backend.answer(.hello) {
      if case .question(let question) = event { questions.append(question) }
      if case .text(let piece) = event { text += piece }
    }
    #expect(text == #"{"outcome": {"outcome": "cancelled"}}"#)
    #expect(questions.count == 1 && questions.allSatisfy { !$0.isOpen() })
    await backend.acp.close()
  }

  @Test func `a message longer than what is read ends the agent with a word`() async {
    let outcome = await outcome(
      """
      id = prompt()
      say('before')
      sys.stdout.write('x' * (65 << 20))
      sys.stdout.flush()
      read()
      """)
    #expect(outcome.text == "before")
    #expect(outcome.error != nil)
  }
}

import Chat
import Foundation
import TestSupport
import Testing
import Wire

@testable import Backends

/// What agents try in order to get more than the person allowed.
@Suite struct ACPTrustTests {
  /// What was asked in a turn, when each question is answered so; and what the agent said.
  private func asked(
    _ script: String, in folder: String, _ reply: (AgentQuestion) -> AgentQuestion.Reply
  ) async -> (subjects: [AgentQuestion.Subject], text: String) {
    let backend = ScriptedAgent.backend(script, folder: folder)
    var (subjects, text): ([AgentQuestion.Subject], String) = ([], "")
    do throws(BackendError) {
      for try await event in backend.answer(.hello) {
        if case .text(let piece) = event { text += piece }
        guard case .question(let question) = event else { continue }
        subjects.append(question.subject)
        question.reply(reply(question))
      }
    } catch {
      Issue.record("\(error)")
    }
    await backend.acp.close()
    return (subjects, text)
  }

  private func contents(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  private func yes(_ question: AgentQuestion) -> AgentQuestion.Reply {
    if case .permission(_, let options) = question.subject { return options.first.map { .option($0) } ?? .refuse }
    return .allow
  }

  /// Asks leave for a change or a command as the agent tells it, then has it done.
  private func script(permission call: String, then request: String) -> String {
    """
    id = prompt()
    def ask(n, method, **params):
        send({'id': n, 'method': method, 'params': {'sessionId': 's', **params}})
        return read()
    ask(1, 'session/request_permission', toolCall={'toolCallId': 'c', \(call)},
        options=[{'optionId': 'y', 'name': 'Yes', 'kind': 'allow_once'}])
    answer = \(request)
    say(json.dumps(answer.get('error', {}).get('code', 0)))
    end(id)
    read()
    """
  }

  @Test func `a change that was shown is not asked about again, once`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/a"
      let write = "ask(2, 'fs/write_text_file', path='\(path)', content='new')"
      let call = "'kind': 'edit', 'content': [{'type': 'diff', 'path': '\(path)', 'newText': 'new'}]"
      let first = await asked(script(permission: call, then: write), in: directory.path, yes)
      #expect(first.subjects.count == 1)
      #expect(contents(path) == "new")
      // It is there now, and the agent says that it is not: what is shown is the change that it is.
      try "there".write(toFile: path, atomically: true, encoding: .utf8)
      let second = await asked(script(permission: call, then: write), in: directory.path, yes)
      guard case .permission(let activity, _)? = second.subjects.first else {
        Issue.record("\(second.subjects)")
        return
      }
      #expect(activity.content == [.diff(FileChange(path: path, old: "there", new: "new"))])
      #expect(second.subjects.count == 1)
    }
  }

  @Test func `a change of a file that is named from the folder is the same change`() async throws {
    try await withTemporaryDirectory { directory in
      let call = "'kind': 'edit', 'content': [{'type': 'diff', 'path': 'a', 'newText': 'new'}]"
      let write = "ask(2, 'fs/write_text_file', path='a', content='new')"
      let asked = await asked(script(permission: call, then: write), in: directory.path, yes)
      #expect(asked.subjects.count == 1)
      #expect(contents(directory.path + "/a") == "new")
    }
  }

  @Test func `a file that changed after it was shown is asked about again`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/a"
      try "one".write(toFile: path, atomically: true, encoding: .utf8)
      let call = "'kind': 'edit', 'content': [{'type': 'diff', 'path': '\(path)', 'newText': 'new'}]"
      let write = "[open('\(path)', 'w').write('two'), ask(2, 'fs/write_text_file', path='\(path)', content='new')][1]"
      let asked = await asked(script(permission: call, then: write), in: directory.path, yes)
      #expect(asked.subjects.last == .act(.write(FileChange(path: path, old: "two", new: "new"), why: nil)))
    }
  }

  @Test func `what a question shows of a file outside is the agent's word alone`() async throws {
    try await withTemporaryDirectory { directory in
      let (inside, secret) = (directory.path + "/work", directory.path + "/secret")
      try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
      try "secret".write(toFile: secret, atomically: true, encoding: .utf8)
      for name in [secret, "../secret", ".env"] {
        let call = "'kind': 'edit', 'content': [{'type': 'diff', 'path': '\(name)', 'newText': 'new'}]"
        let asked = await asked(script(permission: call, then: "{}"), in: inside, yes)
        guard case .permission(let activity, _)? = asked.subjects.first,
          case .diff(let change)? = activity.content.first
        else {
          Issue.record("\(asked.subjects)")
          return
        }
        #expect(change.old == nil)
      }
    }
  }

  @Test(arguments: [
    ("echo a", "command='echo', args=['a']", 1), ("echo a; ls", "command='/bin/sh', args=['-lc', 'echo a; ls']", 1),
    ("echo a; ls", "command='bash', args=['-c', 'echo a; ls']", 1), ("echo a; ls", "command='echo a; ls'", 1),
    ("echo a; ls", "command='echo', args=['a;', 'ls']", 2), ("echo a", "command='echo', args=['a', 'b']", 2),
    ("echo 'a  b'", "command='echo', args=[\"'a\", \"b'\"]", 2), ("echo $HOME", "command='echo', args=['$HOME']", 2),
    ("echo a", "command='/tmp/sh', args=['-c', 'echo a']", 2), ("echo a", "command='sh', args=['-ic', 'echo a']", 2),
  ])
  func `a line that was shown is the command that it is`(line: String, run: String, questions: Int) async throws {
    try await withTemporaryDirectory { directory in
      let shown = line.replacingOccurrences(of: "'", with: "\\'")
      let call = "'kind': 'execute', 'rawInput': {'command': '\(shown)'}"
      let asked = await asked(
        script(permission: call, then: "ask(2, 'terminal/create', \(run))"), in: directory.path
      ) { question in
        if case .act = question.subject { .refuse } else { yes(question) }
      }
      #expect(asked.subjects.count == questions)
    }
  }

  @Test func `a change whose beginning is another is asked about with the true one`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/a"
      try "true".write(toFile: path, atomically: true, encoding: .utf8)
      let asked = await asked(
        script(
          permission: "'content': [{'type': 'diff', 'path': '\(path)', 'oldText': 'evil', 'newText': 'evil'}]",
          then: "ask(2, 'fs/write_text_file', path='\(path)', content='evil')"), in: directory.path
      ) { question in
        if case .act = question.subject { .refuse } else { yes(question) }
      }
      #expect(asked.subjects.last == .act(.write(FileChange(path: path, old: "true", new: "evil"), why: nil)))
      #expect(contents(path) == "true")
    }
  }

  @Test func `options of one id are none, for a no could be sent as a yes`() async throws {
    try await withTemporaryDirectory { directory in
      let script = """
        id = prompt()
        send({'id': 1, 'method': 'session/request_permission', 'params': {'sessionId': 's', 'toolCall': {'toolCallId': 'c'},
          'options': [{'optionId': 'x', 'name': 'Yes', 'kind': 'allow_once'},
            {'optionId': 'x', 'name': 'No', 'kind': 'reject_once'}]}})
        say(json.dumps(read()['result']['outcome']['outcome']))
        end(id)
        read()
        """
      let asked = await asked(script, in: directory.path, yes)
      #expect(asked.subjects == [.permission(Activity(id: "c"), [])])
      #expect(asked.text == "\"cancelled\"")
    }
  }

  @Test func `a command that was shown is asked about when it is another, elsewhere, or comes again`() async throws {
    try await withTemporaryDirectory { directory in
      let call = "'kind': 'execute', 'rawInput': {'command': 'true', 'args': ['one']}"
      for (request, questions) in [
        ("ask(2, 'terminal/create', command='true', args=['one'])", 1),
        ("ask(2, 'terminal/create', command='true', args=['two'])", 2),
        ("ask(2, 'terminal/create', command='true one')", 2),
        ("ask(2, 'terminal/create', command='true', args=['one'], cwd='/')", 2),
        ("ask(2, 'terminal/create', command='true', args=['one'], env=[{'name': 'A', 'value': 'b'}])", 2),
        (
          "[ask(2, 'terminal/create', command='true', args=['one']), ask(3, 'terminal/create', command='true', args=['one'])][1]",
          2
        ),
      ] {
        let asked = await asked(script(permission: call, then: request), in: directory.path, yes)
        #expect(asked.subjects.count == questions, "\(request)")
      }
    }
  }

  @Test(arguments: [
    "{'command': 'touch made', 'workdir': '/tmp'}", "{'command': 'touch made', 'dry_run': True}",
    "{'command': 'touch', 'args': [['--no-create'], 'made']}", "{'command': 'touch made', 'args': '--no-create'}",
    "{'command': 'touch made', 'args': None}",
  ])
  func `a command that is shown with more than its words is asked about again`(input: String) async throws {
    try await withTemporaryDirectory { directory in
      for run in ["command='touch made'", "command='touch', args=['made']"] {
        let asked = await asked(
          script(permission: "'kind': 'execute', 'rawInput': \(input)", then: "ask(2, 'terminal/create', \(run))"),
          in: directory.path
        ) { question in
          if case .act = question.subject { .refuse } else { yes(question) }
        }
        #expect(asked.subjects.count == 2)
        #expect(contents(directory.path + "/made") == nil)
      }
    }
  }

  @Test func `a program that is called as a line that was shown is another command`() async throws {
    try await withTemporaryDirectory { directory in
      let program = directory.path + "/build test"
      try "#!/bin/sh\ntouch evil".write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      for line in ["./build test", program] {
        let asked = await asked(
          script(
            permission: "'kind': 'execute', 'rawInput': {'command': '\(line)'}",
            then: "ask(2, 'terminal/create', command='\(line)')"), in: directory.path
        ) { question in
          if case .act = question.subject { .refuse } else { yes(question) }
        }
        #expect(asked.subjects.count == 2)
      }
    }
  }

  @Test func `where a command starts is shown as it is`() async throws {
    try await withTemporaryDirectory { directory in
      let (inside, other, own) = (directory.path + "/work", directory.path + "/other", directory.path + "/own")
      for folder in [inside, other, own] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      }
      try FileManager.default.createSymbolicLink(atPath: inside + "/link", withDestinationPath: other)
      try FileManager.default.createSymbolicLink(atPath: inside + "/to-own", withDestinationPath: own)
      func script(_ folder: String) -> String {
        """
        id = prompt()
        send({'id': 1, 'method': 'terminal/create', 'params': {'sessionId': 's', 'command': 'true', 'cwd': '\(folder)'}})
        say(json.dumps(read().get('error', {}).get('code', 0)))
        end(id)
        read()
        """
      }
      let led = await asked(script(inside + "/link"), in: inside) { _ in .refuse }
      guard case .act(.run(let command))? = led.subjects.first else {
        Issue.record("\(led.subjects)")
        return
      }
      #expect(command.folder == (other as NSString).resolvingSymlinksInPath)
      // What C cuts short, what is not there, and what is for nobody is not asked about.
      for folder in [other + "\\0/x", other + "/none"] {
        let asked = await asked(script(folder), in: inside) { _ in .allow }
        #expect(asked.subjects.isEmpty && asked.text != "0")
      }
    }
  }

  @Test func `a command does not follow a folder that was put in the place of the agent's`() async throws {
    try await withTemporaryDirectory { directory in
      let (inside, other) = (directory.path + "/work", directory.path + "/other")
      for folder in [inside, other] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      }
      let swap = "os.rename('\(inside)', '\(inside)-old'), os.symlink('\(other)', '\(inside)')"
      let asked = await asked(
        script(
          permission: "'kind': 'execute', 'rawInput': {'command': 'touch made'}",
          then: "[\(swap), ask(2, 'terminal/create', command='touch made')][2]"), in: inside, yes)
      #expect(asked.text != "0")
      #expect(contents(other + "/made") == nil)
    }
  }

  @Test func `a folder of another spelling is another folder`() async throws {
    try await withTemporaryDirectory { directory in
      let (inside, other) = (directory.path + "/w\u{F6}rk", directory.path + "/wo\u{308}rk")
      for folder in [inside, other] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      }
      let asked = await asked(
        script(
          permission: "'kind': 'execute', 'rawInput': {'command': 'touch made'}",
          then: "ask(2, 'terminal/create', command='touch made', cwd='\(other)')"), in: inside
      ) { question in
        if case .act = question.subject { .refuse } else { yes(question) }
      }
      #expect(asked.subjects.count == 2)
    }
  }

  @Test func `another folder in the place of the agent's is outside`() async throws {
    try await withTemporaryDirectory { directory in
      let (inside, secret) = (directory.path + "/work", directory.path + "/secret")
      try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
      try "secret".write(toFile: secret, atomically: true, encoding: .utf8)
      let script = """
        id = prompt()
        os.rename('\(inside)', '\(inside)-old'); os.symlink('\(directory.path)', '\(inside)')
        send({'id': 1, 'method': 'fs/read_text_file', 'params': {'sessionId': 's', 'path': '\(inside)/secret'}})
        say('read' if 'result' in read() else 'refused')
        end(id)
        read()
        """
      let asked = await asked(script, in: inside) { _ in .refuse }
      #expect(asked.text == "refused")
    }
  }

  @Test func `a question of a conversation that there is not is cancelled at once`() async throws {
    try await withTemporaryDirectory { directory in
      let script = """
        id = prompt()
        for name in ('other', ''):
            send({'id': 1, 'method': 'fs/write_text_file', 'params':
              {'sessionId': name, 'path': '\(directory.path)/x', 'content': ''}})
            say(str(read()['error']['code']))
        end(id)
        read()
        """
      let asked = await asked(script, in: directory.path, yes)
      #expect(asked.subjects.isEmpty)
      #expect(asked.text == "-32800-32800")
    }
  }

  @Test func `many commands may run one after another`() async throws {
    try await withTemporaryDirectory { directory in
      let script = """
        id = prompt()
        good = 0
        for n in range(40):
            send({'id': n, 'method': 'terminal/create', 'params': {'sessionId': 's', 'command': 'true'}})
            terminal = read()['result']['terminalId']
            for method in ('wait_for_exit', 'release'):
                send({'id': n, 'method': 'terminal/' + method, 'params': {'sessionId': 's', 'terminalId': terminal}})
                good += 'result' in read()
        say(str(good))
        end(id)
        read()
        """
      let asked = await asked(script, in: directory.path, yes)
      #expect(asked.text == "80")
    }
  }
}

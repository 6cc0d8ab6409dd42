import Foundation
import Glibc
import TestSupport
import Testing

@testable import Transport

@Suite(.serialized) struct CommandRunTests {
  @Test func `what a command writes is its output, and it ends with its exit code`() async throws {
    let run = try await Children().run(["echo", "a", "b c"], in: "/", environment: ["PATH": "/usr/bin:/bin"])
    #expect(await run.ended() == CommandEnd(exitCode: 0))
    // All it wrote is there when it has ended.
    #expect(run.output() == CommandRun.Output(text: "a b c\n", isTruncated: false, end: CommandEnd(exitCode: 0)))
  }

  @Test func `standard error is among the output in the order of arrival`() async throws {
    let run = try await ChildScene().run("echo 1; echo 2 >&2; echo 3; echo 4 >&2")
    _ = await run.ended()
    #expect(run.output().text == "1\n2\n3\n4\n")
  }

  @Test(arguments: [
    ("exit 143", CommandEnd(exitCode: 143)), ("kill -TERM $$", CommandEnd(signal: SIGTERM)),
    ("exit 255", CommandEnd(exitCode: 255)), ("kill -KILL $$", CommandEnd(signal: SIGKILL)),
    ("true", CommandEnd(exitCode: 0)),
  ])
  func `an exit code and a signal are told apart`(script: String, end: CommandEnd) async throws {
    let run = try await ChildScene().run(script)
    #expect(await run.ended() == end)
    #expect(run.output().end == end)
  }

  @Test func `signals are named`() {
    #expect(CommandEnd(signal: SIGKILL) == CommandEnd(status: SIGKILL))
    #expect(CommandEnd(signal: SIGKILL).signal == "SIGKILL")
    // With a core that was written.
    #expect(CommandEnd(status: 0x80 | SIGSEGV).signal == "SIGSEGV")
    #expect(CommandEnd(signal: 40).signal == "SIG40")
    #expect(CommandEnd(signal: SIGTERM).exitCode == nil)
    #expect(CommandEnd(status: 3 << 8) == CommandEnd(exitCode: 3))
    #expect(CommandEnd(exitCode: 3).signal == nil)
  }

  @Test func `of much output the end is kept, from a character on`() async throws {
    let run = try await ChildScene().run("yes '€😀' | head -n 200000; printf end", outputLimit: 1001)
    #expect(await run.ended() == CommandEnd(exitCode: 0))
    let output = run.output()
    #expect(output.isTruncated)
    // Seven bytes and the end of a line: 124 of these are 992, and of what is before them one character fits.
    #expect(output.text == "😀\n" + String(repeating: "€😀\n", count: 124) + "end")
    #expect(output.text.utf8.count <= 1001)
  }

  @Test func `nobody may ask for more output than there is room for`() async throws {
    let run = try await ChildScene().run("head -c 9000000 /dev/zero | tr '\\0' a", outputLimit: .max)
    _ = await run.ended()
    #expect(run.output().text.utf8.count == CommandRun.greatestLimit)
    #expect(run.output().isTruncated)
    for limit in [0, -1] {
      let run = try await ChildScene().run("yes | head -c 100000", outputLimit: limit)
      #expect(await run.ended() == CommandEnd(exitCode: 0))
      #expect(run.output().text == "")
      #expect(run.output().isTruncated)
    }
  }

  @Test func `a command has nothing to read`() async throws {
    let run = try await ChildScene().run("cat; readlink /proc/self/fd/0; ls /proc/self/fd | xargs")
    #expect(await run.text() == "/dev/null\n0 1 2 3\n")
  }

  @Test func `a command starts in its folder`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.resolvingSymlinksInPath().path
      let run = try await ChildScene().run("pwd", in: path)
      #expect(await run.text() == path + "\n")
      await #expect(throws: ChildProgram.Failure.noFolder(path + "/none")) {
        try await ChildScene().run("pwd", in: path + "/none")
      }
    }
  }

  @Test func `a command that cannot be started says why`() async throws {
    try await withTemporaryDirectory { folder in
      func run(_ words: [String]) async throws {
        _ = try await Children().run(words, in: folder.path, environment: ["PATH": folder.path])
      }
      await #expect(throws: ChildProgram.Failure.notFound) { try await run(["tool"]) }
      await #expect(throws: ChildProgram.Failure.notFound) { try await run(["./tool"]) }
      await #expect(throws: ChildProgram.Failure.notFound) { try await run([]) }
      try installProgram("#!/no/such/interpreter", at: folder.path + "/tool")
      await #expect(throws: ChildProgram.Failure.problem("No such file or directory")) { try await run(["tool"]) }
    }
  }

  @Test func `a command sees no secret of ours, but what is added`() async throws {
    let canary = "canary-\(UUID().uuidString)"
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": "/home/a", "OPENAI_API_KEY": canary, "PARLEY_TOKEN": canary, "OTHER": canary,
    ]
    let run = try await ChildScene().run(
      "cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'",
      adding: [("API_KEY", "given"), ("HOME", "/home/b"), ("TWICE", "1"), ("TWICE", "2"), ("EMPTY", "")],
      environment: environment)
    let seen = await run.text()
    #expect(!seen.contains(canary))
    let lines = Set(seen.split(separator: "\n"))
    #expect(lines.isSuperset(of: ["API_KEY=given", "HOME=/home/b", "TWICE=2", "EMPTY="]))
    #expect(lines.isDisjoint(with: ["HOME=/home/a", "TWICE=1"]))
  }

  @Test(arguments: ["LD_PRELOAD", "SSLKEYLOGFILE", "PARLEY_TOKEN"])
  func `what would harm cannot be added`(name: String) async {
    await #expect(throws: ChildProgram.Failure.problem("the variable \(name) is passed to no program")) {
      try await ChildScene().run("true", adding: [(name, "x")])
    }
  }

  @Test(arguments: [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0")])
  func `what is no variable cannot be added`(name: String, value: String) async {
    await #expect(throws: ChildProgram.Failure.problem("a variable that cannot be one")) {
      try await ChildScene().run("true", adding: [(name, value)])
    }
  }

  @Test func `a program is looked for along the path that is added`() async throws {
    try await withTemporaryDirectory { folder in
      try installProgram("#!/bin/sh\necho here", at: folder.path + "/tool")
      let run = try await Children().run(
        ["tool"], in: "/", adding: [("PATH", folder.path)], environment: ["PATH": "/usr/bin:/bin"])
      #expect(await run.text() == "here\n")
    }
  }

  @Test func `the output comes as it is written, in whole characters`() async throws {
    try await withTemporaryDirectory { folder in
      let script = "mkfifo go; printf 'one\\342\\202'; cat go >/dev/null; printf '\\254two\\n'"
      let run = try await ChildScene().run(script, in: folder.path)
      var pieces: [String] = []
      for await piece in run.pieces {
        pieces.append(piece)
        guard pieces.joined() == "one" else { continue }
        #expect(run.output().text == "one")
        #expect(await eventually { FileManager.default.fileExists(atPath: folder.path + "/go") })
        try await onItsOwnThread { try Data().write(to: folder.appendingPathComponent("go"), options: []) }
      }
      #expect(pieces.joined() == "one€two\n")
      #expect(!pieces.contains(""))
      #expect(await run.hasWritten("two"))
    }
  }

  @Test func `two who watch see all of it, and one who is cancelled no more`() async throws {
    let run = try await ChildScene().run("echo here; exec sleep LONG")
    #expect(await run.hasWritten("here"))
    let watching = Task {
      var all = ""
      for await piece in run.pieces { all += piece }
      return all
    }
    watching.cancel()
    #expect(["", "here\n"].contains(await watching.value))
    async let first = run.hasWritten("never")
    await run.kill()
    #expect(await !first)
    #expect(await eventually { run.change { $0.bells.isEmpty } })
  }

  @Test func `commands that run one after another leave no descriptors open`() async throws {
    func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let (before, children) = (try count(), Children())
    for number in 0..<200 {
      let run = try await children.run(["echo", "\(number)"], in: "/", environment: ["PATH": "/usr/bin:/bin"])
      #expect(await run.text() == "\(number)\n")
    }
    // Other tests have some open, fewer than one for each of these.
    #expect(await eventually { (try? count()).map { $0 < before + 100 } ?? false })
  }
}

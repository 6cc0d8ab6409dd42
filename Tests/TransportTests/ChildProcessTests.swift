import Foundation
import Glibc
import TestSupport
import Testing

@testable import Transport

@Suite(.serialized) struct ChildProcessTests {
  private func output(
    _ script: String, environment: [String: String] = ProcessInfo.processInfo.environment, passing: [String] = [],
    in folder: String? = nil, children: Children = Children()
  ) async throws -> String {
    let program = try ChildScene().shell(script, environment: environment, passing: passing, in: folder)
    let child = try await children.start(program)
    let text = await child.readToEnd()
    _ = await child.ended()
    return text
  }

  @Test func `a program is told of the usual variables and of no secret`() async throws {
    let canary = "canary-\(UUID().uuidString)"
    var environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home/a", "LANG": "C.UTF-8", "LC_TIME": "C"]
    for name in [
      "PARLEY_TOKEN", "OPENAI_API_KEY", "GITHUB_PAT", "KAMIWAZA_API_KEY", "LD_CANARY", "SSLKEYLOGFILE", "DB_PASSWORD",
      "MY_AUTH", "AWS_CREDENTIALS", "SOMETHING", "LC_SECRET",
    ] { environment[name] = canary }
    let seen = try await output("cat /proc/self/environ /proc/$PPID/environ", environment: environment)
    #expect(!seen.contains(canary))
    #expect(seen.contains("HOME=/home/a"))
    #expect(seen.contains("LC_TIME=C"))
  }

  @Test func `a program has nothing of the environment that it is not given`() async throws {
    let child = try await Children().start(ChildProgram(["/usr/bin/env"], environment: ["TERM": "dumb", "A": "b"]))
    #expect(await child.readToEnd() == "TERM=dumb\n")
  }

  @Test func `the person may pass what they choose, but not what would harm`() {
    let environment = [
      "GITHUB_TOKEN": "ghp_x", "PARLEY_TOKEN": "x", "LD_PRELOAD": "x", "SSLKEYLOGFILE": "x", "TERM": "eyJa.b.c",
      "TZ": "-----BEGIN PRIVATE KEY-----", "SHELL": "/bin/sh", "USER": "sk-abc", "LOGNAME": "a", "A=B": "x",
    ]
    let chosen = ["GITHUB_TOKEN", "PARLEY_TOKEN", "LD_PRELOAD", "SSLKEYLOGFILE", "NOT_THERE", "A=B"]
    #expect(
      ChildEnvironment.variables(of: environment, passing: chosen)
        == ["GITHUB_TOKEN": "ghp_x", "SHELL": "/bin/sh", "LOGNAME": "a"])
  }

  @Test func `a program has three descriptors, a session of its own, the person's umask and no signal blocked`()
    async throws
  {
    // The listing itself opens one more.
    #expect(try await output("ls /proc/self/fd").split(separator: "\n") == ["0", "1", "2", "3"])
    // The shell's own mask is full for a moment while it starts grep, which has the one the shell was given.
    let script = "cut -d' ' -f1,6 /proc/$$/stat; umask; grep -E 'Sig(Blk|Ign)' /proc/self/status; cat /proc/$$/cmdline"
    let lines = try await output(script, children: Children(umask: 0o027)).split(separator: "\n")
    let numbers = lines[0].split(separator: " ")
    #expect(numbers[0] == numbers[1])
    #expect(lines[1] == "0027")
    let (blocked, ignored) = (UInt64(lines[2].suffix(16), radix: 16), UInt64(lines[3].suffix(16), radix: 16))
    #expect(blocked == 0)
    // The two that glibc keeps for itself (32 and 33) are ignored by what it starts.
    #expect(ignored.map { $0 & ~(0b11 << 31) } == 0)
  }

  @Test func `a program starts in its folder`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.resolvingSymlinksInPath().path
      #expect(try await output("pwd", in: path) == path + "\n")
      try installProgram("#!/bin/sh\necho here", at: path + "/tool")
      let child = try await Children().start(ChildProgram(["./tool"], environment: [:], in: path))
      #expect(await child.readToEnd() == "here\n")
      #expect(throws: ChildProgram.Failure.noFolder(path + "/none")) {
        try ChildProgram(["true"], environment: [:], in: path + "/none")
      }
    }
  }

  @Test func `a program that cannot be started says why`() async throws {
    try await withTemporaryDirectory { folder in
      func program(_ name: String, path: String? = nil) throws -> ChildProgram {
        try ChildProgram([name], environment: ["PATH": path ?? folder.path])
      }
      let file = folder.appendingPathComponent("tool").path
      #expect(throws: ChildProgram.Failure.notFound) { try program("tool") }
      #expect(throws: ChildProgram.Failure.notFound) { try program(file) }
      #expect(throws: ChildProgram.Failure.notFound) { try program("") }
      try "#!/no/such/interpreter".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(throws: ChildProgram.Failure.notExecutable) { try program("tool") }
      #expect(throws: ChildProgram.Failure.notExecutable) { try program(folder.path) }
      try installProgram("#!/no/such/interpreter", at: file)
      await #expect(throws: ChildProgram.Failure.problem("No such file or directory")) {
        try await Children().start(program("tool"))
      }
      try installProgram("\u{7F}E", at: file)
      await #expect(throws: ChildProgram.Failure.problem("Exec format error")) {
        try await Children().start(program("tool"))
      }
    }
  }

  @Test func `what is written comes back, much of it at once and by several writers`() async throws {
    let child = try await Children().start(ChildScene().shell("cat"))
    let line = [UInt8](repeating: 0x61, count: 100_000) + [0x0A]
    async let all = child.read(50 * line.count)
    await withDiscardingTaskGroup { group in
      for _ in 0..<50 { group.addTask { #expect(await child.write(line)) } }
    }
    let text = await all
    await child.stop()
    #expect(text.utf8.count == 50 * line.count)
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count == 100_000 })
    #expect(await !child.write([0x61]))
    #expect(await child.ended().status == 0)
  }

  @Test func `a program that nobody reads waits, and takes no memory of ours`() async throws {
    let child = try await Children().start(ChildScene().shell("yes; true"))
    #expect(await eventually { child.change { $0.unread.count } >= ChildProcess.bufferLimit })
    #expect(child.change { $0.unread.count } <= ChildProcess.bufferLimit + (64 << 10))
    #expect(await child.read()?.isEmpty == false)
    await child.stop()
    #expect(await child.read() == nil)
  }

  @Test func `a writer to a program that does not read waits until it ends`() async throws {
    let child = try await Children().start(ChildScene().shell("exec sleep LONG"))
    async let isSent = child.write([UInt8](repeating: 0x61, count: 4 << 20))
    #expect(await eventually { child.change { !$0.writeWaiters.isEmpty } })
    await child.stop()
    #expect(await !isSent)
  }

  @Test func `a writer that is cancelled waits no more`() async throws {
    let child = try await Children().start(ChildScene().shell("exec sleep LONG"))
    let writing = Task { await child.write([UInt8](repeating: 0x61, count: 4 << 20)) }
    #expect(await eventually { child.change { !$0.writeWaiters.isEmpty } })
    writing.cancel()
    #expect(await writing.value)
    await child.stop()
  }

  @Test func `the last words are the last line of standard error that says something`() async throws {
    let child = try await Children().start(
      ChildScene().shell("echo one >&2; printf 'two \\377\\r\\n\\n  \\n' >&2; exit 2"))
    let exit = await child.ended()
    #expect(exit == ChildExit(status: 2, lastWords: "two \u{FFFD}"))
  }

  @Test func `of much standard error the end is kept`() async throws {
    let child = try await Children().start(ChildScene().shell("yes | head -c 3000000 >&2; echo end >&2"))
    #expect(await child.ended().lastWords == "end")
    #expect(child.change { $0.words.count } <= 2 * ChildProcess.wordsLimit)
  }

  @Test func `what a program wrote before its end is read after it`() async throws {
    let child = try await Children().start(ChildScene().shell("head -c 50000 /dev/zero; exit 1"))
    _ = await child.ended()
    #expect(await child.readToEnd().utf8.count == 50_000)
    #expect(await child.read() == nil)
  }
}

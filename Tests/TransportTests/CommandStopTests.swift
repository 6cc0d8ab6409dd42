import Foundation
import Glibc
import TestSupport
import Testing

@testable import Transport

@Suite(.serialized) struct CommandStopTests {
  @Test(arguments: [
    ("sleep LONG & setsid sleep LONG & wait", 3), ("nohup sleep LONG & wait", 2),
    ("trap '' TERM; setsid sh -c 'while :; do sleep LONG; done' & while :; do sleep LONG; done", 4),
    ("sleep LONG & kill -STOP $!; kill -STOP $$", 2),
  ])
  func `a command that is ended leaves nothing behind`(script: String, count: Int) async throws {
    let scene = ChildScene()
    let run = try await scene.run("echo before; " + script)
    #expect(await scene.hasStarted(count))
    #expect(await run.hasWritten("before"))
    await run.kill()
    #expect(scene.processes().isEmpty)
    #expect(run.output().text.hasPrefix("before\n"))
    #expect(run.output().end?.signal != nil)
    // Again, which changes nothing.
    await run.kill()
    #expect(await run.ended() == run.output().end)
  }

  @Test func `a command may say something when it is asked to end`() async throws {
    let run = try await ChildScene().run(
      "trap 'echo ends; exit 5' TERM; echo ready; while :; do sleep LONG & wait; done")
    #expect(await run.hasWritten("ready"))
    await run.kill()
    #expect(run.output() == CommandRun.Output(text: "ready\nends\n", isTruncated: false, end: CommandEnd(exitCode: 5)))
  }

  @Test func `a command that floods can be ended`() async throws {
    let run = try await ChildScene().run("exec yes", outputLimit: 100)
    #expect(await eventually { run.output().isTruncated })
    await run.kill()
    #expect(await run.ended() == CommandEnd(signal: SIGTERM))
  }

  @Test func `who holds the output open does not delay the end`() async throws {
    try await withTemporaryDirectory { folder in
      let scene = ChildScene()
      // Asked to end it goes on writing until there is a file, or it is made to end.
      let script = """
        (trap '' TERM; echo behind; while ! [ -e go ]; do sleep 0.01; done) &
        until [ -e up ]; do sleep 0.01; done; exit 3
        """
      let run = try await scene.run(script, in: folder.path)
      #expect(await run.hasWritten("behind"))
      try Data().write(to: folder.appendingPathComponent("up"))
      #expect(await run.ended() == CommandEnd(exitCode: 3))
      #expect(run.change { !$0.isGone && !$0.isTextOver })
      await run.kill()
      #expect(run.output() == CommandRun.Output(text: "behind\n", isTruncated: false, end: CommandEnd(exitCode: 3)))
    }
  }

  @Test func `who waits is cancelled, and the command goes on`() async throws {
    let scene = ChildScene()
    let run = try await scene.run("exec sleep LONG")
    let waiting = Task { await run.ended() }
    #expect(await eventually { run.change { !$0.bells.isEmpty } })
    waiting.cancel()
    #expect(await waiting.value == nil)
    #expect(await eventually { run.change { $0.bells.isEmpty } })
    #expect(run.output().end == nil)
    #expect(await scene.hasStarted(1))
    async let end = run.ended()
    // Also a task that is cancelled ends it.
    let killing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await run.kill()
    }
    await killing.value
    #expect(scene.processes().isEmpty)
    #expect(await end == CommandEnd(signal: SIGTERM))
  }

  @Test func `a command whose keeper is killed has ended by SIGKILL`() async throws {
    let scene = ChildScene()
    let run = try await scene.run("echo $PPID.; sleep LONG & sleep LONG; true")
    #expect(await run.hasWritten("."))
    #expect(await scene.hasStarted(3))
    let keeper = try #require(Int32(run.output().text.dropLast(2)))
    kill(keeper, SIGKILL)
    #expect(await run.ended() == CommandEnd(signal: SIGKILL))
    await run.kill()
    #expect(await eventually { scene.processes().isEmpty })
  }

  @Test func `commands end with all others, and none is started after`() async throws {
    let (scene, children) = (ChildScene(), Children())
    let run = try await scene.run("setsid sleep LONG & wait", children: children)
    #expect(await scene.hasStarted(2))
    await children.end()
    #expect(scene.processes().isEmpty)
    #expect(run.output().end == CommandEnd(signal: SIGTERM))
    await #expect(throws: ChildProgram.Failure.ending) { try await scene.run("true", children: children) }
  }
}

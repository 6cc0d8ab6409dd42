import Foundation
import TestSupport
import Testing

@testable import Transport

/// A way in which programs outlive those who start them.
private struct Clinger: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let script: String
  /// Processes that it comes to.
  let count: Int

  static let all = [
    Clinger(testDescription: "plain", script: "sleep LONG; true", count: 2),
    Clinger(testDescription: "nohup", script: "nohup sleep LONG & wait", count: 2),
    Clinger(testDescription: "setsid", script: "setsid sleep LONG & wait", count: 2),
    Clinger(
      testDescription: "double fork", script: "(setsid sh -c 'sleep LONG & sleep LONG' &); exec sleep LONG", count: 4),
    Clinger(
      testDescription: "ignoring TERM",
      script: "trap '' TERM; setsid sh -c 'while :; do sleep LONG; done' & while :; do sleep LONG; done", count: 4),
    Clinger(
      testDescription: "fork bomb",
      script: "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi; sleep LONG; }; f 5", count: 100),
    Clinger(testDescription: "stopped", script: "sleep LONG & kill -STOP $!; kill -STOP $$", count: 2),
    Clinger(testDescription: "empty environment", script: "env -i setsid sleep LONG & wait", count: 2),
  ]

  /// How often each is stopped.
  static let times = ProcessInfo.processInfo.environment["PARLEY_ROUNDS"].flatMap(Int.init) ?? 5
}

@Suite(.serialized) struct ChildStopTests {
  @Test(arguments: Clinger.all)
  fileprivate func `a program that is stopped leaves nothing behind`(clinger: Clinger) async throws {
    for _ in 0..<max(1, Clinger.times / 5) {
      let children = Children()
      var started: [(ChildScene, ChildProcess)] = []
      for _ in 0..<5 {
        let scene = ChildScene()
        started.append((scene, try await children.start(scene.shell(clinger.script))))
      }
      for (scene, _) in started { #expect(await scene.hasStarted(clinger.count), "\(scene.processes().count)") }
      await children.end()
      for (scene, _) in started { #expect(scene.processes().isEmpty) }
    }
  }

  @Test func `a program that ends with its input is not hurried`() async throws {
    let scene = ChildScene()
    let child = try await Children().start(scene.shell("cat >/dev/null; exit 7"))
    // A signal would have given it another one.
    #expect(await child.stop().status == 7)
    #expect(await child.stop().status == 7)
  }

  @Test func `a program that ends takes with it what it left behind`() async throws {
    let scene = ChildScene()
    let child = try await Children().start(scene.shell("setsid sleep LONG & sleep LONG & exit 3"))
    #expect(await child.readToEnd() == "")
    #expect(await child.ended().status == 3)
    #expect(scene.processes().isEmpty)
  }

  @Test func `the status of a program that a signal ended is that of a shell`() async throws {
    let child = try await Children().start(ChildScene().shell("kill -SEGV $$"))
    #expect(await child.ended().status == 139)
  }

  @Test func `none is started after the end`() async throws {
    let children = Children()
    await children.end()
    await #expect(throws: ChildProgram.Failure.ending) { try await children.start(ChildScene().shell("true")) }
  }
}

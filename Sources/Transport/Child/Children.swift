import Waiting

/// The long-lived programs and the commands of a run. They end with `end()`; and when the process ends without it,
/// however that comes, their keepers see to it.
package final class Children: Sendable {
  private let umask: UInt32
  private let state = Locked(State())

  private struct State {
    /// How each is ended.
    var running: [ObjectIdentifier: @Sendable () async -> Void] = [:]
    var isOver = false
  }

  /// - Parameter umask: what the process was started with; ours is for our own files.
  package init(umask: UInt32 = 0o022) { self.umask = umask }

  /// Starts a program; returns when it runs.
  package func start(_ program: ChildProgram) async throws(ChildProgram.Failure) -> ChildProcess {
    let child = try begin { [umask] () throws(ChildProgram.Failure) in
      let child = try ChildProcess(program, umask: umask)
      return (child, { await child.stop() })
    }
    do throws(ChildProgram.Failure) {
      try await child.hasStarted()
    } catch {
      forget(child)
      throw error
    }
    // Its own, as it lives as long as the program.
    Task {
      _ = await child.ended()
      forget(child)
    }
    return child
  }

  /// Starts a command that somebody else thought of; returns when it runs.
  /// - Parameters:
  ///   - command: the program and what it is called with; at least the program.
  ///   - folder: where it starts.
  ///   - variables: what it gets besides those of ours that docs/rules.md A5 leaves. One that no program is passed is
  ///     a `problem`.
  ///   - outputLimit: the bytes of its output that are handed out, in UTF-8; `CommandRun.greatestLimit` at most.
  ///   - environment: ours.
  package func run(
    _ command: [String], in folder: String, adding variables: [(name: String, value: String)] = [],
    outputLimit: Int = CommandRun.usualLimit, environment: [String: String]
  ) async throws(ChildProgram.Failure) -> CommandRun {
    let program = try ChildProgram(command, environment: environment, adding: variables, in: folder)
    let run = try begin { [umask] () throws(ChildProgram.Failure) in
      let run = try CommandRun(program, umask: umask, outputLimit: outputLimit)
      return (run, { await run.kill() })
    }
    do throws(ChildProgram.Failure) {
      try await run.hasStarted()
    } catch {
      forget(run)
      throw error
    }
    // Its own, as it lives as long as the command.
    Task {
      await run.untilGone()
      forget(run)
    }
    return run
  }

  /// Ends them all, and returns when nothing of them is left: three seconds for those that do not want to. None can be
  /// started any more.
  package func end() async {
    let endings = state.withLock { state in
      state.isOver = true
      return Array(state.running.values)
    }
    await withDiscardingTaskGroup { group in
      for end in endings { group.addTask { await end() } }
    }
  }

  private func begin<Child: AnyObject & Sendable>(
    _ start: () throws(ChildProgram.Failure) -> (Child, end: @Sendable () async -> Void)
  ) throws(ChildProgram.Failure) -> Child {
    try state.withLock { state throws(ChildProgram.Failure) in
      if state.isOver { throw .ending }
      let (child, end) = try start()
      state.running[ObjectIdentifier(child)] = end
      return child
    }
  }

  private func forget(_ child: AnyObject) { state.withLock { $0.running[ObjectIdentifier(child)] = nil } }
}

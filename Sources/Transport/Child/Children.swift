import Waiting

/// The long-lived programs of a run. They end with `end()`; and when the process ends without it, however that comes,
/// their keepers see to it.
package final class Children: Sendable {
  private let umask: UInt32
  private let state = Locked(State())

  private struct State {
    var running: [ObjectIdentifier: ChildProcess] = [:]
    var isOver = false
  }

  /// - Parameter umask: what the process was started with; ours is for our own files.
  package init(umask: UInt32 = 0o022) { self.umask = umask }

  /// Starts a program; returns when it runs.
  package func start(_ program: ChildProgram) async throws(ChildProgram.Failure) -> ChildProcess {
    let child = try begin(program)
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

  /// Ends them all, and returns when nothing of them is left: three seconds for those that do not want to. None can be
  /// started any more.
  package func end() async {
    let children = state.withLock { state in
      state.isOver = true
      return Array(state.running.values)
    }
    await withDiscardingTaskGroup { group in
      for child in children { group.addTask { await child.stop() } }
    }
  }

  private func begin(_ program: ChildProgram) throws(ChildProgram.Failure) -> ChildProcess {
    try state.withLock { state throws(ChildProgram.Failure) in
      if state.isOver { throw .ending }
      let child = try ChildProcess(program, umask: umask)
      state.running[ObjectIdentifier(child)] = child
      return child
    }
  }

  private func forget(_ child: ChildProcess) { state.withLock { $0.running[ObjectIdentifier(child)] = nil } }
}

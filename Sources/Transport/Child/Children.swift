import Foundation

/// The long-lived programs of a run. They end with `end()`; and when the process ends without it, however that comes,
/// their keepers see to it.
package final class Children: @unchecked Sendable {
  private let umask: UInt32
  private let lock = NSLock()
  private var running: [ObjectIdentifier: ChildProcess] = [:]
  private var isOver = false

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
    let children = lock.withLock {
      isOver = true
      return Array(running.values)
    }
    await withDiscardingTaskGroup { group in
      for child in children { group.addTask { await child.stop() } }
    }
  }

  private func begin(_ program: ChildProgram) throws(ChildProgram.Failure) -> ChildProcess {
    try lock.withLock { () -> Result<ChildProcess, ChildProgram.Failure> in
      guard !isOver else { return .failure(.ending) }
      return Result { () throws(ChildProgram.Failure) in
        let child = try ChildProcess(program, umask: umask)
        running[ObjectIdentifier(child)] = child
        return child
      }
    }.get()
  }

  private func forget(_ child: ChildProcess) { lock.withLock { running[ObjectIdentifier(child)] = nil } }
}

import Shell
import Waiting
import Wire

/// A session that an editor has with us: its shell, which does one thing after another.
///
/// Jobs are taken in the order in which they came, so that an answer never overtakes what was asked before it.
final class ServedSession: Sendable {
  typealias Job = @Sendable (inout Shell) async -> Void

  let front: SessionFront
  private let jobs = EventQueue<Job>(room: { _ in .always })
  /// The session's own: it ends with the jobs.
  private let life: Task<Void, Never>
  /// What was last said of it.
  let said = Locked(Said())

  struct Said: Sendable {
    var options: JSON?
    var name: String?
    /// The request of the prompt that is under way.
    var prompt: RPCID?
  }

  /// - Parameter make: makes its shell, which nobody else has.
  init(_ front: SessionFront, _ make: @escaping @Sendable () -> Shell) {
    self.front = front
    life = Task { [jobs] in
      var shell = make()
      for await job in jobs { await job(&shell) }
      await shell.end()
    }
  }

  func perform(_ job: @escaping Job) { jobs.put(job) }

  /// Stops what is under way, does what was begun, and saves what is left to save.
  func end(_ interruption: Interruption = .interrupt) async {
    front.interrupt(interruption)
    jobs.finish()
    await life.value
  }
}

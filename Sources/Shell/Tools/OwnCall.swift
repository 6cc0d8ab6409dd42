import Chat
import Waiting

/// A call that the program carries out itself. Its work begins when it is first read, in a task of its own, and is over
/// when its reader hears so: one that was stopped has undone by then what it could.
final class OwnCall: Sendable {
  private typealias Event = Result<ToolEvent, ToolError>
  /// Its work, which says how far it is. Its task is cancelled when the call is stopped.
  typealias Work = @Sendable (_ tell: @escaping @Sendable (ToolEvent) -> Void) async throws(ToolError) -> ToolResult

  private let work: Work
  private let events = EventQueue<Event> {
    if case .success(let event) = $0 { event.room() } else { .always }
  }
  private let state = Locked(State.waiting)

  private enum State {
    case waiting
    case running(Task<Void, Never>)
    case stopped
  }

  init(_ work: @escaping Work) { self.work = work }

  deinit { state.withLock { if case .running(let task) = $0 { task.cancel() } } }

  var run: ToolRun {
    ToolRun(next: { () async throws(ToolError) in try await self.next() }, stop: { self.stop() })
  }

  private func next() async throws(ToolError) -> ToolEvent? {
    start()
    for await event in events { return try event.get() }
    guard Task.isCancelled else { return nil }
    stop()
    throw .cancelled
  }

  private func start() {
    state.withLock { state in
      guard case .waiting = state else { return }
      // The call's: it ends with its work, or with the call.
      state = .running(
        Task { [work, events] in
          do throws(ToolError) {
            events.put(.success(.finished(try await work { events.put(.success($0)) })))
          } catch {
            events.put(.failure(error))
          }
          events.finish()
        })
    }
  }

  private func stop() {
    let before = state.withLock { state in
      defer { state = .stopped }
      return state
    }
    switch before {
    case .running(let task): task.cancel()
    case .waiting:
      events.put(.failure(.cancelled))
      events.finish()
    case .stopped: break
    }
  }
}

import Chat
import Waiting
import Wire

/// A call of a tool: sent when its events are first read, by a task of its own that ends with it.
final class MCPCall: Sendable {
  private typealias Event = Result<ToolEvent, ToolError>
  typealias Work = @Sendable (MCPWatch) async throws(ToolError) -> ToolResult

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

  func next() async throws(ToolError) -> ToolEvent? {
    start()
    for await event in events { return try event.get() }
    if Task.isCancelled {
      stop()
      throw .cancelled
    }
    return nil
  }

  private func start() {
    state.withLock { state in
      guard case .waiting = state else { return }
      let task = Task { [work, events] in
        do throws(ToolError) {
          events.put(.success(.finished(try await work(MCPCall.watch(events)))))
        } catch {
          events.put(.failure(error))
        }
        events.finish()
      }
      state = .running(task)
    }
  }

  func stop() {
    // First what the reader gets: telling the server takes its time.
    events.put(.failure(.cancelled))
    events.finish()
    let before = state.withLock { state in
      defer { state = .stopped }
      return state
    }
    if case .running(let task) = before { task.cancel() }
  }

  private static func watch(_ events: EventQueue<Event>) -> MCPWatch {
    MCPWatch(
      event: { events.put(.success($0)) },
      ask: { message, subject in
        let (replies, replying) = AsyncStream.makeStream(of: ToolQuestion.Reply.self)
        let question = ToolQuestion(message: message, subject: subject) {
          replying.yield($0)
          replying.finish()
        }
        events.put(.success(.question(question)))
        for await reply in replies { return reply }
        return nil
      })
  }
}

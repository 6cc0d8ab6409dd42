import Chat
import Foundation
import Wire

/// A call of a tool: sent when its events are first read, by a task of its own that ends with it.
// Sendable: the task is set and read under the lock only.
final class MCPCall: @unchecked Sendable {
  private typealias Event = Result<ToolEvent, ToolError>
  typealias Work = @Sendable (MCPWatch) async throws(ToolError) -> ToolResult

  private let work: Work
  private let events = EventQueue<Event> {
    if case .success(let event) = $0 { event.room() } else { .always }
  }
  private let lock = NSLock()
  private var running: Task<Void, Never>?
  private var isStopped = false

  init(_ work: @escaping Work) { self.work = work }

  deinit { running?.cancel() }

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
    lock.withLock {
      guard running == nil, !isStopped else { return }
      running = Task { [work, events] in
        do throws(ToolError) {
          events.put(.success(.finished(try await work(MCPCall.watch(events)))))
        } catch {
          events.put(.failure(error))
        }
        events.finish()
      }
    }
  }

  func stop() {
    // First what the reader gets: telling the server takes its time.
    events.put(.failure(.cancelled))
    events.finish()
    let running = lock.withLock {
      isStopped = true
      return self.running
    }
    running?.cancel()
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

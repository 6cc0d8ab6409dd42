import Chat
import Foundation
import Wire

/// A call of a tool: sent when its events are first read, by a task of its own that ends with it.
// Sendable: the task is set and read under the lock only.
final class MCPCall: @unchecked Sendable {
  private typealias Event = Result<ToolEvent, ToolError>
  typealias Work = @Sendable (MCPWatch) async throws(ToolError) -> ToolResult

  private let work: Work
  private let events: AsyncStream<Event>
  private let door: AsyncStream<Event>.Continuation
  private let lock = NSLock()
  private var running: Task<Void, Never>?
  private var isStopped = false

  init(_ work: @escaping Work) {
    self.work = work
    (events, door) = AsyncStream.makeStream(of: Event.self)
  }

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
      running = Task { [work, door] in
        do throws(ToolError) {
          door.yield(.success(.finished(try await work(MCPCall.watch(door)))))
        } catch {
          door.yield(.failure(error))
        }
        door.finish()
      }
    }
  }

  func stop() {
    // First what the reader gets: telling the server takes its time.
    door.yield(.failure(.cancelled))
    door.finish()
    let running = lock.withLock {
      isStopped = true
      return self.running
    }
    running?.cancel()
  }

  private static func watch(_ door: AsyncStream<Event>.Continuation) -> MCPWatch {
    MCPWatch(
      event: { door.yield(.success($0)) },
      ask: { message, subject in
        let (replies, replying) = AsyncStream.makeStream(of: ToolQuestion.Reply.self)
        let question = ToolQuestion(message: message, subject: subject) {
          replying.yield($0)
          replying.finish()
        }
        door.yield(.success(.question(question)))
        for await reply in replies { return reply }
        return nil
      })
  }
}

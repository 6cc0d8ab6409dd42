import Chat
import Foundation

/// Calls that run at once, as one sequence of what happens in them: the one loop of the turn reads it.
// Sendable: the lock guards `isStopped`.
final class RunningCalls: @unchecked Sendable {
  enum Event: Sendable {
    case began(Int)
    case happened(Int, ToolEvent)
    /// The last of a call; nil when it ended as it should.
    case ended(Int, ToolError?)
  }

  let events: AsyncStream<Event>
  private let runs: [(index: Int, run: ToolRun)]
  private let lock = NSLock()
  private var stopped = false

  /// - Parameter atOnce: how many run at the same time, so that a flood of calls is none of requests.
  init(_ runs: [(index: Int, run: ToolRun)], atOnce: Int = 8) {
    self.runs = runs
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    self.events = events
    // Owned by who reads `events`, to its end.
    Task { [runs] in
      await withTaskGroup(of: Void.self) { group in
        for (number, call) in runs.enumerated() {
          if number >= atOnce { await group.next() }
          group.addTask { await RunningCalls.read(call.run, call.index, into: feed) }
        }
      }
      feed.finish()
    }
  }

  /// Ends all of them; their servers are told.
  func stop() {
    lock.withLock { stopped = true }
    for call in runs { call.run.stop() }
  }

  var isStopped: Bool { lock.withLock { stopped } }

  private static func read(_ run: ToolRun, _ index: Int, into feed: AsyncStream<Event>.Continuation) async {
    feed.yield(.began(index))
    do throws(ToolError) {
      for try await event in run { feed.yield(.happened(index, event)) }
      feed.yield(.ended(index, nil))
    } catch {
      feed.yield(.ended(index, error))
    }
  }
}

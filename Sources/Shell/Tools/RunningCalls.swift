import Chat
import Waiting

/// Calls that run at once, as one sequence of what happens in them: the one loop of the turn reads it.
final class RunningCalls: Sendable {
  struct Event: Sendable {
    /// Which call.
    var index: Int
    var kind: Kind
    /// Since the call began.
    var milliseconds: Int
  }

  enum Kind: Sendable {
    case began
    case happened(ToolEvent)
    /// The last of a call; nil when it ended as it should.
    case ended(ToolError?)
  }

  let events = EventQueue<Event> {
    if case .happened(let event) = $0.kind { event.room(call: $0.index) } else { .always }
  }
  private let runs: [(index: Int, run: ToolRun)]
  private let stopped = Locked(false)

  /// - Parameter atOnce: how many run at the same time, so that a flood of calls is none of requests.
  init(_ runs: [(index: Int, run: ToolRun)], uptime: @escaping @Sendable () -> Double, atOnce: Int = 8) {
    self.runs = runs
    // It ends with the calls, and they end with us.
    Task { [runs, events] in
      await withTaskGroup(of: Void.self) { group in
        for (number, call) in runs.enumerated() {
          if number >= atOnce { await group.next() }
          group.addTask {
            let began = uptime()
            await RunningCalls.read(call.run) { kind in
              events.put(
                Event(
                  index: call.index, kind: kind, milliseconds: Int(((uptime() - began) * 1000).rounded())))
            }
          }
        }
      }
      events.finish()
    }
  }

  /// A reader that goes before the end wants none of it: nothing may go on unseen.
  deinit { if !events.isFinished { for call in runs { call.run.stop() } } }

  /// Ends all of them; their servers are told.
  func stop() {
    stopped.withLock { $0 = true }
    for call in runs { call.run.stop() }
  }

  var isStopped: Bool { stopped.withLock { $0 } }

  private static func read(_ run: ToolRun, _ tell: (Kind) -> Void) async {
    tell(.began)
    do throws(ToolError) {
      for try await event in run { tell(.happened(event)) }
      tell(.ended(nil))
    } catch {
      tell(.ended(error))
    }
  }
}

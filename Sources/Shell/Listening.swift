import Chat
import Waiting

/// The prompt, while agents may speak.
extension Shell {
  /// For so many seconds an agent is silent before what it said is told: its words come in pieces.
  private static let quiet = 0.5

  private enum Waking: Sendable {
    case line(LineResult)
    case news
  }

  /// The next line. What the agent in front says meanwhile is told above the line that is being typed; what it asks
  /// waits for the next prompt, for a question needs the line.
  mutating func nextLine(of source: any LineSource, continuing: Bool) async -> LineResult {
    let request = self.request(continuing: continuing)
    guard desk.isAtPrompt, let agent = links.front?.backend.agent else { return await source.next(request) }
    let (wakings, wake) = AsyncStream.makeStream(of: Waking.self)
    // This call's own, all of them: the first ends with the line, and the others are ended then.
    Task { wake.yield(.line(await source.next(request))) }
    let listening = Shell.listen(to: agent.newsBell(), pause: desk.world.pause) { wake.yield(.news) }
    defer { for task in listening { task.cancel() } }
    for await waking in wakings {
      switch waking {
      case .line(let result): return result
      case .news: await tellNews(whileTyping: true)
      }
    }
    return .end
  }

  /// Calls `tell` when the bell has rung, and then not for a moment.
  private static func listen(
    to bell: AsyncStream<Void>, pause: @escaping @Sendable (Double) async -> Void, tell: @escaping @Sendable () -> Void
  ) -> [Task<Void, Never>] {
    let rings = Locked(0)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let hearing = Task {
      for await _ in bell {
        rings.withLock { $0 += 1 }
        begin.yield()
      }
    }
    let waiting = Task {
      for await _ in begun {
        var before = 0
        repeat {
          before = rings.withLock { $0 }
          await pause(quiet)
        } while before != rings.withLock { $0 } && !Task.isCancelled
        if !Task.isCancelled { tell() }
      }
    }
    return [hearing, waiting]
  }
}

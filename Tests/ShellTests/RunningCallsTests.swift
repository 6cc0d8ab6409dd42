import Chat
import Foundation
import TestSupport
import Testing

@testable import Shell

@Suite struct RunningCallsTests {
  /// A call that tells of progress, and then of nothing until it is stopped.
  private final class Endless: @unchecked Sendable {
    private let lock = NSLock()
    private var told = false
    private var stopped = false
    var isStopped: Bool { lock.withLock { stopped } }

    var run: ToolRun {
      ToolRun(
        next: { [self] () async throws(ToolError) in
          let isFirst = lock.withLock {
            defer { told = true }
            return !told
          }
          if isFirst { return .progress(ToolProgress(done: 1)) }
          while !isStopped { try? await Task.sleep(for: .milliseconds(1)) }  // timed: between looks
          throw .cancelled
        }, stop: { [self] in stop() })
    }

    func stop() { lock.withLock { stopped = true } }
  }

  @Test func `calls end with their reader`() async throws {
    let calls = [Endless(), Endless(), Endless()]
    defer { for call in calls { call.stop() } }
    await readOne(of: calls)
    #expect(await eventually { calls.allSatisfy(\.isStopped) })
  }

  private func readOne(of calls: [Endless]) async {
    let running = RunningCalls(calls.enumerated().map { ($0.offset, $0.element.run) }, uptime: { 0 }, atOnce: 2)
    for await event in running.events {
      if case .happened = event.kind { break }
    }
  }

  @Test func `every call has its end, and is not stopped before it`() async {
    let runs = (0..<20).map { index in
      (index: index, run: ToolRun(next: { () async throws(ToolError) in nil }, stop: { Issue.record("stopped") }))
    }
    let running = RunningCalls(runs, uptime: { 0 })
    var ended: Set<Int> = []
    for await event in running.events {
      if case .ended(nil) = event.kind { ended.insert(event.index) }
    }
    #expect(ended == Set(0..<20))
  }
}

import Foundation
package import Testing

/// Runs what blocks on a thread of its own: the threads of tasks are few, and other tests wait for them.
package func onItsOwnThread<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { waiter in
    Thread.detachNewThread { waiter.resume(with: Result { try work() }) }
  }
}

/// Each test has a thread of its own, for those that wait for a process or a terminal in calls that block.
package struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> OwnThreadTrait? { testCase == nil ? nil : self }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(OneThread(), operation: function)
  }
}

extension Trait where Self == OwnThreadTrait {
  package static var ownThread: Self { OwnThreadTrait() }
}

/// A thread that does what is asked of it, one job after the other.
private final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

import Foundation

/// Runs what blocks on a thread of its own: the threads of tasks are few, and other tests wait for them.
package func onItsOwnThread<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { waiter in
    Thread.detachNewThread { waiter.resume(with: Result { try work() }) }
  }
}

/// What comes of `body` in so many seconds; nil when nothing does. Either way `body` is over, or cancelled and waited
/// for, when this returns. A task that is cancelled gets nil, or what `body` makes of being cancelled: whichever is first.
/// - Parameter pause: returns after so many seconds, or as soon as its task is cancelled.
package func within<Value: Sendable, Failure: Error>(
  _ seconds: Double, pause: @escaping @Sendable (_ seconds: Double) async -> Void,
  _ body: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
  let first = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
    group.addTask {
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    group.addTask {
      await pause(seconds)
      return nil
    }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
  return try first?.get()
}

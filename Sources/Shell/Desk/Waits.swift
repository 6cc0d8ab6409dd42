import Text

/// What the person waits for.
extension Desk {
  /// A passing line while something is waited for.
  /// - Parameter request: what goes before.
  func waiting(for subject: SafeText = "waiting", on request: WatchedRequest? = nil) -> WaitingIndicator {
    WaitingIndicator(
      on: world.terminal, for: subject, request: request, isQuiet: options.isQuiet, uptime: world.uptime,
      pause: world.pause)
  }

  /// Runs something that waits for a server, so that Ctrl-C ends it.
  /// - Parameter subject: what the person is told meanwhile.
  func interruptible<T: Sendable, E: Error>(
    for subject: SafeText = "waiting", _ operation: @escaping @Sendable () async throws(E) -> T
  ) async -> Result<T, E> {
    // A key that was pressed already has cancelled it before it begins.
    let (mayBegin, begin) = AsyncStream.makeStream(of: Void.self)
    // Owned by this call, which waits for its end.
    let task = Task { () -> Result<T, E> in
      for await _ in mayBegin {}
      do throws(E) { return .success(try await operation()) } catch { return .failure(error) }
    }
    let waiting = waiting(for: subject)
    world.terminal.whenInterrupted { _ in task.cancel() }
    begin.finish()
    defer {
      world.terminal.whenInterrupted(nil)
      waiting.stop()
    }
    return await task.value
  }
}

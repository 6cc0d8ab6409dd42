/// Events that come from somewhere until the end, or the error that ended it.
///
/// It has one reader and one life. `stop()` may be called from anywhere, any time: the reader then gets the error that
/// says so, unless it had ended before.
package struct StoppableSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private let nextElement: @Sendable () async throws(Failure) -> Element?
  private let stopAll: @Sendable () -> Void

  package init(
    next: @escaping @Sendable () async throws(Failure) -> Element?, stop: @escaping @Sendable () -> Void
  ) {
    nextElement = next
    stopAll = stop
  }

  package func stop() { stopAll() }

  package func makeAsyncIterator() -> Iterator { Iterator(nextElement: nextElement) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let nextElement: @Sendable () async throws(Failure) -> Element?

    package mutating func next() async throws(Failure) -> Element? { try await nextElement() }

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      try await nextElement()
    }
  }
}

/// An answer being written: events in order, then the end. One that is stopped ends with `BackendError.cancelled`.
package typealias Answer = StoppableSequence<ChatEvent, BackendError>

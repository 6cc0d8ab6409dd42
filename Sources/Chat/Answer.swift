/// An answer being written: events in order, then the end, or the error that ended it.
///
/// It has one reader and one life. `stop()` may be called from anywhere, any time: the reader then gets
/// `BackendError.cancelled`, unless the answer had ended before.
package struct Answer: AsyncSequence, Sendable {
  package typealias Element = ChatEvent
  package typealias Failure = BackendError

  private let nextEvent: @Sendable () async throws(BackendError) -> ChatEvent?
  private let stopAnswer: @Sendable () -> Void

  package init(
    next: @escaping @Sendable () async throws(BackendError) -> ChatEvent?, stop: @escaping @Sendable () -> Void
  ) {
    nextEvent = next
    stopAnswer = stop
  }

  package func stop() { stopAnswer() }

  package func makeAsyncIterator() -> Iterator { Iterator(nextEvent: nextEvent) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let nextEvent: @Sendable () async throws(BackendError) -> ChatEvent?

    package mutating func next() async throws(BackendError) -> ChatEvent? { try await nextEvent() }

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(BackendError) -> ChatEvent? {
      try await nextEvent()
    }
  }
}

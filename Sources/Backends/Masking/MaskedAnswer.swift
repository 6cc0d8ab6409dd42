import Chat
import Waiting
import Wire

extension StoppableSequence<ChatEvent, BackendError> {
  /// The same answer without our secrets, also where a secret is cut between two events (docs/rules.md C6).
  func masked(by mask: SecretMask) -> Answer {
    let answer = self
    let state = Locked(MaskedEvents())
    return Answer(
      next: { () async throws(BackendError) in
        while true {
          switch state.withLock({ $0.dequeue() }) {
          case .event(let event): return event
          case .failure(let error): throw error
          case .end: return nil
          case nil: break
          }
          do throws(BackendError) {
            var iterator = answer.makeAsyncIterator()
            let event = try await iterator.next()
            let secrets = mask.distinctSecrets
            if secrets.isEmpty, let event { return event }
            state.withLock { $0.take(event, secrets) }
          } catch {
            let (error, secrets) = (error.masked(by: mask), mask.distinctSecrets)
            state.withLock { $0.fail(error, secrets) }
          }
        }
      }, stop: { answer.stop() })
  }
}

/// The events of an answer on their way through the mask.
private struct MaskedEvents {
  enum Next {
    case event(ChatEvent)
    case failure(BackendError)
    case end
  }

  private var text = MaskedStream()
  private var reasoning = MaskedStream()
  private var events: [ChatEvent] = []
  private var nextEvent = 0
  private var hasEnded = false
  private var error: BackendError?

  mutating func dequeue() -> Next? {
    if nextEvent < events.count {
      defer { nextEvent += 1 }
      return .event(events[nextEvent])
    }
    events.removeAll(keepingCapacity: true)
    nextEvent = 0
    guard hasEnded else { return nil }
    defer { error = nil }
    return error.map { .failure($0) } ?? .end
  }

  mutating func take(_ event: ChatEvent?, _ secrets: SecretSet) {
    switch event {
    case .text(let piece):
      append(.reasoning(reasoning.release(secrets)))
      append(.text(text.feed(piece, secrets)))
    case .reasoning(let piece):
      append(.text(text.release(secrets)))
      append(.reasoning(reasoning.feed(piece, secrets)))
    // Counts have no place between the pieces of a text.
    case .usage(let usage): events.append(.usage(usage))
    case let event?:
      release(secrets)
      events.append(event.masked { secrets.masked($0) })
    case nil:
      release(secrets)
      hasEnded = true
    }
  }

  mutating func fail(_ error: BackendError, _ secrets: SecretSet) {
    release(secrets)
    hasEnded = true
    self.error = error
  }

  private mutating func release(_ secrets: SecretSet) {
    append(.reasoning(reasoning.release(secrets)))
    append(.text(text.release(secrets)))
  }

  private mutating func append(_ event: ChatEvent) {
    if event != .text(""), event != .reasoning("") { events.append(event) }
  }
}

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

  /// The text of the answer or its reasoning, whichever grew last.
  private var stream = MaskedStream()
  /// The stream that is not current; its tail may begin a secret that `stream` completes.
  private var other = MaskedStream()
  private var isReasoning = false
  /// Whether a secret may begin at the end of `other` and end in `beginning`, the first pieces of `stream` since then.
  private var isAtBorder = false
  private var beginning = ""
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
    case .text(let piece): add(piece, isReasoning: false, secrets)
    case .reasoning(let piece): add(piece, isReasoning: true, secrets)
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

  private mutating func add(_ piece: String, isReasoning: Bool, _ secrets: SecretSet) {
    guard !piece.isEmpty else { return }
    if isReasoning != self.isReasoning {
      endBorder(secrets)
      swap(&stream, &other)
      self.isReasoning = isReasoning
      isAtBorder = true
    }
    guard isAtBorder else { return append(stream.feed(piece, secrets), isReasoning) }
    beginning += piece
    if case .incomplete = other.secretAcrossBoundary(with: beginning, secrets) { return }
    endBorder(secrets)
  }

  /// Appends what was held back because a secret might lie across the border of the two texts.
  private mutating func endBorder(_ secrets: SecretSet) {
    guard isAtBorder else { return }
    switch other.secretAcrossBoundary(with: beginning, secrets) {
    case .secret(let start, let end):
      append(other.releaseSecret(at: start), !isReasoning)
      beginning = String(decoding: beginning.utf8.dropFirst(end), as: UTF8.self)
    case .incomplete(let start, revealsMost: true):
      append(other.releaseSecret(at: start), !isReasoning)
      beginning = ""
    case .incomplete, .none: append(other.release(secrets), !isReasoning)
    }
    append(stream.feed(beginning, secrets), isReasoning)
    (isAtBorder, beginning) = (false, "")
  }

  private mutating func release(_ secrets: SecretSet) {
    endBorder(secrets)
    append(stream.release(secrets), isReasoning)
  }

  private mutating func append(_ text: String, _ isReasoning: Bool) {
    if !text.isEmpty { events.append(isReasoning ? .reasoning(text) : .text(text)) }
  }
}

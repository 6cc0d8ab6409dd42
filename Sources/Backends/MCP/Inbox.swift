import Chat
import Wire

/// What comes of one request, from whichever stream it comes.
final class Inbox: Sendable {
  enum Arrival: Sendable {
    case result(JSON)
    case refused(RPCFailure)
    case notice(method: String, params: JSON)
    /// The server asks something; it waits for the answer.
    case asked(method: String, params: JSON, answer: @Sendable (Result<JSON, RPCFailure>) async -> Void)
    /// Nothing more comes.
    case ended(MCPFault)
    /// The time that was given has passed.
    case expired(Int)
  }

  let arrivals: AsyncStream<Arrival>
  private let door: AsyncStream<Arrival>.Continuation

  init() { (arrivals, door) = AsyncStream.makeStream(of: Arrival.self) }

  /// False when nobody takes anything out any more.
  @discardableResult
  func put(_ arrival: Arrival) -> Bool {
    if case .terminated = door.yield(arrival) { false } else { true }
  }

  /// Takes nothing more, and answers the questions in it: their servers wait for that, and may ask only so many.
  func close() async {
    door.finish()
    for await arrival in arrivals {
      if case .asked(let method, _, let answer) = arrival { await answer(Inbox.answer(toUnheard: method)) }
    }
  }

  /// What a server hears to a question that no person is asked.
  static func answer(toUnheard method: String) -> Result<JSON, RPCFailure> {
    switch method {
    case "ping": .success([:])
    case "elicitation/create": .success(ToolQuestion.Reply.cancel.json)
    default: .failure(.unknownMethod)
    }
  }

  /// Puts `expired(number)` after so many seconds. The task is the caller's to cancel.
  func expire(_ number: Int, after seconds: Double, on clock: TimeSource) -> Task<Void, Never> {
    Task { [door] in
      await clock.sleep(seconds)
      if !Task.isCancelled { door.yield(.expired(number)) }
    }
  }
}

import Chat
import Waiting
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

  let arrivals = EventQueue<Arrival> { $0.room }

  /// False when nobody will take it out.
  @discardableResult
  func put(_ arrival: Arrival) -> Bool { arrivals.put(arrival) }

  /// Takes nothing more, and answers the questions in it: their servers wait for that, and may ask only so many.
  func close() async {
    arrivals.finish()
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
    Task { [arrivals] in
      await clock.sleep(seconds)
      if !Task.isCancelled { arrivals.put(.expired(number)) }
    }
  }
}

extension Inbox.Arrival {
  /// The bytes that a question is taken for, so that few wait: nobody answers more than one at a time.
  private static let questionBytes = 64 << 10

  /// A server that floods us with what it may send unasked takes no more of our memory than one that does not.
  fileprivate var room: EventRoom {
    switch self {
    case .notice("notifications/progress", _): .latest(of: 0)
    case .notice(_, let params): .spare(bytes: params.weight, of: 0)
    case .asked(_, let params, _): .spare(bytes: Self.questionBytes + params.weight, of: 1)
    case .result, .refused, .ended, .expired: .always
    }
  }
}

extension JSON {
  /// About how many bytes of memory it takes.
  fileprivate var weight: Int {
    switch self {
    case .string(let text): 64 + text.utf8.count
    case .array(let items): items.reduce(64) { $0 + $1.weight }
    case .object(let members): members.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.weight }
    case .null, .bool, .int, .double, .exact: 64
    }
  }
}

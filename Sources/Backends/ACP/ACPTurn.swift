import Chat
import Waiting

/// A message on its way to an agent, and what comes of it (docs/acp.md 4).
final class ACPTurn: Sendable {
  enum Event: Sendable {
    case happened(ChatEvent)
    case failed(BackendError)
  }

  /// How far the person has stopped it.
  enum Stop: Int, Sendable {
    case none
    /// The agent was told, and may still say how it ended.
    case asked
    /// Nobody waits for it any more.
    case abandoned
  }

  struct State: Sendable {
    var task: Task<Void, Never>?
    var isAsked = false
    var stop = Stop.none
    var session: String?
    /// Whether something shows that the agent has got the message.
    var hasArrived = false
    /// How often the agent has been heard since.
    var heard = 0
    /// How often its connection has been made again.
    var doubts = 0
    /// The message is taken for lost: nothing shows that it has arrived.
    var isLost = false
    /// What was put and is not read, in bytes.
    var unread = 0
    var hasThrown = false
  }

  /// So many bytes may wait for the reader.
  private static let unreadLimit = 4 << 20

  let request: ChatRequest
  let state = Locked(State())
  private let events = EventQueue<Event>(room: { _ in .always })

  init(_ request: ChatRequest) { self.request = request }

  var stop: Stop { state.withLock { $0.stop } }
  var session: String? { state.withLock { $0.session } }
  var heard: Int { state.withLock { $0.heard } }
  var isLost: Bool { state.withLock { $0.isLost } }

  /// Notes a sign that the agent has the message.
  func noteArrival() {
    state.withLock { state in
      state.hasArrived = true
      state.heard += 1
    }
  }

  /// Whether this is what was sent, and nothing has shown yet that it arrived.
  func isAwaitingEcho(of text: String) -> Bool {
    let sent = request.messages.last { $0.role == .user }?.content ?? ""
    return state.withLock { $0.isAsked && !$0.hasArrived } && text.trimmingBlanks == sent.trimmingBlanks
  }

  /// Whether the agent is to wait until more has been read.
  var isFull: Bool { state.withLock { $0.stop != .abandoned && $0.unread > ACPTurn.unreadLimit } }

  func put(_ new: [ChatEvent]) {
    for event in new {
      state.withLock { $0.unread += event.weight }
      events.put(.happened(event))
    }
  }

  /// Ends it for its reader.
  func end(_ error: BackendError?) {
    if let error { events.put(.failed(error)) }
    events.finish()
  }

  func next() async throws(BackendError) -> ChatEvent? {
    // What waits of a turn that nobody waits for is not read.
    if stop == .abandoned { return try cancelled() }
    var iterator = events.makeAsyncIterator()
    let event = await iterator.next()
    if stop == .abandoned { return try cancelled() }
    switch event {
    // It had ended as it was stopped, and nobody had heard of it.
    case .happened(.finished) where stop != .none: return try cancelled()
    case .happened(let event):
      state.withLock { $0.unread -= event.weight }
      return event
    case .failed(.cancelled): return try cancelled()
    case .failed(let error): throw error
    case nil: return nil
    }
  }

  /// Said once.
  private func cancelled() throws(BackendError) -> ChatEvent? {
    events.finish()
    let hasThrown = state.withLock { state in
      defer { state.hasThrown = true }
      return state.hasThrown
    }
    if hasThrown { return nil }
    throw .cancelled
  }
}

extension ChatEvent {
  /// About how many bytes it takes.
  fileprivate var weight: Int {
    switch self {
    case .text(let text), .reasoning(let text), .notice(.log(let text)): 64 + text.utf8.count
    case .activity(let activity):
      1_024
        + activity.content.reduce(0) { sum, content in
          switch content {
          case .block(.text(let text)): sum + text.utf8.count
          case .diff(let change): sum + change.new.utf8.count + (change.old?.utf8.count ?? 0)
          default: sum + 256
          }
        }
    default: 256
    }
  }
}

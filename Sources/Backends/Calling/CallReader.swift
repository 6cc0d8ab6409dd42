import Chat
import Wire

/// Makes calls out of an answer's events where tools were offered: of the blocks in its text, and of what its server
/// sends beside it. Thoughts are never looked at.
struct CallReader {
  private var scanner: ToolCallScanner
  private var native = NativeCalls()
  private var joiner = EventJoiner()
  /// The ids in the conversation.
  private var ids: Set<String>
  private var count: Int
  /// The calls of the text that its server has not sent beside it as well.
  private var written: [ToolCall]?

  /// nil when the question offers no tools: then an answer has no calls.
  init?(_ question: ChatRequest) {
    guard !question.tools.isEmpty else { return nil }
    scanner = ToolCallScanner(names: Set(question.tools.map(\.name)))
    let old = question.messages.flatMap(\.toolCalls)
    ids = Set(old.map(\.id))
    count = old.count
  }

  /// Takes pieces of calls in OpenAI's form; the events tell of those that begin.
  mutating func take(_ list: JSON) -> [ChatEvent] { native.take(list) }

  mutating func take(functionCall: JSON) -> [ChatEvent] { native.take(functionCall: functionCall) }

  /// The calls in OpenAI's form, when no more pieces come. Those that the server left in the text too are one.
  mutating func finish() -> [ToolCall] { native.finish() }

  /// The events with what their text holds. Where the text is over, calls that are still open end.
  mutating func read(_ events: [ChatEvent], isOver: Bool) -> [ChatEvent] {
    for event in events {
      switch event {
      case .text(let text): scanner.take(text.utf8, into: &joiner)
      case .toolCall(let call):
        scanner.end(into: &joiner, isBeforeCall: true)
        if !isWritten(call) { joiner.add(event) }
      case .usage, .finished:
        scanner.end(into: &joiner)
        joiner.add(event)
      default: joiner.add(event)
      }
    }
    if isOver {
      scanner.end(into: &joiner)
      joiner.flush()
    }
    return joiner.take().map { own($0) }
  }

  /// Whether the text had this call too.
  private mutating func isWritten(_ call: ToolCall) -> Bool {
    var calls = written ?? scanner.calls
    defer { written = calls }
    guard let index = calls.firstIndex(where: { $0.name == call.name && $0.arguments == call.arguments }) else {
      return false
    }
    calls.remove(at: index)
    return true
  }

  /// The event with an id that nothing else in the conversation has.
  private mutating func own(_ event: ChatEvent) -> ChatEvent {
    guard case .toolCall(var call) = event else { return event }
    if call.id.isEmpty || ids.contains(call.id) { call.id = freshID() }
    ids.insert(call.id)
    return .toolCall(call)
  }

  /// Nine letters and digits: some servers take no other id back.
  private mutating func freshID() -> String {
    while true {
      count += 1
      let digits = String(count)
      let id = "call" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
      if !ids.contains(id) { return id }
    }
  }
}

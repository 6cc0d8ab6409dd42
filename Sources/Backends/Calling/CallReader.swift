import Chat
import Wire

/// Makes calls out of an answer's events where tools were offered: of the blocks in its text, and of what its server
/// sends beside it. Thoughts are never looked at.
struct CallReader {
  private var scanner: ToolCallScanner
  private var bare: BareCall
  /// The beginning of the text, which is searched for marks of tool calls.
  private var seen = ""
  private let names: Set<String>
  private var hasCalls = false
  private var native = NativeCalls()
  private var joiner = EventJoiner()
  /// The calls of the text that its server has not sent beside it as well.
  private var written: [ToolCall]?

  /// nil when the question offers no tools: then an answer has no calls.
  init?(_ question: ChatRequest) {
    guard !question.tools.isEmpty else { return nil }
    names = Set(question.tools.map(\.name))
    scanner = ToolCallScanner(names: names, dialect: CallDialect(question.tools))
    bare = BareCall(names: names)
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
      case .text(let text):
        let (certain, name) = bare.take(text)
        if let name { joiner.add(.toolCallComing(name: name)) }
        scanner.take(certain, into: &joiner)
        if seen.utf8.count < CallMarks.limit { seen += text }
      case .toolCall(let call):
        end(isBeforeCall: true)
        hasCalls = true
        if !isWritten(call) { joiner.add(event) }
      case .usage:
        end()
        joiner.add(event)
      case .finished:
        end()
        if !hasCalls, scanner.calls.isEmpty, CallMarks.areIn(seen, naming: names) {
          joiner.add(.notice(.callNotUnderstood))
        }
        joiner.add(event)
      default: joiner.add(event)
      }
    }
    if isOver {
      end()
      joiner.flush()
    }
    return joiner.take()
  }

  private mutating func end(isBeforeCall: Bool = false) {
    let (text, calls) = bare.end()
    scanner.take(text, into: &joiner)
    scanner.end(into: &joiner, isBeforeCall: isBeforeCall)
    for call in calls { joiner.add(.toolCall(call)) }
    if !calls.isEmpty { (hasCalls, written) = (true, (written ?? scanner.calls) + calls) }
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
}

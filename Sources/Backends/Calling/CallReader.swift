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
  private var native: NativeCalls
  private var joiner = EventJoiner()
  /// The calls of the text that its server has not sent beside it as well.
  private var written: [ToolCall]?

  /// nil when the question offers no tools: then an answer has no calls.
  init?(_ question: ChatRequest) {
    guard !question.tools.isEmpty else { return nil }
    names = Set(question.tools.map(\.name))
    native = NativeCalls(names: names)
    scanner = ToolCallScanner(names: names, dialect: CallDialect(question.tools))
    bare = BareCall(names: names)
  }

  /// Adds a piece of a call in OpenAI's form. Returns events for calls that begin.
  mutating func take(_ piece: JSON) -> [ChatEvent] { native.take(piece) }

  /// Returns the calls in OpenAI's form at the end of the answer. A call that is in the text too is one call.
  mutating func finish() -> [ToolCall] { native.finish() }

  /// Returns the events with the calls of their text in its place. At the end of the text, open calls end too. Tool
  /// calls are a good reason to finish if there are any.
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
      case .finished(let reason):
        end()
        let hasCalls = hasCalls || !scanner.calls.isEmpty
        if !hasCalls, reason.isOfCalls || CallMarks.areIn(seen, naming: names) {
          joiner.add(.notice(.callNotUnderstood))
        }
        joiner.add(.finished(hasCalls && reason.isOfCalls ? .stop : reason))
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

import Chat
import Text

/// An answer on screen: appended to, never redrawn.
///
/// The answer goes to standard output, wrapped at word ends on a terminal and as it came in a pipe; what the model
/// thinks goes to standard error.
struct AnswerView {
  private let terminal: any Terminal
  private let reasoningStyle: Style?
  private var answer: TextFlow
  private var reasoning: TextFlow
  private var part = Part.nothing

  private enum Part { case nothing, reasoning, answer }

  /// - Parameter reasoningStyle: nil hides what the model thinks.
  init(on terminal: any Terminal, reasoningStyle: Style?) {
    self.terminal = terminal
    self.reasoningStyle = reasoningStyle
    let traits = terminal.traits
    answer = TextFlow(columns: traits.outputIsTerminal ? traits.columns : nil)
    reasoning = TextFlow(columns: traits.noticesAreTerminal ? traits.columns : nil)
  }

  mutating func show(text: String) {
    if part == .reasoning { endReasoning() }
    part = .answer
    if answer.isWrapped { answer.columns = terminal.traits.columns }
    write(answer.feed(text))
  }

  mutating func show(reasoning text: String) {
    guard let reasoningStyle else { return }
    if part == .answer { endAnswerLine() }
    part = .reasoning
    if reasoning.isWrapped { reasoning.columns = terminal.traits.columns }
    let piece = reasoning.feed(text)
    if !piece.isEmpty { terminal.write(.text(piece, reasoningStyle), to: .notices) }
  }

  /// Writes what was held back and ends the line, once.
  mutating func end() {
    switch part {
    case .nothing: break
    case .reasoning: endReasoning()
    case .answer: endAnswerLine()
    }
    part = .nothing
  }

  /// How many invisible characters the filter took out of the answer.
  var hidden: Int { answer.hidden + reasoning.hidden }

  private mutating func endReasoning() {
    guard let reasoningStyle else { return }
    let rest = reasoning.finish()
    terminal.write(.text(rest + "\n", reasoningStyle), to: .notices)
    if reasoning.isWrapped { terminal.write(.text("\n"), to: .notices) }
  }

  private mutating func endAnswerLine() {
    write(answer.finish() + "\n")
  }

  private func write(_ text: SafeText) {
    if !text.isEmpty { terminal.write(.text(text), to: .output) }
  }
}

/// Text on its way to one channel: filtered, wrapped when the channel is a terminal, its last newlines held back so
/// that exactly one ends it.
struct TextFlow {
  let isWrapped: Bool
  private var filter: Filter
  private var wrapper: Wrapper
  private var heldNewlines = 0
  private var hasBegun = false

  /// - Parameter columns: nil for a pipe, which gets the text as it came.
  init(columns: Int?) {
    isWrapped = columns != nil
    filter = Filter(columns == nil ? .source : .block)
    wrapper = Wrapper(columns: columns ?? 80)
  }

  var columns: Int {
    get { wrapper.columns }
    set { wrapper.columns = newValue }
  }

  var hidden: Int { filter.hidden }

  mutating func feed(_ text: String) -> SafeText {
    let safe = filter.feed(text)
    return holdingNewlines(isWrapped ? wrapper.feed(safe) : safe)
  }

  /// The rest, without the newlines at its end; ready for another life.
  mutating func finish() -> SafeText {
    var rest = filter.finish()
    if isWrapped { rest = wrapper.feed(rest) + wrapper.finish() }
    let text = holdingNewlines(rest)
    heldNewlines = 0
    hasBegun = false
    return text
  }

  private mutating func holdingNewlines(_ text: SafeText) -> SafeText {
    var body = text.string.utf8[...]
    if !hasBegun, isWrapped { body = body.drop { $0 == UInt8(ascii: "\n") } }
    guard let last = body.lastIndex(where: { $0 != UInt8(ascii: "\n") }) else {
      if hasBegun || !isWrapped { heldNewlines += body.count }
      return ""
    }
    hasBegun = true
    let end = body.index(after: last)
    let newlines = heldNewlines
    heldNewlines = body.distance(from: end, to: body.endIndex)
    return text.slice(body.startIndex..<end, precededByNewlines: newlines)
  }
}

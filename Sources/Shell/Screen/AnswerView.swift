import Chat
import Text

/// An answer on screen: what is finished is never touched again.
///
/// The answer goes to standard output: as its Markdown means or wrapped at word ends on a terminal, as it came in a pipe.
/// What the model thinks goes to standard error.
struct AnswerView {
  private let terminal: any Terminal
  private let reasoningStyle: Style?
  private let foldsReasoning: Bool
  private let uptime: @Sendable () -> Double
  private var thinkingSince: Double?
  private var answer: TextFlow
  /// In place of the flow where Markdown is shown as it means; nil outside of an answer.
  private var markdown: MarkdownView?
  private let rendersMarkdown: Bool
  /// The beginning of the answer, where that was shown before.
  private var earlier: String?
  private let pause: @Sendable (_ seconds: Double) async -> Void
  /// Of the parts of the answer that are over.
  private var hiddenBefore = 0
  private var reasoning: TextFlow
  private var part = Part.nothing
  /// Whether a blank line parts the answer from what was said before, where nothing else does.
  private var needsBlankLine: Bool

  private enum Part { case nothing, reasoning, answer }

  /// - Parameters:
  ///   - reasoningStyle: nil hides what the model thinks.
  ///   - foldsReasoning: says in its place how long it thought.
  ///   - follows: whether something of the same turn was said before.
  ///   - earlier: the beginning of the answer, where that was shown before.
  ///   - rendersMarkdown: whether the answer is shown as its Markdown means.
  ///   - pause: returns after so many seconds, or when its task is cancelled.
  init(
    on terminal: any Terminal, reasoningStyle: Style?, foldsReasoning: Bool = false,
    follows: Bool = false, after earlier: String? = nil, rendersMarkdown: Bool = false,
    uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) {
    self.rendersMarkdown = rendersMarkdown
    self.earlier = earlier
    self.pause = pause
    self.terminal = terminal
    self.reasoningStyle = reasoningStyle
    self.foldsReasoning = foldsReasoning
    self.uptime = uptime
    let traits = terminal.traits
    needsBlankLine = follows && !(traits.outputIsTerminal && traits.noticesAreTerminal)
    answer = TextFlow(columns: traits.outputIsTerminal ? traits.columns : nil)
    reasoning = TextFlow(columns: traits.noticesAreTerminal ? traits.columns : nil)
  }

  mutating func show(text: String) {
    if part == .reasoning { endReasoning() }
    sayThought()
    part = .answer
    if needsBlankLine { terminal.write(.text("\n"), to: .output) }
    needsBlankLine = false
    guard rendersMarkdown else {
      if answer.isWrapped { answer.columns = terminal.traits.columns }
      return write(answer.feed(text))
    }
    let view = markdown ?? MarkdownView(on: terminal, after: earlier.take(), uptime: uptime, pause: pause)
    markdown = view
    view.show(text)
  }

  mutating func show(reasoning text: String) {
    // There is no spinner for a screen reader.
    if foldsReasoning, thinkingSince == nil, terminal.traits.isSpoken {
      terminal.write(.text("thinking\n", .dim), to: .notices)
    }
    thinkingSince = thinkingSince ?? uptime()
    guard let reasoningStyle else { return }
    if part == .answer { endAnswerLine() }
    part = .reasoning
    if reasoning.isWrapped { reasoning.columns = terminal.traits.columns }
    let piece = reasoning.feed(text)
    if !piece.isEmpty { terminal.write(.text(piece, reasoningStyle), to: .notices) }
  }

  private mutating func sayThought() {
    guard foldsReasoning, let since = thinkingSince else { return }
    thinkingSince = nil
    terminal.write(.text("thought for \(Int(uptime() - since)) s\n", .dim), to: .notices)
  }

  /// Writes what was held back and ends the line, once.
  mutating func end() {
    switch part {
    case .nothing: sayThought()
    case .reasoning: endReasoning()
    case .answer: endAnswerLine()
    }
    part = .nothing
  }

  /// Ends the line that is being written, for a notice in between. What Markdown means depends on all that came before: it
  /// goes on below.
  mutating func makeWay() {
    if markdown == nil { end() }
  }

  /// Whether what was written last may lack the end of its line.
  var isWithinLine: Bool { part == .reasoning || part == .answer && markdown == nil }

  var showsReasoning: Bool { reasoningStyle != nil }

  /// How many invisible characters the filter took out of the answer.
  var hidden: Int { answer.hidden + reasoning.hidden + hiddenBefore }

  private mutating func endReasoning() {
    guard let reasoningStyle else { return }
    let rest = reasoning.finish()
    terminal.write(.text(rest + "\n", reasoningStyle), to: .notices)
    let seconds = thinkingSince.map { Int(uptime() - $0) } ?? 0
    thinkingSince = nil
    guard reasoning.isWrapped else { return }
    if seconds > 0 { terminal.write(.text("thought for \(seconds) s\n", .dim), to: .notices) }
    terminal.write(.text("\n"), to: .notices)
  }

  private mutating func endAnswerLine() {
    if let markdown {
      hiddenBefore += markdown.end()
      self.markdown = nil
      return
    }
    write(answer.finish() + "\n")
  }

  private func write(_ text: SafeText) {
    if !text.isEmpty { terminal.write(.text(text), to: .output) }
  }
}

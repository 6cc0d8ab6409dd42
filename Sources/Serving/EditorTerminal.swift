import Chat
import Shell
import Text
import Waiting
import Wire

/// A session's terminal, which is an editor: what a terminal would be shown, and what the shell tells in values, becomes
/// updates, in order. It knows of the turn that is under way, and how to stop what waits.
final class EditorTerminal: Terminal, TurnObserver {
  private struct State {
    var lastNumber = 0
    /// nil between prompts.
    var turn: PromptTurn?
    /// What was written and is not sent yet. What is said between prompts is told in the next.
    var written = ""
    /// Stops what waits, in a turn or not; nil while nothing can be stopped.
    var stop: (@Sendable (Interruption) -> Void)?
    /// Ends the question that is open.
    var leave: (@Sendable () -> Void)?
    /// Why what is under way is over.
    var stopped: Interruption?
    /// Nothing begins any more.
    var isOver = false
  }

  private let program: any Terminal
  private let update: @Sendable (JSON) -> Void
  private let state = Locked(State())

  /// - Parameters:
  ///   - program: the terminal of the run, which hears the signals.
  ///   - update: sends the `update` of a `session/update`; never waits.
  init(_ program: any Terminal, update: @escaping @Sendable (JSON) -> Void) {
    self.program = program
    self.update = update
  }

  /// Wide enough for tables; nothing is too long for it.
  let traits = TerminalTraits(outputIsTerminal: true, noticesAreTerminal: true, columns: 100, rows: 10_000)

  func write(_ text: StyledText, to channel: Channel) { state.withLock { $0.written += text.string } }

  func status(_ text: StyledText?) {}

  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {
    let stopped = state.withLock { state in
      state.stop = action
      return state.stopped
    }
    if let stopped { action?(stopped) }
  }

  var endingSignal: Int32? { program.endingSignal }
  var outputFailure: String? { nil }

  func run(_ command: ChildCommand, captureLimit: Int?) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    throw .notStarted(program: command.arguments.first ?? "", reason: "there is no terminal here")
  }

  func happened(_ event: TurnEvent) {
    let updates = state.withLock { $0.turn?.take(event) ?? [] }
    send(updates)
  }

  private func send(_ updates: [JSON]) {
    guard !updates.isEmpty else { return }
    flush()
    for json in updates { update(json) }
  }

  /// Sends what was written so far: of a command its output, of a message what there is to say beside the answer.
  func flush() {
    let (text, isCommand) = state.withLock { state -> (String, Bool) in
      defer { state.written = "" }
      return (state.written, state.turn?.isCommand ?? false)
    }
    guard !text.allSatisfy(\.isWhitespace) else { return }
    update(isCommand ? SessionUpdate.text(Fence.around(text) + "\n") : SessionUpdate.thought(text))
  }
}

// The turn
extension EditorTerminal {
  /// False while another is under way, and at the end.
  func begin() -> Bool {
    state.withLock { state in
      guard state.turn == nil, !state.isOver else { return false }
      state.lastNumber += 1
      state.turn = PromptTurn(number: state.lastNumber)
      state.stopped = nil
      return true
    }
  }

  func noteCommand() { state.withLock { $0.turn?.isCommand = true } }

  var isBusy: Bool { state.withLock { $0.turn != nil } }
  var isStopped: Bool { state.withLock { $0.stopped != nil } }

  /// Calls off the turn that is under way, if one is.
  func cancel() { stop(.interrupt, onlyTurn: true) }

  /// Stops whatever is under way, for good.
  func end(_ interruption: Interruption) {
    state.withLock { $0.isOver = true }
    stop(interruption)
  }

  private func stop(_ interruption: Interruption, onlyTurn: Bool = false) {
    let (stop, leave) = state.withLock { state -> ((@Sendable (Interruption) -> Void)?, (@Sendable () -> Void)?) in
      guard state.turn != nil || !onlyTurn else { return (nil, nil) }
      state.stopped = state.stopped ?? interruption
      return (state.stop, state.leave)
    }
    leave?()
    stop?(interruption)
  }

  /// Ends the turn: sends what is left, and gives what its request is answered with.
  func endTurn(offersSignIn: Bool) -> Result<JSON, RPCFailure> {
    flush()
    let ended = state.withLock { state -> (updates: [JSON], answer: Result<JSON, RPCFailure>)? in
      defer {
        state.turn = nil
        if !state.isOver { state.stopped = nil }
      }
      return state.turn?.end(isStopped: state.stopped != nil, offersSignIn: offersSignIn)
    }
    send(ended?.updates ?? [])
    return ended?.answer ?? .failure(PromptAnswer.failure(nil))
  }
}

// Questions
extension EditorTerminal {
  /// The `toolCall` of a question for permission.
  func subject(of alternatives: Alternatives, prompt: String) -> JSON {
    flush()
    return state.withLock { $0.turn?.subject(of: alternatives, prompt: prompt) } ?? [:]
  }

  /// Notes the answer.
  func answered(isAllowed: Bool) { send(state.withLock { $0.turn?.answered(isAllowed: isAllowed) ?? [] }) }

  /// Asks, until there is an answer or what asks is called off; nil then.
  func asking(_ ask: @escaping @Sendable () async -> Result<JSON, RPCFailure>?) async -> Result<JSON, RPCFailure>? {
    // This call's own: it ends with its answer, or as it is left.
    let task = Task { await ask() }
    let isStopped = state.withLock { state in
      state.leave = { task.cancel() }
      return state.stopped != nil
    }
    if isStopped { task.cancel() }
    let answer = await task.value
    state.withLock { $0.leave = nil }
    return self.isStopped ? nil : answer
  }
}

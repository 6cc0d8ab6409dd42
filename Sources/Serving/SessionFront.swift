import Chat
import Shell
import Text
import Waiting
import Wire

/// What an editor sees of a session: what a terminal would be shown, and what the shell tells in values, becomes updates,
/// in order. It is the session's terminal, and knows of the turn that is under way.
final class SessionFront: Terminal, TurnObserver {
  /// A turn from its request to its answer.
  private struct Turn {
    /// Counted from 1 within this run.
    var number = 0
    var isCommand = false
    var isOver = true
    /// Whether the editor has called it off.
    var isStopped = false
    /// What stops it; nil while nothing can be stopped.
    var stop: (@Sendable (Interruption) -> Void)?
    /// Ends the question that is open.
    var leave: (@Sendable () -> Void)?
    var questions = 0
    /// The agent's acts that were told of.
    var told: Set<String> = []
    /// What was written and is not sent yet.
    var written = ""
    var complaint: Complaint?
    var ending: (status: AnswerStatus, usage: Usage)?
  }

  private let program: any Terminal
  private let update: @Sendable (JSON) -> Void
  private let turn = Locked(Turn())

  /// - Parameters:
  ///   - program: the terminal of the run, which hears the signals.
  ///   - update: sends the `update` of a `session/update`; never waits.
  init(_ program: any Terminal, update: @escaping @Sendable (JSON) -> Void) {
    self.program = program
    self.update = update
  }

  // A terminal

  /// Wide enough for tables; nothing is too long for it.
  let traits = TerminalTraits(outputIsTerminal: true, noticesAreTerminal: true, columns: 100, rows: 10_000)

  func write(_ text: StyledText, to channel: Channel) { turn.withLock { $0.written += text.string } }

  func status(_ text: StyledText?) {}

  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {
    let isStopped = turn.withLock { turn in
      turn.stop = action
      return turn.isStopped
    }
    if isStopped { action?(.interrupt) }
  }

  var endingSignal: Int32? { program.endingSignal }
  var outputFailure: String? { nil }

  func run(_ command: ChildCommand, captureLimit: Int?) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    throw .notStarted(program: command.arguments.first ?? "", reason: "there is no terminal here")
  }
}

// The turn
extension SessionFront {
  /// False while another is under way.
  func begin(isCommand: Bool) -> Bool {
    turn.withLock { turn in
      guard turn.isOver else { return false }
      // What was said since the last one is said in this.
      turn = Turn(number: turn.number + 1, isCommand: isCommand, isOver: false, written: turn.written)
      return true
    }
  }

  var isBusy: Bool { turn.withLock { !$0.isOver } }
  var isStopped: Bool { turn.withLock { $0.isStopped } }

  /// Stops what is under way, and leaves what is asked.
  func interrupt(_ interruption: Interruption = .interrupt) {
    let (stop, leave) = turn.withLock { turn -> ((@Sendable (Interruption) -> Void)?, (@Sendable () -> Void)?) in
      guard !turn.isOver else { return (nil, nil) }
      turn.isStopped = true
      return (turn.stop, turn.leave)
    }
    leave?()
    stop?(interruption)
  }

  /// Sends what is left, and gives what the request is answered with.
  func end() -> Result<JSON, RPCFailure> {
    flush()
    let over = turn.withLock { turn -> Turn in
      defer { turn.isOver = true }
      return turn
    }
    if over.isCommand, over.ending == nil {
      if let complaint = over.complaint, complaint.status != .interrupted {
        update(SessionUpdate.text(Fence.around(complaint.lines)))
      }
      return .success(["stopReason": .string(over.isStopped ? "cancelled" : "end_turn")])
    }
    switch over.ending?.status {
    case .complete?: return .success(TurnResult.stopped("end_turn", over.ending?.usage))
    case .length?: return .success(TurnResult.stopped("max_tokens", over.ending?.usage))
    case .filtered?: return .success(TurnResult.stopped("refusal", over.ending?.usage))
    case .interrupted?: return .success(TurnResult.stopped("cancelled", over.ending?.usage))
    case .cutOff?, .stalled?, .failed?, nil:
      guard let complaint = over.complaint, complaint.status != .interrupted, !over.isStopped else {
        return .success(TurnResult.stopped("cancelled", over.ending?.usage))
      }
      return .failure(TurnResult.failure(complaint))
    }
  }

  /// What was written so far: of a command its output, of a message what there is to say beside the answer.
  func flush() {
    let (text, isCommand) = turn.withLock { turn -> (String, Bool) in
      defer { turn.written = "" }
      return (turn.written, turn.isCommand)
    }
    guard !text.allSatisfy(\.isWhitespace) else { return }
    update(isCommand ? SessionUpdate.text(Fence.around(text) + "\n") : SessionUpdate.thought(text))
  }
}

// What happens
extension SessionFront {
  func happened(_ event: TurnEvent) {
    switch event {
    case .answer(let event): show(event)
    case .asked(let call): send(SessionUpdate.call(call, as: name(call.call.id)))
    case .running(let id): send(SessionUpdate.running(name(id)))
    case .done(let call): if let result = call.result { send(SessionUpdate.result(result, of: name(call.call.id))) }
    case .complaint(let complaint):
      let earlier = turn.withLock { turn in
        defer { turn.complaint = complaint }
        return turn.complaint
      }
      // Only the last is the end of the turn.
      if let earlier { send(SessionUpdate.thought(earlier.lines)) }
    case .ended(let status, let usage): turn.withLock { $0.ending = (status, usage) }
    }
  }

  private func show(_ event: ChatEvent) {
    switch event {
    case .text(let text): send(SessionUpdate.text(text))
    case .reasoning(let text): send(SessionUpdate.thought(text))
    case .activity(let activity):
      let isNew = turn.withLock { $0.told.insert(activity.id).inserted }
      send(SessionUpdate.activity(activity, as: name(activity.id), isNew: isNew))
    case .started, .toolCallComing, .toolCall, .usage, .conversation, .question, .title, .notice, .finished: break
    }
  }

  private func send(_ json: JSON) {
    flush()
    update(json)
  }

  /// Servers and agents may count their calls anew in each turn; in a session each has a name of its own.
  private func name(_ id: String) -> String { "\(turn.withLock { $0.number })-\(id)" }
}

// Questions
extension SessionFront {
  /// What a question for permission is of, as far as it is known: a question of our own is a call that nothing else is
  /// said of.
  func subject(of choice: Choice, prompt: String) -> JSON {
    flush()
    let number = turn.withLock { turn in
      turn.questions += 1
      return turn.questions
    }
    var activity = choice.subject ?? Activity(id: "", title: prompt)
    activity.status = .pending
    return SessionUpdate.fields(of: activity, as: name(activity.id.isEmpty ? "question-\(number)" : activity.id))
  }

  /// Asks, until there is an answer or the turn is called off; nil then.
  func asking(_ ask: @escaping @Sendable () async -> Result<JSON, RPCFailure>?) async -> Result<JSON, RPCFailure>? {
    // This call's own.
    let task = Task { await ask() }
    let isStopped = turn.withLock { turn in
      turn.leave = { task.cancel() }
      return turn.isStopped
    }
    if isStopped { task.cancel() }
    let answer = await task.value
    turn.withLock { $0.leave = nil }
    return self.isStopped ? nil : answer
  }
}

/// What a prompt is answered with.
enum TurnResult {
  static func stopped(_ reason: String, _ usage: Usage?) -> JSON {
    var result: JSON = ["stopReason": .string(reason)]
    if let input = usage?.promptTokens, let output = usage?.completionTokens {
      result["usage"] = [
        "inputTokens": .int(input), "outputTokens": .int(output), "totalTokens": .int(input &+ output),
      ]
    }
    return result
  }

  /// In the words that a terminal would show; editors have no place for a hint of its own.
  static func failure(_ complaint: Complaint) -> RPCFailure {
    RPCFailure(
      code: complaint.status == .signIn ? ErrorCode.authRequired : RPCFailure.internalError,
      message: ([complaint.text] + complaint.hints).map(\.string).joined(separator: "; "),
      data: [
        "status": .int(Int(complaint.status.rawValue)), "reason": .string(complaint.text.string),
        "hints": .array(complaint.hints.map { .string($0.string) }),
      ])
  }
}

extension Complaint {
  /// As a terminal shows it.
  fileprivate var lines: String {
    (["error: " + text.string] + hints.map { "hint: " + $0.string }).joined(separator: "\n") + "\n"
  }
}

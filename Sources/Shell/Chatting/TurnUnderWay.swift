import Chat
import Store

/// A turn while it is answered: what is asked, the rounds with tools so far, and what the model is told next.
struct TurnUnderWay {
  let question: Question
  let session: SessionID
  let kept: KeptTurn?
  /// What goes along with the question.
  let files: [AttachedFile]
  private(set) var offered: [OfferedTool]
  /// Those of an answer that is gone on with come first.
  private(set) var steps: [ToolStep]
  /// The last of them on disk; nil when it could not be kept, and then neither is what comes of its calls.
  var keptRound: StepID?
  /// What the next request says.
  private(set) var messages: [Message]
  /// Rounds since the person was last asked whether to go on.
  var rounds = 0
  /// When the first request was handed over, in seconds of the world's uptime.
  let began: Double
  private(set) var firstTokenMs: Int?
  private(set) var unreadable = 0
  private(set) var hidden = 0
  /// Those of all calls in the conversation.
  private var ids: Set<String>
  /// What the server calls its two messages, once it has told.
  var remote: RemoteName?
  /// What an agent does in it.
  var activities = AgentSteps()

  init(
    _ question: Question, in session: SessionID, offered: [OfferedTool], messages: [Message], kept: KeptTurn?,
    files: [AttachedFile] = [], began: Double
  ) {
    self.files = files
    self.question = question
    self.session = session
    self.offered = offered
    self.messages = messages
    self.kept = kept
    self.began = began
    steps = if case .continuing(let turn) = question { turn.steps } else { [] }
    ids = Set(messages.flatMap { $0.toolCalls.map(\.id) })
  }

  /// The answer so far, when the next request goes on with it.
  var earlierAnswer: StoredAnswer? { hasNewSteps ? nil : question.earlierAnswer }

  private(set) var hasNewSteps = false

  /// What was said before each call for tools.
  var texts: [String] { steps.map(\.text) }

  /// What stood in the way of a server is gone.
  mutating func reconnect(_ server: ToolServer, by connection: any ToolConnection) {
    for index in offered.indices where offered[index].server.id == server.id { offered[index].connection = connection }
  }

  mutating func note(_ outcome: Outcome) {
    let before = Int(((outcome.growing.began - began) * 1000).rounded())
    firstTokenMs = firstTokenMs ?? outcome.timing.firstTokenMs.map { before + $0 }
    unreadable += outcome.growing.unreadable
    hidden += outcome.hidden
  }

  /// The answer asks for tools: it becomes a round, and the next answer begins anew.
  mutating func begin(_ outcome: Outcome, model: String?) -> ToolStep {
    var calls: [StoredCall] = []
    var count = ids.count
    for call in outcome.growing.calls {
      var call = call
      if call.id.isEmpty || ids.contains(call.id) { call.id = unusedID(&count) }
      ids.insert(call.id)
      let tool = offered.tool(called: call.name)
      calls.append(StoredCall(call, tool: tool?.ownName, server: tool?.server.name))
    }
    let step = ToolStep(
      text: outcome.growing.text, reasoning: outcome.growing.reasoning, model: outcome.growing.model ?? model,
      usage: outcome.growing.usage, timing: outcome.timing, calls: calls)
    steps.append(step)
    keptRound = nil
    hasNewSteps = true
    return step
  }

  /// For a call without an id, or from a server that numbers its calls anew in each answer: the model would be left with
  /// two of one name. Nine letters and digits: some servers take no other id back.
  private func unusedID(_ count: inout Int) -> String {
    while true {
      count += 1
      let digits = String(count)
      let id = "call" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
      if !ids.contains(id) { return id }
    }
  }

  /// A step that an agent took; which one it is.
  mutating func add(_ step: ToolStep) -> Int {
    steps.append(step)
    hasNewSteps = true
    return steps.count - 1
  }

  mutating func set(_ call: StoredCall, ofStep index: Int) { steps[index].calls = [call] }

  mutating func set(_ result: StoredResult, ofStep index: Int) { steps[index].calls[0].result = result }

  /// The calls of this round.
  var calls: [StoredCall] { steps.last?.calls ?? [] }

  mutating func set(_ result: StoredResult, call index: Int) {
    guard let last = steps.indices.last else { return }
    steps[last].calls[index].result = result
  }

  /// The round is done: the model is told what came of it.
  mutating func endRound() {
    guard let step = steps.last else { return }
    // An answer that was gone on with is part of the round.
    if messages.last?.role == .assistant { messages.removeLast() }
    messages += step.messages
    rounds += 1
  }
}

/// Why a turn goes no further than this round.
enum RoundEnding: Sendable {
  case interrupted
  case failed(ShellError)
}

extension ToolStep {
  /// As a server is sent it. A call is without a result when the program died while it ran.
  var messages: [Message] {
    [Message(.assistant, text.isBlank ? "" : text, toolCalls: calls.map(\.call))]
      + calls.map { stored in
        Message(
          .tool, stored.result?.text ?? ResultText.nothingKnown, toolName: stored.call.name, toolCallID: stored.call.id)
      }
  }
}

import Chat
import Store
import Text
import Wire

/// An answer that has ended.
struct Outcome {
  let growing: GrowingAnswer
  let error: BackendError?
  let status: AnswerStatus
  let timing: Timing
  /// How many invisible characters were taken out of it on screen.
  let hidden: Int

  init(growing: GrowingAnswer, error: BackendError?, uptime: Double, hidden: Int) {
    self.growing = growing
    self.error = error
    self.hidden = hidden
    status = growing.status(error: error)
    timing = growing.timing(at: uptime)
  }

  /// The parts of the request that the server refused, for an answer that is shown only when complete.
  var notices: [Notice] = []

  /// Whether the server keeps the conversation itself.
  var isRemembered = false

  /// Why it ended, when that was no failure of the server's.
  private(set) var ending: ShellError?

  /// The same, when what stood in its way has been said to the person.
  func explained(by error: ShellError) -> Outcome {
    var explained = self
    explained.ending = error
    explained.isExplained = true
    return explained
  }

  /// Why an answer that is whole is not what was asked for.
  private(set) var misfit: AnswerMisfit?

  /// Whether it is all that there is to say.
  var isWhole: Bool { status == .complete && error == nil && ending == nil }

  /// The same, held against a schema. - Parameter earlier: what was said in the rounds before, which
  /// whoever reads the answer gets too.
  func checked(against schema: JSONSchema, after earlier: [String], isStopped: @escaping () -> Bool) -> Outcome {
    var checked = self
    checked.misfit = AnswerMisfit(
      of: (earlier + [growing.text]).joined(separator: "\n\n"), schema, isStopped: isStopped)
    return checked
  }

  /// Whether Ctrl-C ended the look at it: the answer is whole, and what was asked for is not known to be there.
  var isCheckInterrupted: Bool { misfit == .unchecked(.stopped) }

  /// Whether what failed has been said already.
  var isExplained = false

  /// The same, ended by the person.
  var interrupted: Outcome { Outcome(self, status: .interrupted) }

  /// A turn that ended while its tools were at work: what was said before is theirs.
  func ended(_ ending: RoundEnding, at uptime: Double) -> Outcome {
    // The rounds before have the times of their own: this answer took none.
    let none = GrowingAnswer(began: uptime)
    guard case .failed(let error) = ending else {
      return Outcome(self, status: .interrupted, growing: none, timing: none.timing(at: uptime))
    }
    var ended = Outcome(self, status: .failed, growing: none, timing: none.timing(at: uptime), error: nil)
    ended.ending = error
    return ended
  }

  private init(
    _ other: Outcome, status: AnswerStatus, growing: GrowingAnswer? = nil, timing: Timing? = nil,
    error: BackendError? = .cancelled
  ) {
    self.growing = growing ?? other.growing
    self.error = error
    self.status = status
    self.timing = timing ?? other.timing
    hidden = other.hidden
    isRemembered = other.isRemembered
  }

  /// The failure in words; nil when there was none, or Ctrl-C.
  func complaint(_ server: Server) -> Complaint? {
    if let ending { return Complaint(ending) }
    if isCheckInterrupted { return nil }
    if let misfit { return Complaint(misfit) }
    let goesOn = Wording.goesOn(isRemembered: isRemembered)
    return switch (error, status) {
    case (.cancelled, _), (nil, .complete), (nil, .interrupted), (nil, .stalled), (nil, .failed): nil
    case (.some(let error), _): Complaint(error, server: server.name, kind: server.kind)
    case (nil, .cutOff) where growing.finish != nil: Complaint(cutOff: growing, goesOn: goesOn)
    // The sentence of docs/kamiwaza.md 10.2.
    case (nil, .cutOff) where server.kind == "kamiwaza":
      Complaint(
        "Connection lost. The stream ended without its end mark.",
        hint: "/continue goes on", .cutOff)
    case (nil, .cutOff):
      Complaint("the answer was cut off: the stream ended without its end mark", hint: goesOn, .cutOff)
    case (nil, .length): Complaint("the answer ended at the length limit", hint: goesOn, .endedEarly)
    case (nil, .filtered) where isRemembered:
      Complaint(
        "the agent refused, and has forgotten the message", hint: "another message goes on from before it", .endedEarly)
    case (nil, .filtered): Complaint("the server's filter ended the answer", .endedEarly)
    }
  }

  /// As the history keeps it.
  func stored(model: String?, server: Server) -> StoredAnswer {
    StoredAnswer(
      text: growing.text, reasoning: growing.reasoning, status: status, model: growing.model ?? model,
      server: server.name,
      error: complaint(server)?.text.string, usage: growing.usage, timing: timing)
  }
}

extension Complaint {
  /// The reason why an answer is cut off although the server ended it.
  fileprivate init(cutOff answer: GrowingAnswer, goesOn: SafeText) {
    if case .other(let reason)? = answer.finish {
      self.init("\(Wording.cutOff): finish reason '\(reason)'", hint: goesOn, .cutOff)
    } else {
      let parts = answer.unreadable == 1 ? "one part" : "\(answer.unreadable) parts"
      self.init("\(Wording.cutOff): \(parts) of the stream could not be read", .cutOff)
    }
  }
}

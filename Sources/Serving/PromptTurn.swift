import Chat
import Shell
import Wire

/// A prompt from its request to its answer: what happens goes in, updates come out. Pure.
struct PromptTurn: Sendable {
  /// Counted from 1 among those of the session in this run.
  let number: Int
  /// Whether it is a command that is run.
  var isCommand = false
  /// What the agent behind does, as far as it was told.
  private var told: Set<String> = []
  /// The names of calls that were told of.
  private var announced: Set<String> = []
  /// Those that only a question told of, while it is open.
  private var asked: [String] = []
  private var questions = 0
  private var hadEnough = false
  private var complaint: Complaint?
  private var ending: (status: AnswerStatus, usage: Usage, isForgotten: Bool)?

  init(number: Int) { self.number = number }

  mutating func take(_ event: TurnEvent) -> [JSON] {
    switch event {
    case .answer(.text(let text)): return [SessionUpdate.text(text)]
    case .answer(.reasoning(let text)): return [SessionUpdate.thought(text)]
    case .answer(.activity(let activity)):
      let isNew = told.insert(activity.id).inserted
      announced.insert(name(activity.id))
      return [SessionUpdate.activity(activity, as: name(activity.id), isNew: isNew)]
    case .answer: return []
    case .asked(let call):
      announced.insert(name(call.call.id))
      return [SessionUpdate.call(call, as: name(call.call.id))]
    case .running(let id): return [SessionUpdate.running(name(id))]
    case .done(let call): return call.result.map { [SessionUpdate.result($0, of: name(call.call.id))] } ?? []
    case .complaint(let new):
      defer { complaint = new }
      return rest
    case .enoughRounds:
      hadEnough = true
      return []
    case .ended(let status, let usage, let isForgotten):
      ending = (status, usage, isForgotten)
      return []
    }
  }

  /// Of several complaints the last may be the answer; those before it are told beside it.
  private var rest: [JSON] { complaint.map { [SessionUpdate.thought($0.lines)] } ?? [] }

  /// What a question for permission is about. One of our own is a call of which nothing else is said.
  mutating func subject(of alternatives: Alternatives, prompt: String) -> JSON {
    var activity = alternatives.subject ?? Activity(id: "", title: prompt)
    activity.status = .pending
    if activity.id.isEmpty {
      questions += 1
      activity.id = "question-\(questions)"
    }
    let name = name(activity.id)
    if !announced.contains(name) { asked.append(name) }
    return SessionUpdate.fields(of: activity, as: name)
  }

  /// A question was answered: what only it told of is over, for an editor shows it as a call of its own.
  mutating func answered(isAllowed: Bool) -> [JSON] {
    defer { asked = [] }
    return asked.map { SessionUpdate.answered($0, isAllowed: isAllowed) }
  }

  /// Servers and agents may count their calls anew in each turn; in a session each has a name of its own.
  private func name(_ id: String) -> String { "\(number)-\(id)" }

  /// What is left to tell, and what the request is answered with.
  /// - Parameters:
  ///   - isStopped: whether the editor has called it off.
  ///   - offersSignIn: whether the editor was told of a way to sign in.
  func end(isStopped: Bool, offersSignIn: Bool) -> (updates: [JSON], answer: Result<JSON, RPCFailure>) {
    let failure = complaint.flatMap { $0.status == .interrupted ? nil : $0 }
    if isCommand, ending == nil {
      let shown = failure.map { [SessionUpdate.text(Fence.around($0.lines))] } ?? []
      return (shown, .success(PromptAnswer.stopped(isStopped ? "cancelled" : "end_turn", nil)))
    }
    switch ending?.status {
    case .complete?: return (rest, .success(PromptAnswer.stopped("end_turn", ending?.usage)))
    case .length?: return (rest, .success(PromptAnswer.stopped("max_tokens", ending?.usage)))
    // What a filter ended is not forgotten: the model gets it again.
    case .filtered?:
      return (rest, .success(PromptAnswer.stopped(ending?.isForgotten == true ? "refusal" : "end_turn", ending?.usage)))
    case .interrupted? where hadEnough && !isStopped:
      return (rest, .success(PromptAnswer.stopped("max_turn_requests", ending?.usage)))
    case .interrupted?: return (rest, .success(PromptAnswer.stopped("cancelled", ending?.usage)))
    case .cutOff?, .stalled?, .failed?, nil:
      // A person who left a question has called it off too.
      if isStopped || complaint?.status == .interrupted {
        return ([], .success(PromptAnswer.stopped("cancelled", ending?.usage)))
      }
      return ([], .failure(PromptAnswer.failure(failure, offersSignIn: offersSignIn)))
    }
  }
}

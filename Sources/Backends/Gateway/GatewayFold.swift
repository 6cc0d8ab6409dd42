import Chat
import Wire

/// Folds the frames of one answer into events (docs/gateway.md 3.2). Tool calls in them are reports of what the server did:
/// none is carried out here.
struct GatewayFold {
  private(set) var isEnded = false
  /// Why the answer failed, once it has.
  private(set) var failure: BackendError?
  /// Whether there was a list of answers.
  private(set) var hasChoices = false
  /// Whether any part of the answer has come; a role alone is none.
  private(set) var hasToken = false
  private(set) var finishReason: FinishReason?
  /// The answer so far.
  private(set) var text = ""
  /// What the server calls the conversation.
  private(set) var session: String?

  private let form: GatewayForm
  /// The model that was asked.
  private let asked: String?
  /// The name of the conversation that is known already.
  private let known: String?
  private var events: [ChatEvent] = []
  private var failureText = GatewayFailureText()
  private var halves = HalfJoiner()
  private var tools: [String: Activity] = [:]
  private var usage: Usage?
  private var isStarted = false
  /// The first frame with a type of its own that was skipped.
  private var skipped: String?
  /// Whether a text was said last, and no tool reported since.
  private var isInText = false

  init(form: GatewayForm, asked: String?, known: String? = nil) {
    self.form = form
    self.asked = asked
    self.known = known
  }

  mutating func take() -> [ChatEvent] {
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  mutating func name(_ session: String) {
    guard session != self.session, !session.isEmpty else { return }
    self.session = session
    if isStarted, session != known { events.append(.conversation(id: session)) }
  }

  mutating func passOver(_ line: String) { events.append(.notice(.unreadable(line))) }

  mutating func log(_ text: String) { events.append(.notice(.log(text))) }

  /// Adds a frame in which halves of characters are marked. `type` is the type of its event, if the stream names one.
  mutating func add(_ marked: JSON, type: String? = nil) {
    guard !isEnded, failure == nil else { return }
    let frame = marked.joiningHalves
    if frame["error"]?.reportsError == true { return fail(ErrorBody(frame)) }
    if let id = frame["session_id"]?.word { name(id) }
    start(frame["model"]?.word)
    switch frame["object"]?.string {
    case "tool_use": begin(tool: frame)
    case "tool_result": end(tool: frame)
    case "usage": usage = Usage(gateway: frame) ?? usage
    default: addChoice(of: frame, marked: marked, type: type)
    }
  }

  private mutating func start(_ model: String?) {
    guard !isStarted else { return }
    isStarted = true
    events.append(.started(model: model))
    if let asked, let model, !model.isCalled(asked) { events.append(.notice(.modelReplaced(asked: asked, by: model))) }
    if let session, session != known { events.append(.conversation(id: session)) }
  }

  private mutating func addChoice(of frame: JSON, marked: JSON, type: String?) {
    if let counts = frame["usage"] { usage = Usage(gateway: counts) ?? usage }
    if let choices = marked["choices"]?.array {
      hasChoices = true
      if let choice = choices.first { add(choice, of: frame) }
      return
    }
    switch BareEvent(marked, type: type) {
    case .error: fail(ErrorBody(frame))
    case .chunk(let chunk):
      hasChoices = true
      if let choice = chunk["choices"]?[0] { add(choice, of: frame) }
    case .metadata: break
    case .unknown where type != nil && type != "message":
      let words = String(frame.serialized().prefix(200))
      log("skipped an event of an unknown type: \(words)")
      skipped = skipped ?? words
    case .unknown: passOver(String(frame.serialized().prefix(200)))
    }
  }

  /// Adds a choice in which halves of characters are marked.
  private mutating func add(_ marked: JSON, of frame: JSON) {
    let choice = marked.joiningHalves
    let content = GatewayFold.part(of: marked).firstValue(of: ["content", "text"]) ?? marked["text"] ?? .null
    let parts = AnswerPart.parts(of: content)
    say(halves.take(GatewayFold.text(parts)))
    for part in parts {
      switch part {
      case .call(let call): report(call.joiningHalves)
      case .thought(let text): events.append(.reasoning(text.joiningHalves))
      case .unreadable: passOver(String(frame.serialized().prefix(200)))
      case .text, .refusal: break
      }
    }
    if let calls = GatewayFold.part(of: choice)["tool_calls"], !calls.isNull {
      for call in NativeCalls.pieces(of: calls) { report(call) }
    }
    let reason = FinishReason(
      finish: choice["finish_reason"], stop: choice["stop_reason"], native: choice["native_finish_reason"],
      endsWithCalls: !tools.isEmpty)
    finishReason.update(with: reason)
    if let error = choice["error"], error.reportsError {
      let words = ErrorBody(error).message
      if hasToken { finishReason = .other(words.isEmpty ? "error" : words) } else { fail(ErrorBody(error)) }
    }
  }

  private static func part(of choice: JSON) -> JSON {
    let part = choice.firstValue(of: ["delta", "message"]) ?? [:]
    return part.object == nil ? ["content": part] : part
  }

  /// The texts of the parts, a line each.
  private static func text(_ parts: [AnswerPart]) -> String {
    parts.compactMap { part in
      switch part {
      case .text(let text), .refusal(let text): text
      case .thought, .call, .unreadable: nil
      }
    }.joined(separator: "\n")
  }

  private mutating func say(_ piece: String) {
    guard !piece.isEmpty else { return }
    let isFirst = !hasToken
    hasToken = true
    if form.sendsWholeMessages { show(failureText.release()) }
    let needsBreak =
      form.sendsWholeMessages && isInText && text.last?.isWhitespace == false && piece.first?.isWhitespace == false
    show(
      failureText.take((needsBreak ? "\n" : "") + piece, beginsMessage: isFirst || form.sendsWholeMessages || !isInText)
    )
  }

  private mutating func show(_ piece: String) {
    guard !piece.isEmpty else { return }
    text += piece
    isInText = true
    if case .text(let before)? = events.last {
      events[events.count - 1] = .text(before + piece)
    } else {
      events.append(.text(piece))
    }
  }
}

// What the server did by itself.
extension GatewayFold {
  private mutating func report(_ call: JSON) {
    guard let name = call["function"]?["name"]?.word ?? call["name"]?.word else { return }
    let written = (call["function"] ?? call).firstValue(of: ToolCall.argumentKeys) ?? .null
    let input = written.string.flatMap { try? JSON(parsing: $0) } ?? written  // what is no JSON is shown as it is
    show(
      Activity(
        id: call["id"]?.word ?? "tool \(tools.count + 1)", title: name, kind: "tool", status: .done,
        input: input.isNull ? nil : input))
  }

  private mutating func begin(tool frame: JSON) {
    let input = frame["input"].flatMap { $0.isNull ? nil : $0 }
    show(
      Activity(
        id: frame["id"]?.word ?? "tool \(tools.count + 1)", title: frame["name"]?.word ?? "", kind: "tool",
        status: .running, input: input))
  }

  private mutating func end(tool frame: JSON) {
    let id = frame["tool_id"]?.word ?? frame["id"]?.word ?? "tool \(tools.count + 1)"
    var activity = tools[id] ?? Activity(id: id, title: frame["name"]?.word ?? "", kind: "tool")
    activity.status = frame["is_error"]?.bool == true ? .failed : .done
    let content = frame["content"] ?? .null
    let words = GatewayFold.text(AnswerPart.parts(of: content))
    if !words.isEmpty {
      activity.content = [.block(.text(words))]
    } else if content.object != nil {
      activity.output = content
    }
    show(activity)
  }

  private mutating func show(_ activity: Activity) {
    hasToken = true
    show(failureText.release())
    isInText = false
    tools[activity.id] = activity
    events.append(.activity(activity))
  }
}

// The end.
extension GatewayFold {
  /// The end mark has come; without a reason it means that all is well.
  mutating func finish() {
    finishReason = finishReason ?? .stop
    end()
  }

  /// It will not be known whether what is held back was a failure: it was said.
  mutating func giveUp() {
    guard !isEnded, failure == nil else { return }
    show(failureText.release())
  }

  /// Nothing will follow.
  mutating func end() {
    guard !isEnded, failure == nil else { return }
    isEnded = true
    if !hasToken, let skipped { passOver(skipped) }
    if let usage { events.append(.usage(usage)) }
    guard let finishReason else { return show(failureText.release()) }
    failure = failureInDisguise
    guard failure == nil else { return }
    show(failureText.release())
    events.append(.finished(finishReason))
  }

  /// What came of a run that failed, and was given as if all were well (docs/gateway.md 10).
  private var failureInDisguise: BackendError? {
    if let words = failureText.words { return words.isEmpty ? .emptyAnswer : .failed(message: words) }
    return hasToken ? nil : .emptyAnswer
  }

  mutating func fail(_ body: ErrorBody) {
    guard !isEnded, failure == nil else { return }
    show(failureText.release())
    failure = body.contextError ?? .failed(message: body.message)
  }
}

extension Usage {
  /// nil when it counts nothing.
  init?(gateway json: JSON) {
    guard json.object != nil else { return nil }
    self.init(
      promptTokens: (json["prompt_tokens"] ?? json["input_tokens"])?.tokenCount,
      completionTokens: (json["completion_tokens"] ?? json["output_tokens"])?.tokenCount,
      cost: (json["total_cost"] ?? json["cost"] ?? json["total_cost_usd"])?.price)
    if self == Usage() { return nil }
  }
}

extension JSON {
  /// An amount of money; nil for what is none.
  var price: Double? { double.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } }
}

extension String {
  /// Whether a model of this name is what was asked by another: an alias is a part of it.
  fileprivate func isCalled(_ asked: String) -> Bool {
    let name = asked.hasSuffix("-latest") ? String(asked.dropLast("-latest".count)) : asked
    return self == asked || contains(name) || asked.contains(self)
  }
}

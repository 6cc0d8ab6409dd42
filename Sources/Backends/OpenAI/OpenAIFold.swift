import Chat
import Wire

/// Folds the chunks of one answer into events (docs/openai.md 3).
struct OpenAIFold {
  /// So many unreadable chunks in a row end an answer.
  static let unreadableLimit = 10

  private(set) var joiner = EventJoiner()
  /// Whether any part of the answer has come. A role or an empty piece is not a part.
  private(set) var hasToken = false
  private(set) var finishReason: FinishReason?
  private(set) var isEnded = false
  /// Why the answer failed, once it has.
  private(set) var failure: BackendError?
  /// The error that the server reported instead of the first token.
  private(set) var refusal: ErrorBody?
  /// Whether a chunk had a list of answers in it.
  private(set) var hasChoices = false

  private let address: String
  /// Set if tools were offered.
  private var calls: CallReader?
  private let mask: SecretMask?
  private var thinkTags = ThinkTags()
  private var scratch: [UInt8] = []
  /// What the server may want back with the calls.
  private var besides = SentBack()
  private var isStarted = false
  private var hasRefusal = false
  private var choices = ChoiceTracker()
  /// A chunk with a new index, until the next chunk tells whether it belongs to this answer.
  private var held: [UInt8]?
  private var hasLeftOut = false
  /// Whether a delta had a part of the answer: messages only repeat it.
  private var hasDeltas = false
  private var messageText = MessageText()
  private var messageReasoning = MessageText()
  private var usage: Usage?
  private var timings: Usage?
  private var unreadable = 0
  /// Plain text behind the last chunk. If the stream ends with it, it says why.
  private var lastWords: ErrorBody?
  /// The first event with a type of its own that was skipped.
  private var skipped: String?

  init(address: String, calls: CallReader? = nil, mask: SecretMask? = nil) {
    self.address = address
    self.calls = calls
    self.mask = mask
  }

  mutating func take() -> [ChatEvent] {
    let events = joiner.take()
    return calls?.read(events, isOver: isEnded || failure != nil) ?? events
  }

  /// Adds the data of an event. `type` is the event's type, if the stream names one.
  mutating func add(_ data: UnsafeBufferPointer<UInt8>, type: String? = nil) {
    guard !isEnded, failure == nil else { return }
    if type == "error" { return fail(ErrorBody(masked(data))) }
    do throws(JSON.Failure) {
      let chunk = try OpenAIChunk(data, following: choices.followed)
      (unreadable, lastWords) = (0, nil)
      if chunk.hasError, chunk.choice == nil { return fail(try error(in: data)) }
      if chunk.hasChoices { try add(chunk, of: data) } else { try addBare(chunk, of: data, type: type) }
      if chunk.hasError { fail(try error(in: data)) }
    } catch {
      passOver(data, type: type)
    }
  }

  /// Adds an event without a list of choices.
  private mutating func addBare(
    _ chunk: OpenAIChunk, of data: UnsafeBufferPointer<UInt8>, type: String?
  ) throws(JSON.Failure) {
    switch BareEvent(try JSON(parsing: data, keepsHalves: true), type: type) {
    case .error: fail(try error(in: data))
    case .chunk(let json):
      try json.bytes().withUnsafeBufferPointer { (data) throws(JSON.Failure) in
        try add(OpenAIChunk(data, following: choices.followed), of: data)
      }
    case .metadata: try add(chunk, of: data)
    // Servers may add events of types that OpenAI's API does not have.
    case .unknown where type != nil && type != "message":
      let words = words(of: data)
      joiner.add(.notice(.log("skipped an event of an unknown type: \(words)")))
      skipped = skipped ?? words
    case .unknown: joiner.add(.notice(.unreadable(words(of: data))))
    }
  }

  /// Ends the answer at the server's end mark. Without a finish reason the mark is a good end.
  mutating func finish() {
    finishReason = finishReason ?? .stop
    end()
  }

  /// Ends the answer at the end of the stream.
  mutating func end() {
    guard !isEnded, failure == nil else { return }
    if finishReason == nil, let lastWords { return fail(lastWords) }
    releaseHeld()
    if !hasToken, let skipped { joiner.add(.notice(.unreadable(skipped))) }
    isEnded = true
    joiner.add(messageReasoning.end(), to: .reasoning)
    thinkTags.take(messageText.end(), into: &joiner)
    thinkTags.end(into: &joiner)
    joiner.flush()
    for var call in calls?.finish() ?? [] {
      call.sentBackBeside = besides.fields.map { mask?($0) ?? $0 }
      call.sentBack = call.sentBack.map { mask?($0) ?? $0 }
      besides = SentBack()
      joiner.add(.toolCall(call))
    }
    if let usage = usage ?? timings { joiner.add(.usage(usage)) }
    if let finishReason { joiner.add(.finished(finishReason)) }
  }

  /// Removes secrets from data that is shown as an error.
  private func masked(_ data: UnsafeBufferPointer<UInt8>) -> [UInt8] { mask?(Array(data)) ?? Array(data) }

  private func words(of data: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: masked(data).prefix(200), as: UTF8.self)
  }

  private func error(in data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) -> ErrorBody {
    ErrorBody(try JSON(parsing: masked(data)))
  }

  private mutating func fail(_ body: ErrorBody) {
    releaseHeld()
    if !hasToken { refusal = body }
    fail(with: body.contextError ?? .failed(message: body.message))
  }

  private mutating func fail(with error: BackendError) {
    thinkTags.end(into: &joiner)
    joiner.flush()
    failure = error
  }

  /// Reports data that could not be parsed. A keep-alive is only logged.
  private mutating func passOver(_ data: UnsafeBufferPointer<UInt8>, type: String? = nil) {
    releaseHeld()
    let words = words(of: data)
    if !data.startsObject {
      switch PlainData(masked(data), type: type) {
      case .keepAlive: return joiner.add(.notice(.log("skipped a keep-alive: \(words)")))
      case .error(let body): return fail(body)
      case .unknown: lastWords = lastWords ?? ErrorBody(masked(data))
      }
    }
    joiner.add(.notice(.unreadable(words)))
    unreadable += 1
    if unreadable == OpenAIFold.unreadableLimit {
      fail(with: .malformed(address: address, detail: "\(unreadable) unreadable lines in a row"))
    }
  }
}

extension OpenAIFold {
  private mutating func add(_ chunk: OpenAIChunk, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    let decision = chunk.choice.map { (choice) in
      choices.decide(choice, isOneOfSeveral: chunk.hasSeveral, isFinished: finishReason != nil)
    }
    if held != nil { releaseHeld() }
    if decision == .undecided { held = Array(data) } else { try add(chunk, decision, of: data) }
  }

  private mutating func add(
    _ chunk: OpenAIChunk, _ decision: ChoiceTracker.Decision?, of data: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) {
    if !isStarted { try start(chunk, of: data) }
    hasChoices = hasChoices || chunk.hasChoices
    if chunk.hasSeveral { leaveOut() }
    if chunk.hasOddChoice { joiner.add(.notice(.unreadable(words(of: data)))) }
    if let choice = chunk.choice {
      if decision == .shown {
        if !(choice.parts.isMessage && hasDeltas) { try addParts(of: choice, of: data) }
        try addEnd(of: choice, of: data)
      } else if choice.parts.saysSomething {
        leaveOut()
      }
    }
    if let place = chunk.usage { usage = try Usage(openAI: data, at: place) ?? usage }
    if let place = chunk.timings { timings = try Usage(timings: data, at: place) ?? timings }
  }

  /// Adds the held chunk, or hides its choice if there are several answers.
  private mutating func releaseHeld() {
    guard let chunk = held else { return }
    held = nil
    let decision = choices.hasSeveralAnswers ? ChoiceTracker.Decision.hidden : .shown
    chunk.withUnsafeBufferPointer { data in
      do throws(JSON.Failure) { try add(OpenAIChunk(data, following: nil), decision, of: data) } catch {
        passOver(data)
      }
    }
  }

  /// Tells once that an answer besides the followed one is not shown.
  private mutating func leaveOut() {
    guard !hasLeftOut else { return }
    hasLeftOut = true
    joiner.add(.notice(.otherAnswers))
  }

  private mutating func addParts(
    of choice: OpenAIChunk.Choice, of data: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) {
    let parts = choice.parts
    let isLast = choice.finishReason != nil
    try addReasoning(parts, of: data, isLast: isLast)
    if let place = parts.content {
      try addContent(at: place, of: data, isMessage: parts.isMessage, isLast: isLast)
    }
    if let place = parts.refusal { try addRefusal(at: place, of: data) }
    if let images = try data.value(at: parts.images) { addParts(of: images, data) }
    try addCalls(parts, of: data)
    if let place = parts.besides, calls != nil {
      var reader = JSONReader(data, at: place, keepsHalves: true)
      besides.add(message: try reader.value())
    }
    if !parts.isMessage, parts.saysSomething { hasDeltas = true }
  }

  private mutating func addEnd(
    of choice: OpenAIChunk.Choice, of data: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) {
    if choice.finishReason != nil || choice.stopReason != nil {
      let reason = FinishReason(
        finish: try data.value(at: choice.finishReason), stop: try data.value(at: choice.stopReason),
        native: try data.value(at: choice.nativeFinishReason), mask: mask)
      finishReason.update(with: reason)
    }
    guard let error = try data.value(at: choice.error) else { return }
    let body = ErrorBody(JSON.object([JSON.Member("error", error)]).bytes().withUnsafeBufferPointer(masked))
    if hasToken { finishReason = .other(body.message.isEmpty ? "error" : body.message) } else { fail(body) }
  }

  private mutating func start(_ chunk: OpenAIChunk, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    guard chunk.hasChoices else { return }
    isStarted = true
    let model = try chunk.model.map { (place) throws(JSON.Failure) in try data.string(at: place) }
    joiner.add(.started(model: model?.isEmpty == true ? nil : model.map { mask?($0) ?? $0 }))
  }

  /// Some servers say the same thought under two names; the first that says something counts.
  private mutating func addReasoning(
    _ parts: OpenAIChunk.Parts, of data: UnsafeBufferPointer<UInt8>, isLast: Bool
  ) throws(JSON.Failure) {
    if let place = parts.reasoningContent ?? parts.reasoning {
      try addThought(at: place, of: data, isMessage: parts.isMessage, isLast: isLast)
    } else if let place = parts.reasoningDetails {
      var reader = JSONReader(data, at: place, keepsHalves: true)
      addThoughts(of: try reader.value())
    }
  }

  private mutating func addThought(
    at place: Int, of data: UnsafeBufferPointer<UInt8>, isMessage: Bool, isLast: Bool
  ) throws(JSON.Failure) {
    var reader = JSONReader(data, at: place, keepsHalves: true)
    guard try reader.kind() == .string else { return addThoughts(of: try reader.value()) }
    hasToken = true
    if isMessage {
      var text: [UInt8] = []
      try reader.appendString(to: &text)
      joiner.add(messageReasoning.newText(of: text, isLast: isLast), to: .reasoning)
    } else {
      try joiner.add(to: .reasoning) { (text) throws(JSON.Failure) in try reader.appendString(to: &text) }
    }
  }

  /// Adds the texts of a value that is reasoning as a whole.
  private mutating func addThoughts(of value: JSON) {
    for part in AnswerPart.parts(of: value) {
      switch part {
      case .text(let text), .thought(let text): addThought(text)
      case .refusal, .call, .unreadable: break
      }
    }
  }

  private mutating func addThought(_ text: String) {
    hasToken = true
    joiner.add(text.utf8, to: .reasoning)
  }

  private mutating func addContent(
    at place: Int, of data: UnsafeBufferPointer<UInt8>, isMessage: Bool, isLast: Bool
  ) throws(JSON.Failure) {
    var reader = JSONReader(data, at: place, keepsHalves: true)
    guard try reader.kind() == .string else { return addParts(of: try reader.value(), data) }
    hasToken = true
    if isMessage {
      var text: [UInt8] = []
      try reader.appendString(to: &text)
      thinkTags.take(messageText.newText(of: text, isLast: isLast), into: &joiner)
    } else if thinkTags.isDone {
      try joiner.add(to: .text) { (text) throws(JSON.Failure) in try reader.appendString(to: &text) }
    } else {
      scratch.removeAll(keepingCapacity: true)
      try reader.appendString(to: &scratch)
      thinkTags.take(scratch, into: &joiner)
    }
  }

  private mutating func addParts(of content: JSON, _ data: UnsafeBufferPointer<UInt8>) {
    for part in AnswerPart.parts(of: content) {
      switch part {
      case .text(let text):
        hasToken = true
        thinkTags.take(Array(text.utf8), into: &joiner)
      case .thought(let text): addThought(text)
      case .refusal(let words):
        noteRefusal()
        joiner.add(words.utf8, to: .text)
      case .call(let call): addCalls(call, data)
      case .unreadable: joiner.add(.notice(.unreadable(words(of: data))))
      }
    }
  }

  private mutating func addCalls(
    _ parts: OpenAIChunk.Parts, of data: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) {
    if let place = parts.toolCalls {
      var reader = JSONReader(data, at: place, keepsHalves: true)
      addCalls(try reader.value(), data)
    } else if let place = parts.functionCall {
      var reader = JSONReader(data, at: place, keepsHalves: true)
      // The one call of older servers.
      addCalls(["index": -1, "function": try reader.value()], data)
    }
  }

  /// Adds a call or a list of calls. They are ignored if no tools were offered.
  private mutating func addCalls(_ value: JSON, _ data: UnsafeBufferPointer<UInt8>) {
    hasToken = true
    guard calls != nil else { return }
    let pieces = NativeCalls.pieces(of: value)
    for event in pieces.flatMap({ calls?.take($0) ?? [] }) { joiner.add(event) }
    if pieces.contains(where: { $0.object == nil && !$0.isNull }) {
      joiner.add(.notice(.unreadable(words(of: data))))
    }
  }

  private mutating func addRefusal(at place: Int, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    noteRefusal()
    var reader = JSONReader(data, at: place, keepsHalves: true)
    try joiner.add(to: .text) { (text) throws(JSON.Failure) in try reader.appendString(to: &text) }
  }

  private mutating func noteRefusal() {
    hasToken = true
    guard !hasRefusal else { return }
    hasRefusal = true
    joiner.add(.notice(.refusal))
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func value(at place: Int?) throws(JSON.Failure) -> JSON? {
    guard let place else { return nil }
    var reader = JSONReader(self, at: place)
    return try reader.value()
  }

  fileprivate func string(at place: Int) throws(JSON.Failure) -> String {
    var reader = JSONReader(self, at: place)
    return try reader.string()
  }
}

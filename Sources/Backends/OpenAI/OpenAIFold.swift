import Chat
import Wire

/// Folds the chunks of one answer into events (docs/openai.md 3).
struct OpenAIFold {
  /// So many unreadable chunks in a row end an answer.
  static let unreadableLimit = 10

  private(set) var joiner = EventJoiner()
  /// Whether any part of the answer has come; a role or an empty piece is none.
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
  /// Where tools were offered.
  private var calls: CallReader?
  private let mask: SecretMask?
  private var thinkTags = ThinkTags()
  private var scratch: [UInt8] = []
  /// What the server may want back with the calls.
  private var besides = SentBack()
  /// Whether the model asked for tools although none were offered.
  private var hasIgnoredCalls = false
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

  init(address: String, calls: CallReader? = nil, mask: SecretMask? = nil) {
    self.address = address
    self.calls = calls
    self.mask = mask
  }

  mutating func take() -> [ChatEvent] {
    let events = joiner.take()
    return calls?.read(events, isOver: isEnded || failure != nil) ?? events
  }

  /// Takes a chunk's bytes; `isError` when the stream names it so.
  mutating func add(_ data: UnsafeBufferPointer<UInt8>, isError: Bool = false) {
    guard !isEnded, failure == nil else { return }
    do throws(JSON.Failure) {
      let chunk = try OpenAIChunk(data, following: choices.followed)
      unreadable = 0
      if (chunk.hasError && chunk.choice == nil) || isError { return fail(try error(in: data)) }
      try add(chunk, of: data)
      if chunk.hasError { fail(try error(in: data)) }
    } catch {
      if isError { return fail(ErrorBody(masked(data))) }
      passOver(data)
    }
  }

  /// The server's end mark has come; without a reason it means that all is well.
  mutating func finish() {
    finishReason = finishReason ?? .stop
    end()
  }

  /// Nothing will follow.
  mutating func end() {
    guard !isEnded, failure == nil else { return }
    releaseHeld()
    isEnded = true
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

  /// What went wrong is shown and kept, so a key that the server repeats in it is not.
  private func masked(_ data: UnsafeBufferPointer<UInt8>) -> [UInt8] { mask?(Array(data)) ?? Array(data) }

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

  /// Reports a chunk that could not be parsed. Other data, such as a keep-alive, is only logged.
  private mutating func passOver(_ data: UnsafeBufferPointer<UInt8>) {
    releaseHeld()
    let words = String(decoding: masked(data).prefix(200), as: UTF8.self)
    guard data.startsObject else { return joiner.add(.notice(.log("skipped data that is not JSON: \(words)"))) }
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
    if parts.toolCalls != nil { hasToken = true }
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
    if let place = choice.finishReason {
      var reader = JSONReader(data, at: place)
      let reason = try reader.value()
      let word = reason.string ?? reason["type"]?.string ?? reason["reason"]?.string ?? reason.serialized()
      let isCall = calls != nil || !hasIgnoredCalls
      finishReason.update(with: FinishReason(openAI: mask?(word) ?? word, endsWithCalls: isCall))
    }
    guard let place = choice.error else { return }
    var reader = JSONReader(data, at: place)
    let body = ErrorBody(try reader.value())
    let words = body.message.isEmpty ? "error" : mask?(body.message) ?? body.message
    if hasToken { finishReason = .other(words) } else { fail(with: body.contextError ?? .failed(message: words)) }
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
      for detail in try reader.value().array ?? [] {
        addThought((detail["text"]?.string ?? detail["summary"]?.string ?? "").utf8)
      }
    }
  }

  private mutating func addThought(
    at place: Int, of data: UnsafeBufferPointer<UInt8>, isMessage: Bool, isLast: Bool
  ) throws(JSON.Failure) {
    hasToken = true
    var reader = JSONReader(data, at: place, keepsHalves: true)
    if isMessage {
      var text: [UInt8] = []
      try reader.appendString(to: &text)
      joiner.add(messageReasoning.newText(of: text, isLast: isLast), to: .reasoning)
    } else {
      try joiner.add(to: .reasoning) { (text) throws(JSON.Failure) in try reader.appendString(to: &text) }
    }
  }

  private mutating func addThought(_ text: some Sequence<UInt8>) {
    let bytes = Array(text)
    guard !bytes.isEmpty else { return }
    hasToken = true
    joiner.add(bytes, to: .reasoning)
  }

  private mutating func addContent(
    at place: Int, of data: UnsafeBufferPointer<UInt8>, isMessage: Bool, isLast: Bool
  ) throws(JSON.Failure) {
    var reader = JSONReader(data, at: place, keepsHalves: true)
    guard try reader.kind() == .string else { return addParts(try reader.value().array ?? []) }
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

  private mutating func addParts(_ parts: [JSON]) {
    for part in parts {
      if let text = part["text"]?.string ?? part.string, !text.isEmpty {
        hasToken = true
        thinkTags.take(Array(text.utf8), into: &joiner)
      }
      switch part["thinking"] {
      case .string(let text): addThought(text.utf8)
      case .array(let thoughts): for thought in thoughts { addThought((thought["text"]?.string ?? "").utf8) }
      default: break
      }
    }
  }

  private mutating func addCalls(
    _ parts: OpenAIChunk.Parts, of data: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) {
    guard calls != nil else {
      hasIgnoredCalls = hasIgnoredCalls || parts.toolCalls != nil || parts.functionCall != nil
      return
    }
    if let place = parts.toolCalls {
      var reader = JSONReader(data, at: place, keepsHalves: true)
      for event in calls?.take(try reader.value()) ?? [] { joiner.add(event) }
    } else if let place = parts.functionCall {
      hasToken = true
      var reader = JSONReader(data, at: place, keepsHalves: true)
      for event in calls?.take(functionCall: try reader.value()) ?? [] { joiner.add(event) }
    }
  }

  private mutating func addRefusal(at place: Int, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    hasToken = true
    if !hasRefusal {
      hasRefusal = true
      joiner.add(.notice(.refusal))
    }
    var reader = JSONReader(data, at: place, keepsHalves: true)
    try joiner.add(to: .text) { (text) throws(JSON.Failure) in try reader.appendString(to: &text) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func string(at place: Int) throws(JSON.Failure) -> String {
    var reader = JSONReader(self, at: place)
    return try reader.string()
  }
}

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
  /// Whether a chunk had a list of answers in it.
  private(set) var hasChoices = false

  private let address: String
  /// Where tools were offered.
  private var calls: CallReader?
  private let mask: SecretMask?
  private var thinkTags = ThinkTags()
  private var scratch: [UInt8] = []
  private var isStarted = false
  private var hasRefusal = false
  private var followed: Int?
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
      let chunk = try OpenAIChunk(data, following: followed)
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
    isEnded = true
    thinkTags.end(into: &joiner)
    joiner.flush()
    for call in calls?.finish() ?? [] { joiner.add(.toolCall(call)) }
    if let usage = usage ?? timings { joiner.add(.usage(usage)) }
    if let finishReason { joiner.add(.finished(finishReason)) }
  }

  /// What went wrong is shown and kept, so a key that the server repeats in it is not.
  private func masked(_ data: UnsafeBufferPointer<UInt8>) -> [UInt8] { mask?(Array(data)) ?? Array(data) }

  private func error(in data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) -> ErrorBody {
    ErrorBody(try JSON(parsing: masked(data)))
  }

  private mutating func fail(_ body: ErrorBody) {
    fail(with: body.contextError ?? .failed(message: body.message))
  }

  private mutating func fail(with error: BackendError) {
    thinkTags.end(into: &joiner)
    joiner.flush()
    failure = error
  }

  private mutating func passOver(_ data: UnsafeBufferPointer<UInt8>) {
    joiner.add(.notice(.unreadable(String(decoding: masked(data).prefix(200), as: UTF8.self))))
    unreadable += 1
    if unreadable == OpenAIFold.unreadableLimit {
      fail(with: .malformed(address: address, detail: "\(unreadable) unreadable lines in a row"))
    }
  }
}

extension OpenAIFold {
  private mutating func add(_ chunk: OpenAIChunk, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    if !isStarted { try start(chunk, of: data) }
    hasChoices = hasChoices || chunk.hasChoices
    if let choice = chunk.choice {
      followed = choice.index
      try addReasoning(choice, of: data)
      if let place = choice.content { try addContent(at: place, of: data) }
      if let place = choice.refusal { try addRefusal(at: place, of: data) }
      if choice.toolCalls != nil { hasToken = true }
      try addCalls(choice, of: data)
      if let place = choice.finishReason {
        let word = try data.string(at: place)
        if !word.isEmpty { finishReason = FinishReason(openAI: word, endsWithCalls: calls != nil) }
      }
    }
    if let place = chunk.usage { usage = try Usage(openAI: data, at: place) ?? usage }
    if let place = chunk.timings { timings = try Usage(timings: data, at: place) ?? timings }
  }

  private mutating func start(_ chunk: OpenAIChunk, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    guard chunk.hasChoices else { return }
    isStarted = true
    let model = try chunk.model.map { (place) throws(JSON.Failure) in try data.string(at: place) }
    joiner.add(.started(model: model?.isEmpty == true ? nil : model.map { mask?($0) ?? $0 }))
  }

  /// Some servers say the same thought under two names; the first that says something counts.
  private mutating func addReasoning(
    _ choice: OpenAIChunk.Choice, of data: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) {
    if let place = choice.reasoningContent, try addThought(at: place, of: data) { return }
    if let place = choice.reasoning, try addThought(at: place, of: data) { return }
    if let place = choice.reasoningDetails {
      var reader = JSONReader(data, at: place)
      for detail in try reader.value().array ?? [] {
        addThought((detail["text"]?.string ?? detail["summary"]?.string ?? "").utf8)
      }
    }
  }

  private mutating func addThought(at place: Int, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) -> Bool {
    guard !data.isEmptyString(at: place) else { return false }
    hasToken = true
    var reader = JSONReader(data, at: place)
    try joiner.add(to: .reasoning) { (text) throws(JSON.Failure) in try reader.appendString(to: &text) }
    return true
  }

  private mutating func addThought(_ text: some Sequence<UInt8>) {
    let bytes = Array(text)
    guard !bytes.isEmpty else { return }
    hasToken = true
    joiner.add(bytes, to: .reasoning)
  }

  private mutating func addContent(at place: Int, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    guard !data.isEmptyString(at: place) else { return }
    var reader = JSONReader(data, at: place)
    guard try reader.kind() == .string else { return addParts(try reader.value().array ?? []) }
    hasToken = true
    if thinkTags.isDone {
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
    _ choice: OpenAIChunk.Choice, of data: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) {
    guard calls != nil else { return }
    if let place = choice.toolCalls {
      var reader = JSONReader(data, at: place)
      for event in calls?.take(try reader.value()) ?? [] { joiner.add(event) }
    } else if let place = choice.functionCall {
      hasToken = true
      var reader = JSONReader(data, at: place)
      for event in calls?.take(functionCall: try reader.value()) ?? [] { joiner.add(event) }
    }
  }

  private mutating func addRefusal(at place: Int, of data: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    guard !data.isEmptyString(at: place) else { return }
    hasToken = true
    if !hasRefusal {
      hasRefusal = true
      joiner.add(.notice(.refusal))
    }
    var reader = JSONReader(data, at: place)
    try joiner.add(to: .text) { (text) throws(JSON.Failure) in try reader.appendString(to: &text) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func string(at place: Int) throws(JSON.Failure) -> String {
    var reader = JSONReader(self, at: place)
    return try reader.string()
  }

  fileprivate func isEmptyString(at place: Int) -> Bool {
    place + 1 < count && self[place] == UInt8(ascii: "\"") && self[place + 1] == UInt8(ascii: "\"")
  }
}

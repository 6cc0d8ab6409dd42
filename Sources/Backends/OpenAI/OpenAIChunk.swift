import Wire

/// One chunk of a stream, or a whole answer: where in its bytes the parts stand that matter. Finding them builds no
/// values, and a chunk that cannot be read to its end yields nothing.
struct OpenAIChunk {
  /// A place in the bytes where a value starts.
  typealias Place = Int

  private(set) var model: Place?
  private(set) var usage: Place?
  private(set) var timings: Place?
  private(set) var hasError = false
  private(set) var hasChoices = false
  /// Whether it holds several choices at once.
  private(set) var hasSeveral = false
  /// The only choice, or the followed one of several.
  private(set) var choice: Choice?

  /// What one of the answers says.
  struct Choice {
    fileprivate(set) var index = 0
    fileprivate(set) var content: Place?
    fileprivate(set) var reasoningContent: Place?
    fileprivate(set) var reasoning: Place?
    fileprivate(set) var reasoningDetails: Place?
    fileprivate(set) var refusal: Place?
    fileprivate(set) var toolCalls: Place?
    /// The one call of older servers.
    fileprivate(set) var functionCall: Place?
    fileprivate(set) var finishReason: Place?
    /// Why the answer failed, as aggregators report it.
    fileprivate(set) var error: Place?
    /// Whether the parts are of a `message`, which may repeat all that was said before, and not of a `delta`.
    fileprivate(set) var isMessage = false
    /// The delta or message, where it has thoughts or fields that are not known.
    fileprivate(set) var besides: Place?

    /// Whether it says something of an answer.
    var saysSomething: Bool {
      content != nil || reasoningContent != nil || reasoning != nil || reasoningDetails != nil || refusal != nil
        || toolCalls != nil || functionCall != nil
    }
  }

  /// `followed` is the index of the choice to take where a chunk holds several; nil takes the first of them.
  init(_ bytes: UnsafeBufferPointer<UInt8>, following followed: Int?) throws(JSON.Failure) {
    var reader = JSONReader(bytes)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "choices": try readChoices(&reader, following: followed)
      case "model": model = try reader.place(ifPresent: .string)
      case "usage": usage = try reader.place(ifPresent: .object)
      case "timings": timings = try reader.place(ifPresent: .object)
      case "error": hasError = try reader.placeOfError() != nil
      case "object":
        if try reader.kind() == .string {
          hasError = try reader.string() == "error" || hasError
        } else {
          try reader.skip()
        }
      default: try reader.skip()
      }
    }
    try reader.end()
  }

  private mutating func readChoices(_ reader: inout JSONReader, following followed: Int?) throws(JSON.Failure) {
    guard try reader.kind() == .array else { return try reader.skip() }
    hasChoices = true
    try reader.beginArray()
    var first: Choice?
    while try reader.nextElement() {
      guard try reader.kind() == .object else {
        try reader.skip()
        continue
      }
      let choice = try Choice(&reader)
      hasSeveral = first != nil
      first = first ?? choice
      if self.choice == nil, followed == nil || followed == choice.index { self.choice = choice }
    }
    if !hasSeveral { choice = first }
  }
}

extension OpenAIChunk.Choice {
  fileprivate init(_ reader: inout JSONReader) throws(JSON.Failure) {
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "delta": try readDelta(&reader)
      case "message":
        // A delta beside it says what is new.
        if saysSomething { try reader.skip() } else { try readParts(&reader, ofMessage: true) }
      // The form of plain completions.
      case "text":
        let text = try reader.place(ifPresent: .string)
        content = content ?? text
      case "finish_reason": finishReason = try reader.place(ifPresent: .string, .object)
      case "error": error = try reader.placeOfError()
      case "index":
        if try reader.kind() == .number { index = try reader.number().int ?? 0 } else { try reader.skip() }
      default: try reader.skip()
      }
    }
  }

  /// Reads a delta, which takes the place of a message that stands before it.
  private mutating func readDelta(_ reader: inout JSONReader) throws(JSON.Failure) {
    let message = self
    (content, reasoningContent, reasoning, reasoningDetails) = (nil, nil, nil, nil)
    (refusal, toolCalls, functionCall, isMessage, besides) = (nil, nil, nil, false, nil)
    try readParts(&reader, ofMessage: false)
    guard !saysSomething else { return }
    (content, reasoningContent, reasoning) = (message.content, message.reasoningContent, message.reasoning)
    (reasoningDetails, refusal, toolCalls) = (message.reasoningDetails, message.refusal, message.toolCalls)
    (functionCall, isMessage, besides) = (message.functionCall, message.isMessage, message.besides ?? besides)
  }

  private mutating func readParts(_ reader: inout JSONReader, ofMessage isMessage: Bool) throws(JSON.Failure) {
    guard try reader.kind() == .object else { return try reader.skip() }
    self.isMessage = isMessage
    let start = reader.offset
    var hasOthers = false
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "content": content = try reader.place(ifPresent: .string, .array)
      case "reasoning_content": reasoningContent = try reader.place(ifPresent: .string)
      case "reasoning": reasoning = try reader.place(ifPresent: .string)
      case "reasoning_text", "thinking":
        let thought = try reader.place(ifPresent: .string)
        reasoning = reasoning ?? thought
      case "reasoning_details": reasoningDetails = try reader.place(ifPresent: .array)
      case "refusal": refusal = try reader.place(ifPresent: .string)
      case "tool_calls": toolCalls = try reader.place(ifPresent: .array)
      case "function_call": functionCall = try reader.place(ifPresent: .object)
      case "role": try reader.skip()
      default:
        hasOthers = try reader.kind() != .null || hasOthers
        try reader.skip()
      }
    }
    if hasOthers || reasoningContent != nil || reasoning != nil || reasoningDetails != nil { besides = start }
  }
}

extension JSONReader {
  /// Passes a value; its place when it is of such a kind.
  fileprivate mutating func place(ifPresent kind: Kind, _ other: Kind? = nil) throws(JSON.Failure) -> Int? {
    let found = try self.kind()
    let place = offset
    try skip()
    return found == kind || found == other ? place : nil
  }

  /// Passes the value of a field `error`; its place, unless it says that there is none.
  fileprivate mutating func placeOfError() throws(JSON.Failure) -> Int? {
    let kind = try kind()
    let place = offset
    switch kind {
    case .null: try null()
    case .bool: return try bool() ? place : nil
    case .string: return try string().isEmpty ? nil : place
    case .object, .array, .number:
      try skip()
      return place
    }
    return nil
  }
}

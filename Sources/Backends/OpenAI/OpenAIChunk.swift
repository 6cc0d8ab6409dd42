import Wire

/// The places of the fields that matter in the bytes of one chunk of a stream, or of a whole answer. Finding them builds
/// no values, and a chunk that cannot be read to its end yields nothing.
struct OpenAIChunk {
  /// A place in the bytes where a value starts.
  typealias Place = Int

  private(set) var model: Place?
  private(set) var usage: Place?
  private(set) var timings: Place?
  private(set) var hasError = false
  /// Whether it has a list of choices.
  private(set) var hasChoices = false
  /// Whether the list has an element that is not a choice.
  private(set) var hasOddChoice = false
  /// Whether it holds several choices at once.
  private(set) var hasSeveral = false
  /// The only choice, or the followed one of several.
  private(set) var choice: Choice?

  /// One choice, or its part in a chunk.
  struct Choice {
    fileprivate(set) var index = 0
    fileprivate(set) var parts = Parts()
    fileprivate(set) var finishReason: Place?
    fileprivate(set) var stopReason: Place?
    fileprivate(set) var nativeFinishReason: Place?
    /// Why the answer failed, as aggregators report it.
    fileprivate(set) var error: Place?
  }

  /// The places of a delta's or a message's fields; nil where a field is missing or empty.
  struct Parts {
    fileprivate(set) var content: Place?
    fileprivate(set) var reasoningContent: Place?
    fileprivate(set) var reasoning: Place?
    fileprivate(set) var reasoningDetails: Place?
    fileprivate(set) var refusal: Place?
    fileprivate(set) var toolCalls: Place?
    /// The one call of older servers.
    fileprivate(set) var functionCall: Place?
    fileprivate(set) var images: Place?
    /// The delta or message itself if it has reasoning or unknown fields.
    fileprivate(set) var besides: Place?
    fileprivate(set) var hasRole = false
    /// Set if the parts come from `message`, which may repeat earlier text.
    fileprivate(set) var isMessage = false

    /// Whether a field of the answer is present and not empty.
    var saysSomething: Bool {
      content != nil || reasoningContent != nil || reasoning != nil || reasoningDetails != nil || refusal != nil
        || toolCalls != nil || functionCall != nil || images != nil
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
        hasOddChoice = try reader.placeOfValue() != nil || hasOddChoice
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
      case "delta":
        let delta = try OpenAIChunk.Parts(&reader, isMessage: false)
        parts = delta.saysSomething ? delta : parts.adding(besidesOf: delta)
      case "message":
        // A delta beside it has only the new text.
        let message = try OpenAIChunk.Parts(&reader, isMessage: true)
        if !parts.saysSomething { parts = message.adding(besidesOf: parts) }
      // The form of plain completions.
      case "text", "content":
        let text = try reader.placeOfValue()
        parts.content = parts.content ?? text
      case "finish_reason": finishReason = try reader.placeOfValue()
      case "stop_reason": stopReason = try reader.placeOfValue()
      case "native_finish_reason": nativeFinishReason = try reader.placeOfValue()
      case "error": error = try reader.placeOfError()
      case "index":
        if try reader.kind() == .number { index = try reader.number().int ?? 0 } else { try reader.skip() }
      default: try reader.skip()
      }
    }
  }
}

extension OpenAIChunk.Parts {
  fileprivate init(_ reader: inout JSONReader, isMessage: Bool) throws(JSON.Failure) {
    self.isMessage = isMessage
    guard try reader.kind() == .object else {
      content = try reader.placeOfValue()
      return
    }
    let start = reader.offset
    var hasOthers = false
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "content", "text":
        let text = try reader.placeOfValue()
        content = content ?? text
      case "reasoning_content": reasoningContent = try reader.placeOfValue()
      case "reasoning", "reasoning_text", "thinking":
        let thought = try reader.placeOfValue()
        reasoning = reasoning ?? thought
      case "reasoning_details": reasoningDetails = try reader.place(ifPresent: .array)
      case "refusal": refusal = try reader.place(ifPresent: .string)
      case "tool_calls": toolCalls = try reader.placeOfValue()
      case "function_call": functionCall = try reader.place(ifPresent: .object)
      case "images": images = try reader.placeOfValue()
      case "role": hasRole = try reader.place(ifPresent: .string) != nil
      default:
        hasOthers = try reader.kind() != .null || hasOthers
        try reader.skip()
      }
    }
    if hasOthers || reasoningContent != nil || reasoning != nil || reasoningDetails != nil { besides = start }
  }

  /// Returns these parts with the role and the unknown fields of an empty delta or message beside them.
  fileprivate func adding(besidesOf empty: Self) -> Self {
    var parts = self
    parts.hasRole = hasRole || empty.hasRole
    parts.besides = besides ?? empty.besides
    return parts
  }
}

extension JSONReader {
  /// Skips a value. Returns its place if it has that kind and is not empty.
  fileprivate mutating func place(ifPresent kind: Kind) throws(JSON.Failure) -> Int? {
    let found = try self.kind()
    let place = try placeOfValue()
    return found == kind ? place : nil
  }

  /// Skips a value. Returns its place unless it is `null`, `false`, `""`, `[]` or `{}`.
  fileprivate mutating func placeOfValue() throws(JSON.Failure) -> Int? {
    let kind = try self.kind()
    let place = offset
    if kind == .bool { return try bool() ? place : nil }
    try skip()
    return kind == .number || kind != .null && offset > place + 2 ? place : nil
  }

  /// Reads the value of a field `error`. Returns its place if it reports an error.
  fileprivate mutating func placeOfError() throws(JSON.Failure) -> Int? {
    _ = try kind()
    let place = offset
    return try value().reportsError ? place : nil
  }
}

import Chat
import Wire

/// How a server wants to be asked; what it is known to differ in from OpenAI's own (docs/openai.md 2).
struct OpenAIChat: Equatable {
  var streams = true
  var takesStreamOptions = true
  var saysMaxCompletionTokens = false
  /// vLLM goes on with an unfinished answer only when told to; nil until the server has said what it is.
  var isVLLM: Bool?
  /// Whether fields that came beside tool calls go back.
  var sendsBack = true
  /// How models, by their name in requests, have turned out to take tools.
  var toolFormats: [String: ToolCallFormat] = [:]
  /// Routes by which the server may count tokens: those that it did not turn out to lack.
  var countingRoutes = CountingRoute.allCases
  /// Parts of a usual request that models, by their name in requests, have refused.
  var refusedParts: [String: RefusedParts] = [:]

  /// How to write a question: as it asks for, as its model is known to take it, or natively, unless there is nothing
  /// to learn from that because it offers no tools.
  func format(for question: ChatRequest) -> ToolCallFormat {
    switch question.toolFormat {
    case .native: .native
    case .text: .text
    case .auto: toolFormats[question.model ?? ""] ?? (question.tools.isEmpty ? .text : .native)
    }
  }

  /// The body of a request.
  func encode(_ question: ChatRequest, in format: ToolCallFormat) -> JSON {
    var body: JSON = [:]
    body["model"] = question.model.map { .string($0) }
    // An answer that stopped before its first word is asked for anew.
    var messages = question.messages[...]
    if messages.last?.role == .assistant, !question.goesOn { messages.removeLast() }
    let refused = refusedParts[question.model ?? ""] ?? RefusedParts()
    let sent = sendsBack ? Array(messages) : messages.map(\.withoutSentBack)
    let written = format.messages(sent, offering: question.tools)
    body["messages"] = .array(refused.systemRole ? SystemPrompt.movedToFirstQuestion(of: written) : written)
    body["tools"] = format.field(for: question.tools)
    encode(refused.applied(to: question), into: &body)
    if isVLLM == true, question.goesOn {
      body["continue_final_message"] = true
      body["add_generation_prompt"] = false
    }
    body["response_format"] = question.schema.map { schema in
      ["type": "json_schema", "json_schema": ["name": "answer", "schema": schema]]
    }
    body["stream"] = .bool(streams)
    if streams && takesStreamOptions { body["stream_options"] = ["include_usage": true] }
    return body
  }

  private func encode(_ sampling: Sampling, into body: inout JSON) {
    body["temperature"] = sampling.temperature.map { .double($0) }
    body["top_p"] = sampling.topP.map { .double($0) }
    body[saysMaxCompletionTokens ? "max_completion_tokens" : "max_tokens"] = sampling.maxTokens.map { .int($0) }
    body["seed"] = sampling.seed.map { .int($0) }
    if !sampling.stop.isEmpty { body["stop"] = .array(sampling.stop.map { .string($0) }) }
  }

  /// Returns the change after which a refused request may be taken; nil if the error names no part that can be changed,
  /// or if that part is changed already.
  func adaptation(
    to error: ErrorBody, status: Int, for question: ChatRequest, in format: ToolCallFormat
  ) -> Adaptation? {
    // Templates that fail on the system role are reported with many statuses.
    if question.hasSystemPrompt(in: format), error.refusesSystemRole(status: status),
      isChanged(by: .moveSystemPrompt, for: question.model)
    {
      return .moveSystemPrompt
    }
    guard [400, 422, 501].contains(status) else { return nil }
    let sampling = question.sampling
    if question.hasDefaultTemperature, sampling.temperature != nil, error.refuses("temperature"),
      isChanged(by: .leaveOutTemperature, for: question.model)
    {
      return .leaveOutTemperature
    }
    if streams && takesStreamOptions && error.refuses("stream_options") { return .leaveOutStreamOptions }
    if !saysMaxCompletionTokens && sampling.maxTokens != nil && error.refuses("max_completion_tokens") {
      return .renameMaxTokens
    }
    if isVLLM == true && (error.refuses("continue_final_message") || error.refuses("add_generation_prompt")) {
      return .leaveOutContinuation
    }
    if sendsBack && question.sentBackFields.contains(where: error.refuses) && !error.wantsBack {
      return .leaveOutSentBackFields
    }
    return streams && error.refusesStreaming ? .sendWhole : nil
  }

  private func isChanged(by adaptation: Adaptation, for model: String?) -> Bool {
    var changed = self
    changed.apply(adaptation, for: model)
    return changed != self
  }

  /// Changes how requests are written from now on.
  mutating func apply(_ adaptation: Adaptation, for model: String?) {
    switch adaptation {
    case .moveSystemPrompt: refusedParts[model ?? "", default: RefusedParts()].systemRole = true
    case .leaveOutTemperature: refusedParts[model ?? "", default: RefusedParts()].defaultTemperature = true
    case .leaveOutStreamOptions: takesStreamOptions = false
    case .renameMaxTokens: saysMaxCompletionTokens = true
    case .leaveOutContinuation: isVLLM = false
    case .leaveOutSentBackFields: sendsBack = false
    case .sendWhole: streams = false
    }
  }
}

/// A change of a request after the server refused a part of it.
enum Adaptation: Equatable {
  case moveSystemPrompt, leaveOutTemperature, leaveOutStreamOptions, renameMaxTokens, leaveOutContinuation
  case leaveOutSentBackFields, sendWhole

  /// The notice to show once the server has accepted the changed request.
  func notice(for question: ChatRequest) -> Notice? {
    switch self {
    case .moveSystemPrompt: .systemPromptMoved
    case .leaveOutTemperature: question.sampling.temperature.map { .settingLeftOut(key: "temperature", value: $0) }
    case .sendWhole: .notStreamed
    case .leaveOutStreamOptions, .renameMaxTokens, .leaveOutContinuation, .leaveOutSentBackFields: nil
    }
  }
}

/// Parts of a usual request that a model has refused. They are left out, or sent in another form.
struct RefusedParts: Equatable {
  /// The system prompt is sent at the beginning of the first question.
  var systemRole = false
  /// Our default temperature is left out. One that the user set is sent: without it the answer would be another.
  var defaultTemperature = false

  func applied(to question: ChatRequest) -> Sampling {
    var sampling = question.sampling
    if defaultTemperature && question.hasDefaultTemperature { sampling.temperature = nil }
    return sampling
  }
}

/// System prompts for models whose chat template has no system role, such as Gemma 2.
enum SystemPrompt {
  /// Moves a system message at the start of the messages to the beginning of the first question.
  static func movedToFirstQuestion(of messages: [JSON]) -> [JSON] {
    guard let first = messages.first, isSystem(first), let prompt = first["content"]?.string else { return messages }
    var rest = Array(messages.dropFirst())
    guard let index = rest.firstIndex(where: { $0["role"]?.string == Role.user.rawValue }) else {
      return [["role": .string(Role.user.rawValue), "content": .string(prompt)]] + rest
    }
    switch rest[index]["content"] {
    case .string(let text): rest[index]["content"] = .string("\(prompt)\n\n\(text)")
    case .array(let parts): rest[index]["content"] = .array([["type": "text", "text": .string(prompt)]] + parts)
    default: rest[index]["content"] = .string(prompt)
    }
    return rest
  }

  private static func isSystem(_ message: JSON) -> Bool { message["role"]?.string == Role.system.rawValue }
}

extension Message {
  fileprivate var withoutSentBack: Message {
    var message = self
    for index in toolCalls.indices {
      (message.toolCalls[index].sentBack, message.toolCalls[index].sentBackBeside) = (nil, nil)
    }
    return message
  }
}

extension ChatRequest {
  /// The names of fields that go back with the calls of earlier answers.
  fileprivate var sentBackFields: Set<String> {
    Set(
      messages.flatMap(\.toolCalls).flatMap { [$0.sentBack, $0.sentBackBeside] }
        .flatMap { $0?.object ?? [] }.map(\.key)
    ).subtracting(["function"])
  }

  /// Whether it asks to go on with an answer that has begun.
  var goesOn: Bool {
    messages.last.map { $0.role == .assistant && !$0.content.isEmpty && $0.toolCalls.isEmpty } ?? false
  }

  /// Whether its request has a message of the system role. Tools in words are part of one.
  fileprivate func hasSystemPrompt(in format: ToolCallFormat) -> Bool {
    messages.first?.role == .system || format == .text && !tools.isEmpty
  }
}

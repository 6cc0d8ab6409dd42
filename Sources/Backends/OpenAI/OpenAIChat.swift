import Chat
import Wire

/// How a server wants to be asked; what it is known to differ in from OpenAI's own (docs/openai.md 2).
struct OpenAIChat: Equatable {
  var streams = true
  var takesStreamOptions = true
  var saysMaxCompletionTokens = false
  /// vLLM goes on with an unfinished answer only when told to; nil until the server has said what it is.
  var isVLLM: Bool?
  /// How models, by their name in requests, have turned out to take tools.
  var toolFormats: [String: ToolCallFormat] = [:]

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
    body["messages"] = .array(format.messages(messages, offering: question.tools))
    body["tools"] = format.field(for: question.tools)
    encode(question.sampling, into: &body)
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

  /// What to change after a refusal that names a field; nil when asking again would not help.
  func adapted(to error: ErrorBody, for question: ChatRequest) -> OpenAIChat? {
    var next = self
    if streams && takesStreamOptions && error.refuses("stream_options") {
      next.takesStreamOptions = false
    } else if !saysMaxCompletionTokens && question.sampling.maxTokens != nil
      && error.refuses("max_completion_tokens")
    {
      next.saysMaxCompletionTokens = true
    } else if isVLLM == true && (error.refuses("continue_final_message") || error.refuses("add_generation_prompt")) {
      next.isVLLM = false
    } else if streams && error.refusesStreaming {
      next.streams = false
    }
    return next == self ? nil : next
  }
}

extension ChatRequest {
  /// Whether it asks to go on with an answer that has begun.
  var goesOn: Bool {
    messages.last.map { $0.role == .assistant && !$0.content.isEmpty && $0.toolCalls.isEmpty } ?? false
  }
}

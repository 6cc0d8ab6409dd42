import Chat
import Transport
import Wire

/// A route by which an engine counts tokens (docs/openai.md 7).
enum CountingRoute: CaseIterable {
  /// llama.cpp: the body of a question, and the count of all of it.
  case inputTokens
  /// vLLM, TGI and older llama.cpp: messages or a text, and its tokens.
  case tokenize
}

extension Endpoint {
  /// Seconds to wait for a count before a question is sent without.
  private static let countingTime = 10.0

  /// The tokens of a request, as the engine counts them; nil where it does not count, or not in time.
  func countTokens(of question: ChatRequest, _ dialect: LearnedDialect) async -> Int? {
    // What an image takes depends on the model, and its bytes are not sent twice.
    guard question.messages.allSatisfy(\.images.isEmpty) else { return nil }
    for route in dialect.current.countingRoutes {
      // Best effort: a question can be sent without a count.
      guard
        let document = try? await within(seconds: Endpoint.countingTime)
          .send(request("POST", url(of: route), json: body(of: question, for: route, dialect.current)))
      else { return nil }
      if document.isSuccess, let count = document.json.flatMap({ TokenCount.told(by: $0, of: question) }) {
        return count
      }
      // A server that is busy or fails now may count later.
      guard document.isSuccess || [400, 404, 405, 410, 422, 501].contains(document.status) else { return nil }
      dialect.update { $0.countingRoutes.removeAll { $0 == route } }
    }
    return nil
  }

  private func url(of route: CountingRoute) -> String {
    switch route {
    case .inputTokens: base + "/chat/completions/input_tokens"
    case .tokenize: rootOfChat + "/tokenize"
    }
  }

  private func body(of question: ChatRequest, for route: CountingRoute, _ chat: OpenAIChat) -> JSON {
    let whole = chat.encode(question, in: chat.format(for: question))
    switch route {
    case .inputTokens: return whole
    case .tokenize:
      // vLLM reads the messages, llama.cpp `content`, TGI `inputs`.
      let text = JSON.string(question.messages.map(\.content).joined(separator: "\n\n"))
      var body: JSON = ["content": text, "inputs": text]
      for key in ["model", "messages", "tools"] { body[key] = whole[key] }
      return body
    }
  }
}

extension TokenCount {
  /// Tokens that a template puts around each message.
  private static let frame = 8

  /// What a route says of a request: a count of all of it, or the tokens of its text alone.
  fileprivate static func told(by json: JSON, of question: ChatRequest) -> Int? {
    for key in ["input_tokens", "count"] {
      if let count = json[key]?.tokenCount, count > 0 { return count }
    }
    guard let tokens = (json["tokens"] ?? json).array, !tokens.isEmpty else { return nil }
    return tokens.count + question.messages.count * frame
  }
}

import Chat
import Wire

// What is asked of a server, route by route (docs/chatui.md 3).

extension ChatUIAPI {
  /// Of the newer interface, else of the older one.
  func either(_ path: String, else older: String) async throws(BackendError) -> JSON {
    do throws(BackendError) { return try await get(path) } catch {
      guard error.isMissing else { throw error }
      return try await get(older)
    }
  }

  func models() async throws(BackendError) -> [Model] {
    let list = try await either("/api/v2/models", else: "/api/models")
    guard let entries = list.array else { throw .malformed(address: address, detail: "no list of models") }
    return entries.filter { $0["unlisted"]?.bool != true }.compactMap { entry in
      guard let id = entry["id"]?.word else { return nil }
      let isRouter = entry["isRouter"]?.bool == true
      return Model(id: id, note: isRouter ? "chooses one of the others for each message" : nil)
    }
  }

  /// A conversation, whole.
  func tree(_ id: String) async throws(BackendError) -> ChatUITree {
    let json: JSON
    do throws(BackendError) {
      json = try await either(
        "/api/v2/conversations/\(id.percentEncoded)", else: "/api/conversation/\(id.percentEncoded)")
    } catch {
      throw error.isAboutConversation ? .conversationGone(address: address) : error
    }
    guard let tree = ChatUITree(json) else { throw .malformed(address: address, detail: "no conversation") }
    return tree
  }

  /// Makes a conversation. - Parameter preprompt: nil takes the one that the server has for the model.
  func create(model: String?, preprompt: String?) async throws(BackendError) -> (id: String, root: String?) {
    var model = model
    if model == nil { model = try await models().first?.id }
    guard let model else { throw .modelNotFound(name: "", message: "the server lists none") }
    var wish: JSON = ["model": .string(model)]
    var prompt = preprompt
    if prompt == nil { prompt = try await customPrompt(for: model) }
    if let prompt { wish["preprompt"] = .string(prompt) }
    let made: JSON
    do throws(BackendError) { made = try await post("/conversation", wish) } catch {
      // A model that it does not have makes the whole wish invalid, and is not named.
      guard case .refused(_, 400, _) = error, let known = try? await models(),
        !known.contains(where: { $0.id == model })
      else { throw error }
      throw .modelGone(name: model, state: nil)
    }
    guard let id = made["conversationId"]?.word else {
      throw .malformed(address: address, detail: "no conversationId")
    }
    // The newer servers send it along, as text (docs/chatui.md 3.2).
    let whole = made["conversation"]?.string.flatMap { try? JSON(parsing: $0) }.map(ChatUIAPI.opened)
    if let root = whole.flatMap(ChatUITree.init)?.root { return (id, root) }
    return (id, try await tree(id).root)
  }

  /// What the person has set for a model on the server (docs/chatui.md 7).
  private func customPrompt(for model: String) async throws(BackendError) -> String? {
    // Without its settings the model's own prompt holds, as when there are none.
    guard let settings = try? await get("/api/v2/user/settings") else { return nil }
    if settings["customPromptsEnabled"]?[model]?.bool == false { return "" }
    return settings["customPrompts"]?[model]?.word
  }

  func setModel(_ model: String, of conversation: String) async throws(BackendError) {
    _ = try await send("PATCH", "/conversation/\(conversation.percentEncoded)", ["model": .string(model)])
  }

  func stop(_ generation: String, seen: Int?, in conversation: String) async throws(BackendError) {
    var wish: JSON = ["generationId": .string(generation)]
    if let seen { wish["seenContentLength"] = .int(seen) }
    _ = try await post("/conversation/\(conversation.percentEncoded)/stop-generating", wish)
  }

  /// Answers what a tool asks. - Returns: whether the answer is to be asked to go on, for it ended with the question.
  func reply(
    _ reply: AgentQuestion.Reply, to question: String, in conversation: String
  ) async throws(BackendError) -> Bool {
    var answer: JSON = ["elicitationId": .string(question)]
    switch reply {
    case .words(.accept(let content)):
      answer["action"] = "accept"
      if let content { answer["content"] = content }
    case .words(.cancel), .cancel: answer["action"] = "cancel"
    default: answer["action"] = "decline"
    }
    let told = try await post("/conversation/\(conversation.percentEncoded)/elicitation", answer)
    return told["resume"]?.bool == true
  }

  /// What went wrong in the middle of an answer.
  func meaning(of failure: ChatUIFold.Failure) -> BackendError {
    let words = endpoint.bearer.mask(failure.message)
    switch failure.status {
    case 401: return .unauthorized(address: address, message: words)
    case 429: return .rateLimited(address: address, message: words, retryAfter: nil)
    default: return .failed(message: words.isEmpty ? "the server does not say why" : words)
    }
  }
}

extension BackendError {
  /// Whether a conversation is not there, in the words of either generation of servers (docs/chatui.md 9).
  var isAboutConversation: Bool {
    switch self {
    case .refused(_, 404, _): true
    case .refused(_, 500, let message), .refused(_, 400, let message): message.lowercased().contains("not found")
    default: false
    }
  }
}

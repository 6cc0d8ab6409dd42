import Chat
import Wire

/// A conversation of the `conversations.json` that ChatGPT's export of data has in it (docs/export.md 5).
extension KeptSession {
  /// nil for what is none.
  init?(chatGPT json: JSON) {
    guard let mapping = json["mapping"]?.object else { return nil }
    let begun = ChatGPTMessage.moment(json["create_time"])
    let names = Set(mapping.map(\.key))
    var tree = MessageTree()
    var system: String?
    for member in mapping {
      let message = member.value["message"] ?? .null
      if message["author"]?["role"]?.string == "system", let text = ChatGPTMessage.text(of: message), !text.isEmpty {
        system = system ?? text
      }
      var node = ChatGPTMessage.node(message, begun ?? 0)
      node.children = (member.value["children"]?.array ?? []).compactMap(\.string)
      tree.nodes[member.key] = node
      let parent = member.value["parent"]?.string
      if parent.map({ !names.contains($0) }) ?? true { tree.roots.append(member.key) }
    }
    let (turns, numbers) = tree.turns()
    let name = json["conversation_id"]?.string ?? json["id"]?.string ?? ""
    var session = Session(
      id: SessionID(Self.isName(name) ? name : randomID()), title: json["title"]?.string, systemPrompt: system,
      model: json["default_model_slug"]?.string)
    session.titleIsManual = false
    session.createdAt = begun ?? turns.first?.createdAt ?? 0
    session.updatedAt = ChatGPTMessage.moment(json["update_time"]) ?? turns.last?.createdAt ?? session.createdAt
    session.isArchived = json["is_archived"]?.bool ?? false
    self.init(
      session, opening: FirstWords.of(turns.first?.messages.first?.content ?? ""),
      head: json["current_node"]?.string.flatMap { numbers[$0] } ?? turns.last?.number, turns: turns)
  }
}

/// A node of the mapping.
private enum ChatGPTMessage {
  /// - Parameter begun: its moment where it has none.
  static func node(_ message: JSON, _ begun: Int) -> MessageTree.Node {
    let metadata = message["metadata"] ?? .null
    let text = text(of: message) ?? ""
    let isHidden = metadata["is_visually_hidden_from_conversation"]?.bool ?? false
    let name = message["author"]?["name"]?.string
    let recipient = message["recipient"]?.string ?? "all"
    let kind: MessageTree.Node.Kind =
      switch message["author"]?["role"]?.string {
      case _ where isHidden: .nothing
      case "user" where isContext(message): .nothing
      case "user": .question(text)
      case "tool": .result(name: name ?? "tool", text: text)
      case "assistant" where type(of: message) == "thoughts": .thought(thoughts(of: message))
      case "assistant" where recipient != "all": .call(name: recipient, text: text)
      case "assistant" where !text.isEmpty: .said(ChatGPTReferences.resolved(in: text, metadata))
      // A picture may be all that the model ended with.
      case "assistant" where message["end_turn"]?.bool == true: .said("")
      default: .nothing
      }
    var node = MessageTree.Node(kind: kind)
    node.moment = moment(message["create_time"]) ?? begun
    node.model = metadata["model_slug"]?.string
    node.status = status(message, metadata)
    return node
  }

  private static func type(of message: JSON) -> String { message["content"]?["content_type"]?.string ?? "text" }

  /// What the person said of themselves for all conversations, and what a model knows of them.
  private static func isContext(_ message: JSON) -> Bool { type(of: message).hasSuffix("_editable_context") }

  private static func status(_ message: JSON, _ metadata: JSON) -> AnswerStatus {
    switch metadata["finish_details"]?["type"]?.string {
    case "max_tokens": return .length
    case "interrupted": return .interrupted
    default: return message["status"]?.string == "in_progress" ? .interrupted : .complete
    }
  }

  /// nil where there is no content.
  static func text(of message: JSON) -> String? {
    guard let content = message["content"] else { return nil }
    switch type(of: message) {
    case "code": return content["text"]?.string
    case "reasoning_recap": return ""
    default:
      if let parts = content["parts"]?.array { return parts.map(part).filter { !$0.isEmpty }.joined(separator: "\n\n") }
      return content["text"]?.string ?? content["result"]?.string ?? content["content"]?.string
    }
  }

  /// What is no text is said to be there.
  private static func part(_ part: JSON) -> String {
    if let text = part.string { return text }
    if let text = part["text"]?.string { return text }
    let type = part["content_type"]?.string ?? "attachment"
    return type.hasPrefix("image") ? "[image]" : "[\(type)]"
  }

  private static func thoughts(of message: JSON) -> String {
    (message["content"]?["thoughts"]?.array ?? [])
      .flatMap { [$0["summary"]?.string, $0["content"]?.string].compactMap { $0 } }
      .filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// Milliseconds since 1970, of seconds.
  static func moment(_ json: JSON?) -> Int? {
    guard let seconds = json?.double, (0...253_402_300_799).contains(seconds) else { return nil }
    return Int((seconds * 1000).rounded())
  }
}

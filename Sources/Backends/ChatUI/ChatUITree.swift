import Chat
import Wire

/// A conversation as the server keeps it (docs/chatui.md 3.3): messages that know what they hang below.
struct ChatUITree: Sendable {
  struct Message: Sendable {
    var id: String
    /// `system`, `user` or `assistant`.
    var from: String
    /// nil for the first.
    var parent: String?
    var content: String
    /// How many it hangs below.
    var depth: Int
    var json: JSON
  }

  let id: String
  let title: String?
  let model: String?
  let preprompt: String?
  let root: String?
  let updatedAt: Int?
  let isShared: Bool
  /// In the server's order.
  let messages: [Message]

  /// nil for what is no conversation.
  init?(_ json: JSON) {
    guard json.object != nil, let list = json["messages"]?.array else { return nil }
    id = json["id"]?.word ?? json["_id"]?.word ?? ""
    title = json["title"]?.word
    model = json["model"]?.word ?? json["modelId"]?.word
    preprompt = json["preprompt"]?.word
    updatedAt = json["updatedAt"].flatMap(Moment.milliseconds)
    isShared = json["shared"]?.bool ?? false
    let said = list.compactMap { message -> Message? in
      guard let id = message["id"]?.word, let from = message["from"]?.string else { return nil }
      return Message(
        id: id, from: from, parent: message["ancestors"]?.array?.last?.string,
        content: message["content"]?.string ?? "", depth: message["ancestors"]?.array?.count ?? 0, json: message)
    }
    root = json["rootMessageId"]?.word ?? said.first { $0.parent == nil && $0.from == "system" }?.id
    // Old ones are one line, and say nothing of what hangs where.
    let isLine = said.allSatisfy { $0.parent == nil } && said.count > 1
    messages = isLine ? ChatUITree.line(said) : said
    byName = Dictionary(
      messages.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    below = Dictionary(grouping: messages.indices, by: { [messages] in messages[$0].parent ?? "" })
  }

  private let byName: [String: Int]
  /// The places of what hangs below a name; of what hangs below nothing, below the empty one.
  private let below: [String: [Int]]

  private static func line(_ said: [Message]) -> [Message] {
    var line: [Message] = []
    for var message in said {
      message.parent = line.last?.id
      message.depth = line.count
      line.append(message)
    }
    return line
  }

  subscript(id: String) -> Message? { byName[id].map { messages[$0] } }

  func children(of id: String?) -> [Message] { (below[id ?? ""] ?? []).map { messages[$0] } }

  /// The message that it goes on from: the newest, and from there the last below (docs/chatui.md 3.3).
  var leaf: Message? { messages.last.map { lastBelow($0) } }

  private func lastBelow(_ message: Message) -> Message {
    var (last, seen) = (message, Set<String>())
    while seen.insert(last.id).inserted, let child = children(of: last.id).last { last = child }
    return last
  }

  /// What the server called the turn that a message began: the one that has our name for its answer, where the server
  /// keeps that; else the newest that fits.
  func name(of text: String, at place: RemotePlace?, generation: String? = nil) -> RemoteName? {
    if let generation, let answer = messages.last(where: { $0.generation == generation }) {
      return RemoteName(question: answer.parent, answer: answer.id)
    }
    let question: Message?
    switch place {
    case .running(let name): return name
    case .again(let answer): question = self[answer]?.parent.flatMap { self[$0] }
    case .instead(let old): question = self[old].flatMap { asked(text, below: $0.parent) }
    case .after(let answer): question = asked(text, below: answer)
    case .atStart: question = asked(text, below: root)
    case .atEnd, nil: question = messages.last { $0.from == "user" && $0.content == text }
    }
    return question.map { RemoteName(question: $0.id, answer: children(of: $0.id).last?.id) }
  }
}

extension ChatUITree {
  /// Others may write in the same place: it is the message that says the same.
  private func asked(_ text: String, below parent: String?) -> Message? {
    children(of: parent).last { $0.from == "user" && $0.content.rest(behind: text)?.isEmpty == true }
  }
}

extension ChatUITree.Message {
  /// How long after its last sign of life an answer without an end is taken for one whose server forgot it.
  private static let forgotten = 30 * 60_000

  /// - Parameter now: in milliseconds since 1970.
  func status(at now: Int) -> RemoteTurn.Status {
    if failure != nil { return .failed }
    if json["interrupted"]?.bool == true { return .interrupted }
    if isTerminal { return .complete }
    let moment = json["updatedAt"].flatMap(Moment.milliseconds) ?? createdAt
    return moment.map { now - $0 > ChatUITree.Message.forgotten } ?? false ? .interrupted : .running
  }

  /// Whether nothing more comes of it (docs/chatui.md 6).
  var isTerminal: Bool {
    if json["interrupted"]?.bool == true { return true }
    // Those of old servers hold none.
    guard let updates = json["updates"]?.array else { return !content.isEmpty }
    return updates.contains { update in
      update["type"]?.string == "finalAnswer"
        || update["type"]?.string == "status" && ["error", "finished"].contains(update["status"]?.string ?? "")
    }
  }

  var generation: String? { json["generationId"]?.word }
  var sequence: Int? { json["materializedSeq"]?.int }
  var createdAt: Int? { json["createdAt"].flatMap(Moment.milliseconds) }

  /// The reason of a status that says so.
  var failure: JSON? {
    json["updates"]?.array?.last { $0["type"]?.string == "status" && $0["status"]?.string == "error" }
  }
}

import Chat
import Wire

/// Makes events of what an answer's lines say (docs/chatui.md 5). Pure.
struct ChatUIFold {
  /// All that was written, thoughts in their tags.
  private(set) var raw = ""
  private(set) var shown: ChatUIShown
  private(set) var hasEnded = false
  private(set) var wasInterrupted = false
  private var isWhole = false
  /// What the server says went wrong.
  private(set) var failure: Failure?
  /// Whether the server gives signs of life, so that silence means something.
  private(set) var keepsAlive = false
  /// What is asked of the person, until it is taken.
  private(set) var questions: [ChatUIQuestion] = []

  struct Failure: Equatable {
    var message: String
    var status: Int?
  }

  private var joiner = EventJoiner()
  private var halves = HalfJoiner()
  private var pending: [ChatEvent] = []
  private var tags = ThinkTags()
  private var activities: [String: Activity] = [:]
  private var usedTools = false
  /// Questions that were asked already.
  private var asked: Set<String> = []
  private var lastThought = ""

  /// - Parameters:
  ///   - earlier: what of the answer is there already, when it is gone on with.
  ///   - done: what was done for it, by its names.
  init(shown earlier: ChatUIShown = ChatUIShown(), done: Set<String> = []) {
    shown = earlier
    self.done = done
  }

  private let done: Set<String>

  /// What of the kept updates a look has to make up for: things that were done, and questions that nobody answered.
  private static func open(_ updates: [JSON]) -> [JSON] {
    let resolved = Set(
      updates.filter { $0["type"]?.string == "elicitation" && $0["subtype"]?.string == "resolved" }
        .compactMap { $0["elicitationId"]?.word })
    return updates.filter { update in
      switch update["type"]?.string {
      case "tool", "webSearch", "file": true
      case "elicitation": ChatUIQuestion(update).map { !resolved.contains($0.id) } ?? false
      default: false
      }
    }
  }

  /// The events since the last call.
  mutating func take() -> [ChatEvent] {
    settle()
    defer { pending = [] }
    return pending
  }

  private mutating func settle() { pending += shown.take(joiner.take()) }

  mutating func takeQuestions() -> [ChatUIQuestion] {
    defer { questions = [] }
    return questions
  }

  /// Adds an update in which halves of characters are marked.
  mutating func add(_ update: JSON) {
    switch update["type"]?.string {
    case "stream": write(halves.take(text(of: update["token"])))
    case "reasoning": think(update)
    default: addWhole(update.joiningHalves)
    }
  }

  private mutating func addWhole(_ update: JSON) {
    switch update["type"]?.string {
    case "status": takeStatus(update)
    case "title": joiner.add(.title(ChatUIFold.withoutTags(update["title"]?.string ?? "").nonEmpty))
    case "finalAnswer": end(update)
    case "routerMetadata":
      let (route, model) = (update["route"]?.word, update["model"]?.word)
      if route != nil || model != nil { joiner.add(.notice(.routed(model: model, route: route))) }
    case "tool": takeTool(update)
    case "webSearch": takeSearch(update)
    case "file": takeFile(update)
    case "elicitation": takeQuestion(update)
    case nil: addUntyped(update)
    // Versions differ in the types they send.
    default: break
    }
  }

  /// Adds an object that is not an update, such as the error of a proxy.
  private mutating func addUntyped(_ object: JSON) {
    switch BareEvent(object) {
    case .error:
      let body = ErrorBody(object)
      failure = Failure(message: body.message, status: body.code.flatMap(Int.init))
      hasEnded = true
    case .metadata: break
    case .chunk, .unknown: reportUnreadable(object)
    }
  }

  private mutating func reportUnreadable(_ update: JSON) {
    joiner.add(.notice(.unreadable(String(update.joiningHalves.serialized().prefix(400)))))
  }

  /// Returns the text of a field, and reports what else is in it.
  private mutating func text(of field: JSON?) -> String {
    var text = ""
    for part in AnswerPart.parts(of: field ?? .null) {
      if case .text(let piece) = part { text += piece } else { reportUnreadable(field ?? .null) }
    }
    return text
  }

  /// An answer that had ended is gone on with.
  mutating func goOn() {
    (hasEnded, isWhole) = (false, false)
    usedTools = true
  }

  private mutating func write(_ token: String) {
    let piece = token.replacing("\0", with: "")
    // Behind the whole text comes nothing more of it.
    guard !piece.isEmpty, !isWhole else { return }
    raw += piece
    tags.take(Array(piece.utf8), into: &joiner)
  }

  private mutating func think(_ update: JSON) {
    switch update["subtype"]?.string {
    case "stream":
      let piece = (update["token"]?.string ?? "").replacing("\0", with: "")
      joiner.add(piece.utf8, to: .reasoning)
    case "status":
      guard let words = update["status"]?.word, words != lastThought else { return }
      lastThought = words
      joiner.add(.notice(.log("reasoning: \(words)")))
    default: break
    }
  }

  private mutating func takeStatus(_ update: JSON) {
    switch update["status"]?.string {
    case "keepAlive": keepsAlive = true
    case "error":
      failure = Failure(message: update["message"]?.word ?? "", status: update["statusCode"]?.int)
      hasEnded = true
    case "finished": hasEnded = true
    default: break
    }
  }

  private mutating func takeTool(_ update: JSON) {
    usedTools = true
    guard let id = update["uuid"]?.word else { return }
    var activity = activities[id] ?? Activity(id: id, kind: "tool", status: .running)
    activity.take(update)
    put(activity)
    // What the model thinks behind it stands between tags of its own.
    if activity.status.isOver { restartTags() }
  }

  private mutating func takeSearch(_ update: JSON) {
    usedTools = true
    var activity = activities["search"] ?? Activity(id: "search", title: "web search", kind: "search", status: .running)
    activity.takeSearch(update)
    put(activity)
  }

  private mutating func takeFile(_ update: JSON) {
    guard let file = ChatUIFile(update) else { return }
    put(file.activity)
  }

  private mutating func takeQuestion(_ update: JSON) {
    guard update["subtype"]?.string == "request", let question = ChatUIQuestion(update),
      asked.insert(question.id).inserted
    else { return }
    questions.append(question)
  }

  private mutating func put(_ activity: Activity) {
    guard activities[activity.id] != activity, !done.contains(activity.id) else { return }
    // A look shows what was done from its beginning on: it is not done again.
    if let known = activities[activity.id], known.status.isOver { return }
    tags.end(into: &joiner)
    restartTags()
    settle()
    if activities[activity.id] == nil { shown.note(activity) }
    activities[activity.id] = activity
    joiner.add(.activity(activity))
  }

  private mutating func restartTags() { tags = ThinkTags() }

  /// What was done, in the order in which it began.
  static func activities(of updates: [JSON]) -> [Activity] {
    var fold = ChatUIFold()
    var (order, last): ([String], [String: Activity]) = ([], [:])
    for update in updates { fold.add(update) }
    for case .activity(let activity) in fold.take() {
      if last[activity.id] == nil { order.append(activity.id) }
      last[activity.id] = activity
    }
    return order.compactMap { last[$0] }
  }
}

// How it ends.
extension ChatUIFold {
  /// Whether something of an answer came, or its end.
  var hasBegun: Bool { !raw.isEmpty || hasEnded || !activities.isEmpty }

  private mutating func end(_ update: JSON) {
    hasEnded = true
    defer { isWhole = true }
    wasInterrupted = update["interrupted"]?.bool ?? false
    stand(at: merged(with: text(of: update["text"])))
  }

  /// The answer as a look at the conversation shows it. - Parameter isOver: whether nothing more comes of it.
  mutating func see(_ content: String, _ message: JSON, isOver: Bool, wasInterrupted: Bool) {
    // What may be half a tag is in there too.
    settle()
    for update in ChatUIFold.open(message["updates"]?.array ?? []) { add(update) }
    settle()
    let seen = ChatUIText(message, content, isWhole: isOver)
    pending += shown.see(seen, isOver: isOver)
    raw = content
    tags = seen.tags
    hasEnded = isOver
    self.wasInterrupted = wasInterrupted
  }

  /// What the server makes of its final text and of what it had written before (docs/chatui.md 5.2).
  private func merged(with final: String) -> String {
    if wasInterrupted { return raw.hasPrefix(final) && !final.isEmpty ? final : raw.isEmpty ? final : raw }
    guard usedTools, !raw.isEmpty else { return final.isEmpty ? raw : final }
    if final.isEmpty || raw.hasSuffix(final) { return raw }
    if final.hasPrefix(raw) { return final }
    return raw + "\n\n" + final
  }

  /// The whole of what is written is this.
  private mutating func stand(at whole: String) {
    if !raw.isEmpty || shown.text.isEmpty, whole.utf8.starts(with: raw.utf8) {
      return write(String(decoding: whole.utf8.dropFirst(raw.utf8.count), as: UTF8.self))
    }
    settle()
    pending += shown.stand(at: ChatUIText(whole).text)
    raw = whole
    restartTags()
  }
}

extension ChatUIFold {
  /// A title without the tags of thoughts: what stands between them is part of it.
  static func withoutTags(_ title: String) -> String {
    var words = title
    for tag in ["<think>", "</think>", "<THINK>", "</THINK>"] { words = words.replacing(tag, with: "") }
    return words.trimmingBlanks
  }
}

import Chat
import Wire

/// The conversations of one person on a server (docs/chatui.md 3).
struct ChatUISessions: RemoteSessions {
  private let api: ChatUIAPI

  /// The characters of the name of what is shared.
  private static let shareLength = 7
  /// How many the server lists at a time.
  private static let pageLength = 30
  private static let mostPages = 200
  /// Seconds to wait for which answers are being written: it is told by a stream, or not at all.
  private static let patience = 3.0

  let abilities: RemoteAbilities = [
    .rename, .delete, .deleteAll, .prune, .share, .take, .read, .files, .describe,
  ]

  init(_ api: ChatUIAPI) { self.api = api }

  func list(_ limit: Int) async throws(BackendError) -> RemoteList {
    async let running = running()
    var list = RemoteList(sessions: [])
    for page in 0..<ChatUISessions.mostPages {
      let found = try await self.page(page)
      list.sessions += found.sessions
      list.hasMore = found.hasMore
      guard list.hasMore, !found.sessions.isEmpty, list.sessions.count < limit else { break }
    }
    if list.sessions.count > limit {
      list.sessions.removeLast(list.sessions.count - limit)
      list.hasMore = true
    }
    if list.sessions.isEmpty, await api.hasLostSignIn {
      throw .unauthorized(address: api.address, message: "it does not know you any more")
    }
    let written = await running
    for index in list.sessions.indices where written.contains(list.sessions[index].id) {
      list.sessions[index].isRunning = true
    }
    return list
  }

  /// One page of the list, without which of them are being written.
  func page(_ number: Int) async throws(BackendError) -> RemoteList {
    let json = try await api.either("/api/v2/conversations?p=\(number)", else: "/api/conversations?p=\(number)")
    let entries = json["conversations"]?.array ?? json.array ?? []
    // Older servers do not say whether there are others.
    return RemoteList(
      sessions: entries.compactMap { RemoteSession($0) },
      hasMore: json["hasMore"]?.bool ?? (entries.count >= ChatUISessions.pageLength))
  }

  /// The conversations in which an answer is being written, where the server tells.
  private func running() async -> Set<String> {
    var request = api.request("GET", "/api/v2/generations/live")
    request.acceptsCompression = false
    // A list without these marks is one all the same.
    let endpoint = api.endpoint.within(seconds: ChatUISessions.patience)
    guard let response = try? await endpoint.open(endpoint.timed(request), endpoint.failures) else { return [] }
    defer { response.body.cancel() }
    guard response.status == 200 else { return [] }
    var sse = SSE()
    var found: Set<String>?
    let deadline = api.endpoint.clock.now() + ChatUISessions.patience
    while found == nil, api.endpoint.clock.now() < deadline,
      let bytes = try? await response.body.next(timeout: ChatUISessions.patience)
    {
      try? sse.feed(bytes) { event in
        guard event.type == "sync" || event.type == "idle" else { return }
        let json = try? JSON(parsing: Array(event.data))
        found = Set((json?["running"]?.array ?? []).compactMap { $0.string ?? $0["conversationId"]?.word })
      }
    }
    return found ?? []
  }

  func read(_ id: String) async throws(BackendError) -> RemoteSession {
    RemoteSession(try await api.tree(id), now: Int(api.endpoint.clock.sinceEpoch() * 1000))
  }

  func rename(_ id: String, to title: String) async throws(BackendError) {
    try await change(id, "PATCH", ["title": .string(String(decoding: title.utf16.prefix(100), as: UTF16.self))])
  }

  func delete(_ id: String) async throws(BackendError) { try await change(id, "DELETE", nil) }

  private func change(_ id: String, _ method: String, _ json: JSON?) async throws(BackendError) {
    do throws(BackendError) {
      _ = try await api.send(method, "/api/v2/conversations/\(id.percentEncoded)", json)
    } catch {
      guard error.isMissing else { throw error }
      // The older interface has it at another address; a conversation that is gone is gone there too.
      do throws(BackendError) { _ = try await api.send(method, "/conversation/\(id.percentEncoded)", json) } catch {
        throw error.isAboutConversation ? .conversationGone(address: api.address) : error
      }
    }
  }

  func deleteAll() async throws(BackendError) -> Int? { try await api.send("DELETE", "/api/v2/conversations").int }

  func prune(_ id: String, at message: String) async throws(BackendError) {
    _ = try await api.send(
      "DELETE", "/api/v2/conversations/\(id.percentEncoded)/message/\(message.percentEncoded)")
  }

  func file(_ name: String, of id: String) async throws(BackendError) -> AttachedFile {
    let tree = try await api.tree(id)
    let all = tree.messages.flatMap { message in
      ((message.json["files"]?.array ?? [])
        + (message.json["updates"]?.array ?? []).filter { $0["type"]?.string == "file" }).compactMap(ChatUIFile.init)
    }
    // The newest of that name.
    guard let file = all.last(where: { $0.name == name || $0.hash == name }) else {
      throw .notOffered("a file '\(name)' in this conversation")
    }
    let request = api.request("GET", "/conversation/\(id.percentEncoded)/output/\(file.hash)")
    let document = try await api.endpoint.send(request)
    guard document.isSuccess else { throw await api.failure(document.response, document.said) }
    return AttachedFile(path: file.name, name: file.name, bytes: document.bytes)
  }

  func share(_ id: String) async throws(BackendError) -> String {
    let answer = try await api.post("/conversation/\(id.percentEncoded)/share")
    guard let name = answer["shareId"]?.word else { throw .malformed(address: api.address, detail: "no shareId") }
    // Without it the link is at the server's own address.
    let config = try? await api.get("/api/v2/public-config")
    let prefix = config?["PUBLIC_SHARE_PREFIX"]?.word ?? config?["PUBLIC_ORIGIN"]?.word
    return "\(prefix ?? api.root)/r/\(name)"
  }

  func take(_ link: String) async throws(BackendError) -> String {
    let name = String(link.split(separator: "/").last ?? "")
    guard name.count == ChatUISessions.shareLength else { throw .notOffered("a shared conversation of that name") }
    let answer: JSON
    do throws(BackendError) {
      answer = try await api.post("/api/v2/conversations/import-share", ["shareId": .string(name)])
    } catch {
      guard error.isMissing else { throw error }
      // As the older servers take it.
      guard let model = try await api.models().first?.id else { throw error }
      answer = try await api.post("/conversation", ["fromShare": .string(name), "model": .string(model)])
    }
    guard let id = answer["conversationId"]?.word else {
      throw .malformed(address: api.address, detail: "no conversationId")
    }
    return id
  }
}

extension RemoteSession {
  /// nil for an entry without a name.
  fileprivate init?(_ entry: JSON) {
    guard let id = entry["id"]?.word ?? entry["_id"]?.word else { return nil }
    self.init(
      id: id, title: entry["title"]?.word, model: entry["model"]?.word ?? entry["modelId"]?.word,
      updatedAt: entry["updatedAt"].flatMap(Moment.milliseconds), isShared: entry["shared"]?.bool ?? false)
  }

  /// - Parameter now: in milliseconds since 1970.
  init(_ tree: ChatUITree, now: Int) {
    self.init(
      id: tree.id, title: tree.title, model: tree.model, systemPrompt: tree.preprompt, updatedAt: tree.updatedAt,
      isShared: tree.isShared)
    // In no order there; each behind what it goes on from here.
    for question in tree.messages.filter({ $0.from == "user" }).sorted(by: { $0.depth < $1.depth }) {
      let parent = question.parent.flatMap { tree[$0] }
      let answers = tree.children(of: question.id).filter { $0.from == "assistant" }
      let place = parent?.from == "assistant" ? parent?.id : nil
      if answers.isEmpty {
        turns.append(RemoteTurn(question, nil, behind: place, model: nil, now: now))
      }
      turns += answers.map { RemoteTurn(question, $0, behind: place, model: tree.model, now: now) }
    }
    isRunning = turns.contains { $0.status == .running }
    head = tree.leaf.flatMap { $0.from == "assistant" ? $0.id : $0.parent }
  }
}

extension RemoteTurn {
  fileprivate init(
    _ question: ChatUITree.Message, _ answer: ChatUITree.Message?, behind parent: String?, model: String?, now: Int
  ) {
    let files = (question.json["files"]?.array ?? []).compactMap(ChatUIFile.init)
    self.init(
      name: RemoteName(question: question.id, answer: answer?.id), parent: parent, question: question.content,
      createdAt: answer?.createdAt ?? question.createdAt, activities: files.map(\.activity))
    guard let answer else {
      status = .interrupted
      return
    }
    let said = ChatUIText(answer.json, answer.content)
    (text, reasoning) = (said.text, said.thoughts)
    self.model = answer.json["routerMetadata"]?["model"]?.word ?? model
    activities += ChatUIFold.activities(of: answer.json["updates"]?.array ?? [])
    status = answer.status(at: now)
  }
}

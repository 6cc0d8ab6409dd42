import Chat
import Transport
import Wire

/// Sending a message to where it belongs.
extension ChatUIAnswer {
  func send(in tree: ChatUITree?, _ root: String?) async throws(BackendError) {
    guard let conversation else { return }
    guard let place = ChatUIPlace(text, at: place, in: tree, root: root, generation: generation) else {
      throw .placeGone(address: api.address)
    }
    var data = place.data
    // Without a choice it is the server's; with an empty one there are none.
    if let chosen = api.endpoint.server.gateway?.tools {
      data["selectedMcpServerNames"] = .array(chosen.servers.map(JSON.string))
    }
    var body = ChatUIBody(data)
    // An answer that is asked for again has the files of its question there. What takes the place of a message brings
    // them along, as they were or newer.
    let files = place.isAgain ? [] : question.files
    let names = Set(files.map(\.lastName))
    for file in place.files where !names.contains(file.name) { body.attach(file) }
    for file in files { body.attach(file) }
    events += body.leftOut.map { .notice(.leftOut(file: $0)) }
    if place.isBranch { events.append(.notice(.wentOnElsewhere)) }
    do throws(BackendError) {
      phase = .reading(try await post(body, to: conversation).body)
    } catch {
      // It may have arrived all the same: it is looked for there before anybody asks again.
      guard !isStopped, error.mayHaveArrived else { throw error }
      phase = .lost(tries: 0)
      return
    }
    events.append(.started(model: nil))
  }

  /// The conversation that the message goes to, which may have to be made.
  func enter() async throws(BackendError) -> (tree: ChatUITree?, root: String?) {
    if let conversation {
      let tree = try await waiting { [api] () async throws(BackendError) in try await api.tree(conversation) }
      if let model = question.model, let current = tree.model, model != current {
        try await waiting { [api] () async throws(BackendError) in try await api.setModel(model, of: conversation) }
      }
      return (tree, tree.root)
    }
    let system = question.messages.first { $0.role == .system }?.content
    let made = try await waiting { [api, question] () async throws(BackendError) in
      try await api.create(model: question.model, preprompt: system)
    }
    if question.messages.contains(where: { $0.role == .assistant }) { events.append(.notice(.newConversation)) }
    conversation = made.id
    place = .atStart
    events.append(.conversation(id: made.id))
    return (nil, made.root)
  }

  func post(_ body: ChatUIBody, to conversation: String) async throws(BackendError) -> HTTPResponse {
    let (bytes, type) = body.encoded()
    while true {
      var request = api.request("POST", "/conversation/\(conversation)")
      request.headers.removeAll { $0.name == "Content-Type" }
      request.headers.append((name: "Content-Type", value: type))
      request.body = bytes
      request.acceptsCompression = false
      request.bodyLimit = 64 << 20
      request.connectTimeout = question.timeouts.connect
      request.headersTimeout = question.timeouts.firstToken
      request.watch = question.watch
      wasSent = true
      let failures = api.endpoint.failures(within: question.timeouts)
      let before = try await api.endpoint.bearer.stored?.token
      let response = try await waiting { [api, request] () async throws(BackendError) in
        try await api.endpoint.open(request, failures, during: .firstToken)
      }
      await api.learn(from: response, after: "POST", signedBy: before)
      let isPage = response[header: "content-type"]?.lowercased().hasPrefix("text/html") == true
      if 200..<300 ~= response.status, !isPage { return response }
      let said = api.endpoint.bearer.mask(await rest(of: response.body))
      guard !isStopped else { throw .cancelled }
      if 200..<300 ~= response.status {
        throw .malformed(address: api.address, detail: HTMLPage(said)?.description ?? "a page")
      }
      if response.status == 410 { throw .modelGone(name: question.model ?? "", state: nil) }
      if await api.learnOrigin(after: response, said) { continue }
      throw await api.failure(response, said)
    }
  }

  private func rest(of body: any HTTPBody) async -> [UInt8] {
    defer { body.cancel() }
    var bytes: [UInt8] = []
    let deadline = api.endpoint.clock.now() + question.timeouts.connect
    // What cannot be read of a refusal, or not in time, is not told.
    while bytes.count < 64 << 10, !isStopped {
      let patience = deadline - api.endpoint.clock.now()
      guard patience > 0 else { break }
      // Ends before this function does.
      let reading = Task { () async -> [UInt8]? in try? await body.next(timeout: patience) }
      guard let more = await beforeStream.wait({ await reading.value }, endedBy: { body.cancel() }) else { break }
      bytes += more
    }
    return bytes
  }

  /// Waits for what a stop ends.
  func waiting<T: Sendable>(
    _ body: @escaping @Sendable () async throws(BackendError) -> T
  ) async throws(BackendError) -> T {
    // Ends before this function does.
    let work = Task { await settled(of: body) }
    let outcome = await beforeStream.wait({ await work.value }, endedBy: { work.cancel() })
    guard !isStopped else { throw .cancelled }
    return try outcome.get()
  }
}

extension BackendError {
  /// Whether a message may be on the server though nothing came of it: it was under way.
  fileprivate var mayHaveArrived: Bool {
    switch self {
    case .unreachable(_, .reset), .timedOut(_, .firstToken, _): true
    default: false
    }
  }
}

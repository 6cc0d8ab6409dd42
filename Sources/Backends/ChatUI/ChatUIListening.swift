import Chat
import Transport
import Wire

/// An answer that is written while nobody listens: it is listened to again where the server offers that, and looked at
/// from time to time where it does not (docs/chatui.md 6).
extension ChatUIAnswer {
  /// Seconds between two looks, and before another try; the last goes on.
  private static let pauses = [0.4, 0.6, 1, 2, 4, 8]
  /// Tries without an answer after which it is given up; what is written stays on the server.
  private static let mostTries = 12

  /// Seconds after which an answer that does not grow is one that its server has forgotten.
  private static let standstill = 30.0

  /// - Parameter tries: how many came to nothing.
  func listenAgain(_ tries: Int) async throws(BackendError) {
    guard let conversation else { throw .conversationGone(address: api.address) }
    let tree: ChatUITree
    do throws(BackendError) {
      tree = try await whileListening { [api] () async throws(BackendError) in try await api.tree(conversation) }
    } catch {
      guard error.mayPass, tries < ChatUIAnswer.mostTries else { throw error }
      if !isMissed { events.append(.notice(.connectionLost)) }
      isMissed = true
      return await wait(tries)
    }
    if isMissed { events.append(.notice(.connectedAgain)) }
    isMissed = false
    name = tree.name(of: text, at: place, generation: generation) ?? name
    guard let answer = (name?.answer).flatMap({ tree[$0] }) else {
      // The message did not arrive before the connection was lost, or is not written down yet.
      guard tries < 3 else { throw .mayNotHaveArrived }
      return await wait(tries)
    }
    if let theirs = answer.generation { generation = theirs }
    await see(answer, in: conversation)
  }

  private func wait(_ tries: Int) async {
    phase = .lost(tries: tries + 1)
    let pause = ChatUIAnswer.pauses[min(tries, ChatUIAnswer.pauses.count - 1)]
    await whileReading.pause(pause, on: api.endpoint.clock)
  }

  private func see(_ answer: ChatUITree.Message, in conversation: String) async {
    fold.see(
      answer.content, answer.json, isOver: answer.isTerminal, wasInterrupted: answer.json["interrupted"]?.bool ?? false)
    if let failure = answer.failure { fold.add(failure) }
    guard !answer.isTerminal, !standsStill(answer.content) else {
      phase = .written
      return
    }
    if canListen, api.memory.hasStreams != false,
      let body = await stream(from: answer.sequence ?? 0, in: conversation)
    {
      lines = ChatUILines(api.endpoint.bearer.mask)
      phase = .reading(body)
    } else {
      // Looked at again soon; that it is not done is no failure.
      phase = .lost(tries: 0)
      await whileReading.pause(ChatUIAnswer.pauses[0], on: api.endpoint.clock)
    }
  }

  /// Whether nothing was written for so long that nobody writes any more.
  private func standsStill(_ text: String) -> Bool {
    let now = api.endpoint.clock.now()
    guard let lastSeen, lastSeen.text == text else {
      lastSeen = (text, now)
      return false
    }
    return now - lastSeen.since > ChatUIAnswer.standstill
  }

  /// Waits for what a second stop ends.
  func whileListening<T: Sendable>(
    _ body: @escaping @Sendable () async throws(BackendError) -> T
  ) async throws(BackendError) -> T {
    // Ends before this function does.
    let work = Task { await settled(of: body) }
    let outcome = await whileReading.wait({ await work.value }, endedBy: { work.cancel() })
    guard !whileReading.isStopped else { throw .cancelled }
    return try outcome.get()
  }

  /// nil where the server does not offer it.
  private func stream(from sequence: Int, in conversation: String) async -> (any HTTPBody)? {
    var request = api.request(
      "GET", "/conversation/\(conversation)/stream?generationId=\(generation.percentEncoded)&fromSeq=\(sequence)")
    request.acceptsCompression = false
    request.bodyLimit = 64 << 20
    // What fails here is done by looking.
    let opened = try? await whileListening { [api, request] () async throws(BackendError) in
      try await api.endpoint.open(request, api.endpoint.failures)
    }
    guard let response = opened else { return nil }
    let isStream = response.status == 200 && response[header: "content-type"]?.contains("event-stream") == true
    // A server that fails now may have it.
    if isStream || response.status == 404 { api.memory.hasStreams = isStream }
    guard isStream else {
      response.body.cancel()
      return nil
    }
    return response.body
  }
}

extension BackendError {
  /// Whether the same may work a moment later.
  fileprivate var mayPass: Bool {
    switch self {
    case .unreachable, .timedOut, .rateLimited, .stalled: true
    case .refused(_, let status, _): status >= 500
    default: false
    }
  }
}

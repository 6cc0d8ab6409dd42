import Chat
import Foundation
import Transport
import Waiting
import Wire

/// An answer of a chat-ui server. The server writes on whatever becomes of the connection: a lost one is made again, and
/// a stop is a call of its own (docs/chatui.md 6).
actor ChatUIAnswer {
  enum Phase {
    case unsent
    /// The conversation is there, and what was kept of it is known.
    case entered(ChatUITree?, root: String?)
    case reading(any HTTPBody)
    /// The server writes, and nobody listens.
    case lost(tries: Int)
    /// Nothing more comes: what the server calls it is asked.
    case written
    case ended
  }

  /// Seconds to wait for what the server calls the messages.
  private static let namesWait = 5.0

  let question: ChatRequest
  let api: ChatUIAPI
  /// Our name for the answer, or of one that is gone on with the name that it was begun by.
  var generation = UUID().uuidString.lowercased()
  /// Ends what is waited for before the server writes.
  let beforeStream = StopSwitch()
  /// Ends what is waited for after that.
  let whileReading = StopSwitch()
  private let stops = Locked<(count: Int, telling: Task<Void, Never>?)>((0, nil))

  var phase = Phase.unsent
  var fold: ChatUIFold
  var lines: ChatUILines
  var events: [ChatEvent] = []
  var conversation: String?
  var place: RemotePlace?
  /// What the server calls the answer, once that is known.
  var name: RemoteName?
  /// Whether the person was told that the connection was lost, and not yet that it stands again.
  var isMissed = false
  /// Whether the server may be writing.
  var wasSent = false
  private var wasToldToStop = false
  /// When the answer had its end, though more may come of its title.
  var endedAt: Double?
  /// Whether it can be listened to again while it writes.
  var canListen = true
  /// What the last looks at it showed, and since when.
  var lastSeen: (text: String, since: Double)?
  private var error: BackendError?
  private var questions = 0
  /// What was answered is told to the server meanwhile; one of them may be what the answer waits for.
  private let given = Locked<[Task<String?, Never>]>([])

  init(_ question: ChatRequest, _ api: ChatUIAPI) {
    self.question = question
    self.api = api
    lines = ChatUILines(api.endpoint.bearer.mask)
    conversation = question.remoteConversation
    place = question.place
    guard case .running(let name) = question.place else {
      fold = ChatUIFold()
      return
    }
    self.name = name
    phase = .lost(tries: 0)
    wasSent = true
    let done = question.messages.reversed().prefix { $0.role != .user }.flatMap { $0.toolCalls.map(\.id) }
    fold = ChatUIFold(shown: ChatUIShown(behind: question.messages), done: Set(done))
  }

  deinit { if case .reading(let body) = phase { body.cancel() } }

  nonisolated var isStopped: Bool { stops.withLock { $0.count > 0 } }

  /// The message itself.
  var text: String { question.messages.last { $0.role == .user }?.content ?? "" }

  /// The first stop tells the server, which says what it has written; another one leaves at once.
  nonisolated func stop() {
    let isFirst = stops.withLock { stops in
      stops.count += 1
      // The answer's, which waits for it before it ends.
      if stops.count == 1 { stops.telling = Task { await self.tellStop() } }
      return stops.count == 1
    }
    if isFirst { beforeStream.stop() } else { whileReading.stop() }
  }

  func next() async throws(BackendError) -> ChatEvent? {
    while events.isEmpty {
      if case .ended = phase {
        // A run that ends with this answer must not take the stop along.
        await stops.withLock({ $0.telling })?.value
        if let error {
          self.error = nil
          throw error
        }
        return nil
      }
      do throws(BackendError) { try await advance() } catch { end(after: error) }
      events += fold.take()
      askWhatIsAsked()
    }
    return events.removeFirst()
  }

  private func end(after error: BackendError) {
    if case .reading(let body) = phase { body.cancel() }
    // What was on its way when it was stopped may have arrived: its names are looked for.
    if isStopped, wasSent, !whileReading.isStopped, case .entered = phase {
      phase = .written
      return
    }
    phase = .ended
    self.error = isStopped ? .cancelled : error
  }

  private func advance() async throws(BackendError) {
    switch phase {
    case .unsent:
      guard !isStopped else { throw .cancelled }
      // Its name goes out first: who is killed while the answer is written finds it by that.
      let (tree, root) = try await enter()
      phase = .entered(tree, root: root)
    case .entered(let tree, let root):
      guard !isStopped else { throw .cancelled }
      try await send(in: tree, root)
    case .reading(let body): await read(body)
    case .lost(let tries): try await listenAgain(tries)
    case .written: try await conclude()
    case .ended: break
    }
  }
}

// Ending.
extension ChatUIAnswer {
  /// Asks what the server calls the two messages, which the stream does not say, and ends.
  private func conclude() async throws(BackendError) {
    if !isStopped, let question = await parked() { return try await resume(behind: question) }
    phase = .ended
    if let conversation {
      // Not knowing it, the next message goes to the end of the conversation.
      // The answer is there: nobody waits long for names.
      let patient = api.within(seconds: isStopped ? 3 : ChatUIAnswer.namesWait)
      let tree = try? await whileListening { () async throws(BackendError) in try await patient.tree(conversation) }
      if let name = tree?.name(of: text, at: place, generation: generation) { events.append(.named(name)) }
    }
    // What had its end before it was stopped is whole.
    guard !isStopped || fold.hasEnded && !wasToldToStop else {
      error = .cancelled
      return
    }
    if let failure = fold.failure {
      error = api.meaning(of: failure)
    } else if fold.hasEnded {
      events += fold.take()
      events.append(.finished(fold.wasInterrupted ? .other("interrupted") : .stop))
    }
  }

  /// A question with which the server had ended the answer, to go on when it is answered (docs/chatui.md 5.1).
  private func parked() async -> String? {
    let telling = given.withLock { given in
      defer { given = [] }
      return given
    }
    var found: String?
    for reply in telling { found = await reply.value ?? found }
    return found
  }

  private func resume(behind question: String) async throws(BackendError) {
    guard let conversation else { return }
    let tree = try await waiting { [api] () async throws(BackendError) in try await api.tree(conversation) }
    guard let answer = tree.leaf?.id else { throw .conversationGone(address: api.address) }
    let data: JSON = [
      "id": .string(answer), "is_retry": false, "generationId": .string(generation),
      "resumeElicitationId": .string(question),
    ]
    let response = try await post(ChatUIBody(data), to: conversation)
    lines = ChatUILines(api.endpoint.bearer.mask)
    fold.goOn()
    phase = .reading(response.body)
  }

  /// Tells the server to write no more: that nobody reads stops nothing (docs/chatui.md 6).
  private func tellStop() async {
    // A stop that finds nothing to stop would end the next answer.
    guard wasSent, !fold.hasEnded, let conversation else { return whileReading.stop() }
    wasToldToStop = true
    var wasHeard = false
    for pause in [0, 0.3, 1, 3] where !whileReading.isStopped && !wasHeard {
      // A switch ends one wait at a time, and that is the reader's.
      await api.endpoint.clock.sleep(pause)
      let seen = fold.shown.isBehind ? nil : fold.raw.utf16.count
      // Tried again, and then left: the server ends by itself too.
      wasHeard = (try? await api.within(seconds: 3).stop(generation, seen: seen, in: conversation)) != nil
    }
    guard wasHeard else { return whileReading.stop() }
    // What it had written follows, and the end mark. The answer's: it ends with the wait.
    Task { [whileReading, clock = api.endpoint.clock] in
      await clock.sleep(5)
      whileReading.stop()
    }
  }
}

// Asking the person.
extension ChatUIAnswer {
  /// A tool of the server's asks the person: the answer waits meanwhile.
  func askWhatIsAsked() {
    guard let conversation else { return }
    for asked in fold.takeQuestions() {
      questions += 1
      let answered = Locked(false)
      events.append(
        .question(
          AgentQuestion(
            number: questions, subject: .words(message: asked.message, asked.subject),
            isOpen: { [weak self] in !answered.withLock { $0 } && self?.isStopped == false },
            reply: { [api, given] reply in
              let isFirst = answered.withLock { answered in
                defer { answered = true }
                return !answered
              }
              guard isFirst else { return }
              // The answer's, which waits for it before it ends.
              let telling = Task {
                (try? await api.reply(reply, to: asked.id, in: conversation)) == true ? asked.id : nil
              }
              given.withLock { $0.append(telling) }
            })))
    }
  }
}

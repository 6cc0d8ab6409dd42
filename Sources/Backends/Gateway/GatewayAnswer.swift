import Chat
import Transport
import Waiting
import Wire

/// An answer of a gateway. A stop closes the stream, and tells the server too where its program would go on without a
/// reader; a second one waits for nothing (docs/gateway.md 3.4).
actor GatewayAnswer {
  private enum Phase {
    case unsent
    case reading(any HTTPBody)
    /// All is said; the rest of the body is read so that its connection can be used again.
    case said(any HTTPBody)
    case ended

    var body: (any HTTPBody)? {
      switch self {
      case .reading(let body), .said(let body): body
      case .unsent, .ended: nil
      }
    }
  }

  /// Seconds before a session that is busy is asked again, each time.
  private static let pauses = [0.1, 0.2, 0.4, 0.8, 1.6]
  /// Seconds to wait, once stopped, for the name of what runs, and for the server to end it.
  private static let lastWait = 3.0
  private static let drainWait = 0.2
  /// Seconds to wait for what may follow the reason to stop.
  private static let endWait = 5.0

  private let question: ChatRequest
  private let history: GatewayHistory
  private let api: GatewayAPI
  private let failures: Failures
  private let stopSwitch = StopSwitch()
  private let leaveSwitch = StopSwitch()

  private var phase = Phase.unsent
  private var stream: GatewayStream
  private var place: GatewayPlace
  private var form = GatewayForm.relay
  private var events: [ChatEvent] = []
  private var error: BackendError?
  private var deadline: Double?
  /// Whether something may run on the server.
  private var wasSent = false
  /// Whether a session was made in the place of one that was gone.
  private var hasBegunAnew = false

  init(_ question: ChatRequest, _ api: GatewayAPI) {
    self.question = question
    self.api = api
    history = GatewayHistory(question.messages)
    failures = api.endpoint.failures(within: question.timeouts)
    place = GatewayPlace(known: question.remoteConversation)
    stream = GatewayStream(
      GatewayFold(form: .relay, asked: nil), address: api.address, mask: api.endpoint.bearer.mask)
  }

  deinit { phase.body?.cancel() }

  nonisolated func stop() {
    if stopSwitch.isStopped { leaveSwitch.stop() }
    stopSwitch.stop()
  }

  func next() async throws(BackendError) -> ChatEvent? {
    while events.isEmpty {
      if case .ended = phase {
        if let error {
          self.error = nil
          throw error
        }
        return nil
      }
      do throws(BackendError) { try await advance() } catch { await end(after: error) }
      events += stream.take()
    }
    return events.removeFirst()
  }

  private func advance() async throws(BackendError) {
    switch phase {
    case .unsent:
      guard !stopSwitch.isStopped else { throw .cancelled }
      try await ask()
    case .reading(let body): try await read(body)
    case .said(let body): await drain(body)
    case .ended: break
    }
  }

  private func end(after error: BackendError) async {
    stream.giveUp()
    phase.body?.cancel()
    phase = .ended
    // Who hangs up leaves the program running, whatever the reason.
    if stopSwitch.isStopped || error.isOurEnd { await tellStop() }
    self.error = stopSwitch.isStopped ? .cancelled : error
  }
}

// Asking.
extension GatewayAnswer {
  private func ask() async throws(BackendError) {
    if let limit = question.timeouts.firstToken { deadline = api.endpoint.clock.now() + limit }
    try api.requirePatience()
    form = try await waiting { [api] () async throws(BackendError) in try await api.form() }
    try await enter()
    var pauses = GatewayAnswer.pauses[...]
    while true {
      let response = try await post()
      if 200..<300 ~= response.status { return take(response) }
      // Nothing of ours runs: what does is somebody else's.
      wasSent = false
      let said = api.endpoint.bearer.mask(await rest(of: response.body))
      guard !stopSwitch.isStopped else { throw .cancelled }
      // A session is busy for a moment yet when its answer is there already.
      if response.status == 409, let pause = pauses.popFirst() {
        await stopSwitch.pause(pause, on: api.endpoint.clock)
        guard !stopSwitch.isStopped else { throw .cancelled }
      } else if response.status == 404, !hasBegunAnew, let gone = place.session, ErrorBody(said).isAboutMissingSession {
        api.memory.end(gone)
        hasBegunAnew = true
        place = GatewayPlace(known: nil)
        try await enter()
      } else {
        let failure = api.failure(response, said, model: question.model)
        api.remember(failure)
        throw failure
      }
    }
  }

  /// Finds the session that the message goes to, which may have to be made.
  private func enter() async throws(BackendError) {
    let (place, form, history) = (place, form, history)
    self.place = try await waiting { [api, question] () async throws(BackendError) in
      try await place.entered(
        api, form, history, model: question.model, isPassing: question.conversation.isEmpty)
    }
    if form.foldsHistory, history.said.count > 1, api.memory.isFirstFolding() {
      events.append(.notice(.foldsHistory))
    }
    stream = GatewayStream(
      GatewayFold(form: form, asked: question.model, known: question.remoteConversation), address: api.address,
      mask: api.endpoint.bearer.mask)
    if let session = self.place.session { stream.name(session) }
  }

  private func post() async throws(BackendError) -> HTTPResponse {
    let body = GatewayBody(
      question: question, history: history, form: form, choice: api.endpoint.server.gateway ?? GatewayChoice(),
      session: place.session, isHeld: place.isHeld)
    let request = HTTPRequest(
      "POST", api.endpoint.base + "/chat/completions",
      headers: [
        (name: "Content-Type", value: "application/json"),
        (name: "Accept", value: "text/event-stream, application/json"),
      ], body: body.json.bytes(), connectTimeout: question.timeouts.connect, headersTimeout: try timeLeft(),
      acceptsCompression: false, bodyLimit: 64 << 20, watch: question.watch)
    wasSent = true
    // Ends before this function does.
    let sending = Task { [api, failures] in
      await settled { () async throws(BackendError) in
        try await api.endpoint.open(request, failures, during: .firstToken)
      }
    }
    let untilStopped: @Sendable () async -> Result<HTTPResponse, BackendError> = { [stopSwitch] in
      await stopSwitch.wait({ await sending.value }, endedBy: { self.giveUp(sending) })
    }
    let outcome = await leaveSwitch.wait(untilStopped, endedBy: { sending.cancel() })
    let response = try outcome.get()
    if let name = response[header: "x-session-id"], 200..<300 ~= response.status { place.session = name }
    guard !stopSwitch.isStopped else {
      response.body.cancel()
      throw .cancelled
    }
    return response
  }

  /// Without a name what runs cannot be ended: it comes with the head of the answer, which is waited for a little.
  private nonisolated func giveUp(_ sending: Task<Result<HTTPResponse, BackendError>, Never>) {
    // The request's: it ends with it, or soon.
    Task {
      if await needsName { await api.endpoint.clock.sleep(GatewayAnswer.lastWait) }
      sending.cancel()
    }
  }

  private var needsName: Bool { form.runsOn && place.session == nil }

  private func take(_ response: HTTPResponse) {
    if let session = place.session { stream.name(session) }
    phase = .reading(response.body)
  }

  /// The body of an error, as far as it comes in time.
  private func rest(of body: any HTTPBody) async -> [UInt8] {
    defer { body.cancel() }
    var bytes: [UInt8] = []
    let deadline = api.endpoint.clock.now() + question.timeouts.connect
    while bytes.count < 64 << 10, case let left = deadline - api.endpoint.clock.now(), left > 0,
      case .success(let more?) = await next(of: body, timeout: left)
    {
      bytes += more
    }
    return bytes
  }

  /// Waits for what a stop ends.
  private func waiting<T: Sendable>(
    _ body: @escaping @Sendable () async throws(BackendError) -> T
  ) async throws(BackendError) -> T {
    // Ends before this function does.
    let work = Task { await settled(of: body) }
    let outcome = await stopSwitch.wait({ await work.value }, endedBy: { work.cancel() })
    guard !stopSwitch.isStopped else { throw .cancelled }
    return try outcome.get()
  }

  /// Seconds until the first token must be there.
  private func timeLeft() throws(BackendError) -> Double? {
    guard let deadline, let limit = question.timeouts.firstToken else { return nil }
    let left = deadline - api.endpoint.clock.now()
    guard left > 0 else { throw .timedOut(address: api.address, .firstToken, seconds: limit) }
    return left
  }
}

// Reading.
extension GatewayAnswer {
  private func read(_ body: any HTTPBody) async throws(BackendError) {
    var timeout = stream.fold.hasToken ? question.timeouts.idle : try timeLeft()
    // All is said, and the end mark may not come.
    if stream.fold.finishReason != nil { timeout = min(timeout ?? .infinity, GatewayAnswer.endWait) }
    switch await next(of: body, timeout: timeout) {
    case .success(let bytes?):
      try stream.feed(bytes)
      if stream.fold.isEnded {
        await note()
        phase = .said(body)
      }
    case .success(nil): try await finish(cut: false)
    case .failure(let error): try await finish(after: error)
    }
  }

  private func finish(cut: Bool) async throws(BackendError) {
    try stream.end(cut: cut)
    await note()
    if cut, stream.fold.finishReason == nil { await tellStop() }
    phase.body?.cancel()
    phase = .ended
  }

  private func finish(after error: TransportError) async throws(BackendError) {
    if stopSwitch.isStopped { throw .cancelled }
    switch error {
    case .cancelled, .tooLarge: throw failures.transport(error, during: .firstToken)
    case .readTimeout where stream.fold.finishReason != nil: try await finish(cut: false)
    case .readTimeout where stream.fold.hasToken: throw .stalled(seconds: question.timeouts.idle ?? 0)
    case .closedEarly: try await finish(cut: true)
    default:
      guard stream.fold.hasToken else { throw failures.transport(error, during: .firstToken) }
      try await finish(cut: true)
    }
  }

  /// Remembers what the server holds now, and finds out once whether it keeps what it is sent.
  private func note() async {
    guard form.keepsHistory, let session = place.session, stream.fold.finishReason != nil else { return }
    api.memory[heldBy: session] = history.digest(answered: stream.fold.text)
    // A stop ends the look at it, and the answer is whole.
    let (place, history) = (place, history)
    let looked = try? await waiting { [api] () async throws(BackendError) in await place.wasKept(by: api, history) }
    guard let wasKept = looked ?? nil else { return }
    api.memory.keepsHistory = wasKept
    if !wasKept { events.append(.notice(.forgotHistory)) }
  }

  private func next(of body: any HTTPBody, timeout: Double?) async -> Result<[UInt8]?, TransportError> {
    await stopSwitch.wait(
      {
        do throws(TransportError) { return .success(try await body.next(timeout: timeout)) } catch {
          return .failure(error)
        }
      }, endedBy: { body.cancel() })
  }

  private func drain(_ body: any HTTPBody) async {
    phase = .ended
    for _ in 0..<4 {
      guard case .success(.some) = await next(of: body, timeout: GatewayAnswer.drainWait) else { break }
    }
    body.cancel()
  }

  /// Ends what runs on the server, and with it a session of its own.
  private func tellStop() async {
    guard wasSent else { return }
    guard let session = place.session ?? stream.fold.session else {
      // What has no name cannot be ended.
      if form.runsOn { events.append(.notice(.mayRunOn)) }
      return
    }
    // What it holds of the answer is not what the person saw.
    api.memory.end(session)
    guard form.runsOn else { return }
    let endpoint = api.endpoint.within(seconds: GatewayAnswer.lastWait)
    let request = endpoint.request("DELETE", endpoint.base + "/chat/completions/\(session.percentEncoded)")
    // Ends before this function does; a server that does not answer is left to itself.
    let telling = Task { try? await endpoint.send(request) }
    // In a task of its own: the one that reads may be cancelled already, and this is to be sent all the same.
    let waiting = Task { [leaveSwitch] in
      await leaveSwitch.wait({ await telling.value }, endedBy: { telling.cancel() })
    }
    let answer = await waiting.value
    if answer?.isSuccess != true, answer?.status != 404 { events.append(.notice(.mayRunOn)) }
  }
}

extension BackendError {
  /// Whether it is we who end an answer that the server may still be at.
  fileprivate var isOurEnd: Bool {
    switch self {
    case .stalled, .timedOut, .malformed, .tooLarge: true
    case .unreachable(_, .reset): true
    default: false
    }
  }
}

import Chat
import Transport

/// An answer on its way: asks, waits when the server says so, and reads what comes.
actor OpenAIAnswer {
  private enum Phase {
    case unsent
    /// Asked again after so many seconds.
    case waiting(Notice.Wait, seconds: Int)
    case reading(any HTTPBody)
    /// All is said; the rest of the body is read so that its connection can be used again.
    case said(any HTTPBody)
    case failed(BackendError)
    case ended

    /// What is still open of the transfer.
    var body: (any HTTPBody)? {
      switch self {
      case .reading(let body), .said(let body): body
      default: nil
      }
    }
  }

  /// Seconds to wait for the counts that may follow the reason to stop.
  private static let lastWait = 5.0
  private static let drainWait = 0.2
  /// Seconds to wait for the list of models before an answer is gone on with.
  private static let makeWait = 5.0

  nonisolated let stopSwitch = StopSwitch()
  private let question: ChatRequest
  private let endpoint: Endpoint
  private let dialect: LearnedDialect
  private let failures: Failures

  private var phase = Phase.unsent
  private var stream: OpenAIStream
  private var events: [ChatEvent] = []
  private var nextEvent = 0
  private var deadline: Double?
  private var hasAskedForMake = false
  /// Set once the server has refused tools in its own way.
  private var putsToolsInText = false
  /// The changes of the request being tried. Saved when the server accepts them.
  private var pendingAdaptations: [Adaptation] = []
  private var lastAttempt: (chat: OpenAIChat, format: ToolCallFormat)?
  private var hasStarted = false
  private var busy = BusyPatience()

  init(_ question: ChatRequest, endpoint: Endpoint, dialect: LearnedDialect) {
    self.question = question
    self.endpoint = endpoint
    self.dialect = dialect
    failures = endpoint.failures(within: question.timeouts)
    stream = OpenAIAnswer.stream(of: question, endpoint)
  }

  deinit { phase.body?.cancel() }

  func next() async throws(BackendError) -> ChatEvent? {
    while nextEvent == events.count {
      events = []
      nextEvent = 0
      if case .failed(let error) = phase {
        phase = .ended
        throw error
      }
      if case .ended = phase { return nil }
      do throws(BackendError) {
        try await advance()
      } catch {
        phase.body?.cancel()
        phase = .failed(error)
      }
    }
    defer { nextEvent += 1 }
    return events[nextEvent]
  }

  /// One step: afterwards there are events, or the phase is another, or some bytes have been read.
  private func advance() async throws(BackendError) {
    if case .said(let body) = phase { return await drain(body) }
    guard !stopSwitch.isStopped else { throw .cancelled }
    switch phase {
    case .unsent: try await ask()
    case .waiting(let wait, let seconds): await countDown(wait, from: seconds)
    case .reading(let body): try await read(body)
    case .said, .failed, .ended: break
    }
  }
}

extension OpenAIAnswer {
  private func ask() async throws(BackendError) {
    if deadline == nil, let limit = question.timeouts.firstToken { deadline = endpoint.clock.now() + limit }
    if !hasAskedForMake, question.goesOn, dialect.current.isVLLM == nil {
      hasAskedForMake = true
      await learnMake(within: min(OpenAIAnswer.makeWait, try timeLeft() ?? .infinity))
      guard !stopSwitch.isStopped else { throw .cancelled }
    }
    var chat = dialect.current
    for adaptation in pendingAdaptations { chat.apply(adaptation, for: question.model) }
    let format = putsToolsInText ? .text : chat.format(for: question)
    lastAttempt = (chat, format)
    let response = try await send(chat, in: format)
    if 200..<300 ~= response.status {
      if try await ignoresTools(response, chat, format) {
        response.body.cancel()
        putsToolsInText = true
        return
      }
      phase = .reading(response.body)
    } else {
      try await handleRefusal(response)
    }
  }

  /// Whether the server took tools that its model does not see; asked once, of the one make that can tell.
  private func ignoresTools(
    _ response: HTTPResponse, _ chat: OpenAIChat, _ format: ToolCallFormat
  ) async throws(BackendError) -> Bool {
    guard format == .native, question.toolFormat == .auto, !question.tools.isEmpty,
      chat.toolFormats[question.model ?? ""] == nil, response[header: "server"] == "llama.cpp"
    else { return false }
    // Ends before this function does.
    let asking = Task { [endpoint] in await endpoint.llamaTakesTools() }
    let takesTools = await stopSwitch.wait({ await asking.value }, endedBy: { asking.cancel() })
    guard !stopSwitch.isStopped else {
      response.body.cancel()
      throw .cancelled
    }
    return takesTools == false
  }

  /// Saves how the request was written, once an answer to it has begun or ended well. A status of 200 alone may be
  /// followed by a refusal. Other answers may have saved other changes meanwhile.
  private func saveAdaptations() {
    guard let lastAttempt else { return }
    self.lastAttempt = nil
    let model = question.model
    dialect.update { current in
      for adaptation in pendingAdaptations { current.apply(adaptation, for: model) }
      if putsToolsInText || lastAttempt.format == .native && !question.tools.isEmpty {
        current.toolFormats[model ?? ""] = lastAttempt.format
      }
    }
    events += pendingAdaptations.compactMap { $0.notice(for: question) }.map(ChatEvent.notice)
    if putsToolsInText { events.append(.notice(.toolsInText)) }
  }

  /// Learns from the list of models how the server goes on with an answer. Without it, it is asked as any other.
  private func learnMake(within seconds: Double) async {
    let asking = Task { [endpoint] () async -> Bool? in
      do throws(BackendError) { return try await endpoint.within(seconds: seconds).modelList().isVLLM } catch {
        // Without a list there is nothing to learn later.
        return error.saysRouteIsMissing ? false : nil
      }
    }
    guard let isVLLM = await stopSwitch.wait({ await asking.value }, endedBy: { asking.cancel() }) else { return }
    dialect.update { $0.isVLLM = isVLLM }
  }

  private func send(_ chat: OpenAIChat, in format: ToolCallFormat) async throws(BackendError) -> HTTPResponse {
    let request = HTTPRequest(
      "POST", endpoint.base + "/chat/completions",
      headers: [
        (name: "Content-Type", value: "application/json"),
        (name: "Accept", value: chat.streams ? "text/event-stream, application/json" : "application/json"),
      ], body: chat.encode(question, in: format).bytes(), connectTimeout: question.timeouts.connect,
      headersTimeout: try timeLeft(), acceptsCompression: !chat.streams, bodyLimit: 64 << 20,
      watch: question.watch)
    let sending = Task { [endpoint, failures] () async -> Result<HTTPResponse, BackendError> in
      do throws(BackendError) {
        return .success(try await endpoint.open(request, failures, during: .firstToken))
      } catch { return .failure(error) }
    }
    switch await stopSwitch.wait({ await sending.value }, endedBy: { sending.cancel() }) {
    case .success(let response):
      guard !stopSwitch.isStopped else {
        response.body.cancel()
        throw .cancelled
      }
      return response
    case .failure(let error):
      throw stopSwitch.isStopped ? .cancelled : error
    }
  }

  /// Seconds until the first token must be there.
  private func timeLeft() throws(BackendError) -> Double? {
    guard let deadline, let limit = question.timeouts.firstToken else { return nil }
    let left = deadline - endpoint.clock.now()
    guard left > 0 else { throw .timedOut(address: endpoint.address, .firstToken, seconds: limit) }
    return left
  }

  /// Changes the request, waits, or fails.
  private func handleRefusal(_ response: HTTPResponse) async throws(BackendError) {
    let error = endpoint.errorBody(await bytes(of: response.body))
    guard !stopSwitch.isStopped else { throw .cancelled }
    if adapt(to: error, status: response.status) {
      phase = .unsent
      return
    }
    let wished = RetryAfter.seconds(of: response, now: endpoint.clock.sinceEpoch())
    if let (wait, seconds) = busy.wait(after: response.status, error, wished: wished, left: try timeLeft()) {
      phase = seconds == 0 ? .unsent : .waiting(wait, seconds: seconds)
      events.append(.notice(.waiting(wait, seconds: seconds)))
      return
    }
    throw failures.status(
      response.status, error, location: response[header: "location"], model: question.model, retryAfter: wished)
  }

  /// Changes the request after a refusal; false if another attempt would not help.
  private func adapt(to error: ErrorBody, status: Int) -> Bool {
    guard let lastAttempt else { return false }
    let adaptation = lastAttempt.chat.adaptation(to: error, status: status, for: question, in: lastAttempt.format)
    let canMoveTools =
      lastAttempt.format == .native && question.toolFormat == .auto && question.isAboutTools
      && error.refusesTools(status: status)
    // The words of a template are about the system role first, unless the messages of tools break the turns of roles.
    let isOfSystemRole =
      adaptation == .moveSystemPrompt
      && (!question.hasToolMessages || error.message.lowercased().contains("system"))
    if canMoveTools && !isOfSystemRole {
      putsToolsInText = true
      return true
    }
    guard let adaptation else { return false }
    pendingAdaptations.append(adaptation)
    return true
  }

  /// Retries a request that was refused within a stream. Some servers, such as LM Studio, do so with a status of 200.
  private func retryAdapted(after body: (any HTTPBody)?) -> Bool {
    guard let refusal = stream.refusal, adapt(to: refusal, status: refusal.code.flatMap(Int.init) ?? 400) else {
      return false
    }
    body?.cancel()
    stream = OpenAIAnswer.stream(of: question, endpoint)
    phase = .unsent
    return true
  }

  /// Hands out the events of the stream. An answer that is asked for again starts once.
  private func appendEvents() {
    for event in stream.take() {
      if case .started = event {
        guard !hasStarted else { continue }
        hasStarted = true
      }
      events.append(event)
    }
  }

  private static func stream(of question: ChatRequest, _ endpoint: Endpoint) -> OpenAIStream {
    OpenAIStream(address: endpoint.address, calls: CallReader(question), mask: endpoint.bearer.mask)
  }

  private func countDown(_ wait: Notice.Wait, from seconds: Int) async {
    await stopSwitch.pause(1, on: endpoint.clock)
    guard seconds > 1 else {
      phase = .unsent
      return
    }
    phase = .waiting(wait, seconds: seconds - 1)
    events.append(.notice(.waiting(wait, seconds: seconds - 1)))
  }
}

extension OpenAIAnswer {
  private func read(_ body: any HTTPBody) async throws(BackendError) {
    switch await next(of: body, timeout: try patience()) {
    case .success(let bytes?): try take(bytes, of: body)
    case .success(nil): try end()
    case .failure(let error): try end(after: error)
    }
  }

  /// Seconds to wait for the next sign of life.
  private func patience() throws(BackendError) -> Double? {
    guard stream.hasFinishReason else { return stream.hasToken ? question.timeouts.idle : try timeLeft() }
    return min(question.timeouts.idle ?? OpenAIAnswer.lastWait, OpenAIAnswer.lastWait)
  }

  private func take(_ bytes: [UInt8], of body: any HTTPBody) throws(BackendError) {
    do throws(BackendError) { try stream.feed(bytes) } catch {
      if retryAdapted(after: body) { return }
      if stream.hasToken { saveAdaptations() }
      appendEvents()
      throw error
    }
    if stream.hasToken { saveAdaptations() }
    appendEvents()
    if stream.isDone { phase = .said(body) }
  }

  private func end(cut: Bool = false) throws(BackendError) {
    do throws(BackendError) { try stream.end(cut: cut) } catch {
      if retryAdapted(after: phase.body) { return }
      appendEvents()
      throw error
    }
    if stream.hasToken || stream.hasFinishReason { saveAdaptations() }
    appendEvents()
    phase.body?.cancel()
    phase = .ended
  }

  /// A body that ends before its time is cut off, even before the first token; any other failure of the transfer cuts
  /// off an answer that has begun, and is an error before that.
  private func end(after error: TransportError) throws(BackendError) {
    if stopSwitch.isStopped { throw .cancelled }
    switch error {
    case .cancelled, .tooLarge: throw failures.transport(error, during: .firstToken)
    case .readTimeout where stream.hasFinishReason: try end()
    case .readTimeout where stream.hasToken:
      appendEvents()
      throw .stalled(seconds: question.timeouts.idle ?? 0)
    case .closedEarly: try end(cut: true)
    default:
      guard stream.hasToken else { throw failures.transport(error, during: .firstToken) }
      try end(cut: true)
    }
  }

  private func next(of body: any HTTPBody, timeout: Double?) async -> Result<[UInt8]?, TransportError> {
    await stopSwitch.wait(
      {
        do throws(TransportError) {
          return .success(try await body.next(timeout: timeout))
        } catch { return .failure(error) }
      }, endedBy: { body.cancel() })
  }

  /// The body of an error, as far as it comes in time.
  private func bytes(of body: any HTTPBody) async -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < 64 << 10,
      case .success(let more?) = await next(of: body, timeout: question.timeouts.connect)
    {
      bytes += more
    }
    body.cancel()
    return bytes
  }

  private func drain(_ body: any HTTPBody) async {
    phase = .ended
    for _ in 0..<4 {
      guard case .success(.some) = await next(of: body, timeout: OpenAIAnswer.drainWait) else { break }
    }
    body.cancel()
  }
}

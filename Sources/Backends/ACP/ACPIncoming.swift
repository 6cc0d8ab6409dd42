import Chat
import Transport
import Wire

/// What comes from an agent unasked (docs/acp.md 4 and 5).
extension ACPAgent {
  /// What is done with it: called in order, and never waits.
  var handler: RPCHandler {
    RPCHandler(
      request: { [weak self] request in
        guard let self, !self.isForAnother(request.params ?? .null) else {
          request.passOver()
          return true
        }
        return self.take(request)
      },
      notification: { [weak self] method, params in self?.take(method, params ?? .null) },
      note: { [weak self] in self?.log($0) })
  }

  private func take(_ method: String, _ marked: JSON) {
    let params = method == "session/update" ? marked : marked.joiningHalves
    if isAway, method.hasPrefix("bridge/") { return takeFromBridge(method, params) }
    if method == "_session/retrying" { return takeRetry(params) }
    if method == "$/cancel_request" { return withdraw(params["requestId"].flatMap { RPCID($0) }) }
    guard method == "session/update" else { return log("\(method) \(params.serialized())") }
    guard let session = params["sessionId"]?.string, let update = params["update"] else {
      // It may be a part of the answer.
      return report(.unreadable("an update without a session"))
    }
    known.withLock { known in
      known.take(ACPUpdate(session: session, update: update))
      if isAway { known.dropQuestions(answeredBy: update, in: session) }
    }
  }

  /// An extension of Mistral's agents: their model did not answer, and they go on trying for over a minute
  /// (docs/acp.md 4).
  private func takeRetry(_ params: JSON) {
    let words = ["trying again"] + ["category", "detail"].compactMap { params.text($0) }
    let (turn, line) = known.withLock { ($0.turn, $0.line) }
    guard let turn, turn.session == params["sessionId"]?.string else { return }
    let text = words.joined(separator: ": ")
    turn.put([.notice(.said(line?.way.masked(text) ?? text))])
  }

  /// The agent does not wait for an answer any more: what it asked is over.
  private func withdraw(_ id: RPCID?) {
    let question = known.withLock { known -> ACPOpenQuestion? in
      guard let id, let open = known.questions.first(where: { $0.value.request == id }) else { return nil }
      known.questions[open.key] = nil
      return open.value
    }
    question?.answer(.cancel)
  }

  /// Logs a line that is not a message. A broken update is reported, as it may have been a part of the answer.
  func log(_ note: RPCNote) {
    guard case .junk(let text) = note, text.trimmingBlanks.hasPrefix("{"),
      text.contains(/"method"\s*:\s*"session\\?\/update"/)
    else { return log(note.words) }
    report(.unreadable(masked(text)))
  }

  /// Reports something that `--verbose` shows.
  func log(_ text: String) { report(.log(masked(text))) }

  private func report(_ notice: Notice) { known.withLock { $0.turn }?.put([.notice(notice)]) }

  private func masked(_ text: String) -> String { known.withLock { $0.line }?.way.masked(text) ?? text }
}

extension ACPKnown {
  /// Folds an update into what is known, and hands on what the person should see.
  mutating func take(_ update: ACPUpdate) {
    if update.session == replayed {
      // It is told again what it was: only how things stand now is news, once the past is over.
      if update.isOfState, early.count < 100 { early.append(update) }
      return
    }
    guard var conversation = conversations[update.session] else {
      if isOpening, update.isOfState, early.count < 100 { early.append(update) }
      return
    }
    let events = conversation.fold.take(update.update, &conversation.shown).map { completed($0) }
    conversations[update.session] = conversation
    // A bridge tells how things stand at each connection, of its own accord.
    if let turn, turn.session == update.session, !update.isOfState { turn.noteArrival() }
    if let turn, turn.stop != .abandoned, turn.session == update.session {
      turn.put(events)
    } else {
      for event in events { addNews(event, of: update.session) }
    }
  }

  /// Another device has answered what was asked about a call that is over.
  mutating func dropQuestions(answeredBy update: JSON, in session: String) {
    guard let call = update.idText("toolCallId"), ["completed", "failed"].contains(update.text("status")) else {
      return
    }
    for (number, question) in questions where question.session == session && question.call == call {
      questions[number] = nil
    }
  }

  /// What is of no interest afterwards is passed over.
  private mutating func addNews(_ event: ChatEvent, of session: String) {
    // One that nobody here has gone into is between the agent and somebody else.
    guard isAskedElsewhere || names.values.contains(session) else { return }
    switch event {
    case .text(let text) where isAskedElsewhere: news.add(.saidElsewhere(text))
    case .text(let text): news.add(.text(text, conversation: ours(session)))
    case .activity(let activity): news.add(.activity(activity))
    default: break
    }
  }

  /// A call that is over has the output of the command that it showed.
  private func completed(_ event: ChatEvent) -> ChatEvent {
    guard case .activity(var activity) = event else { return event }
    activity = activity.placed(in: folder)
    guard activity.status.isOver else { return .activity(activity) }
    activity.content = activity.content.map { content in
      guard case .terminal(let id) = content, let text = terminals.text(of: id) else { return content }
      return .block(.text(text))
    }
    return .activity(activity)
  }
}

extension ACPAgent {
  private func take(_ request: RPCRequest) -> Bool {
    let params = request.params ?? .null
    let isOfMachine = ["fs/", "terminal/"].contains { request.method.hasPrefix($0) }
    // What it was not offered is not there (docs/acp.md 10).
    if isAway, isOfMachine { return false }
    switch request.method {
    case "session/request_permission": askPermission(request, params)
    case "elicitation/create": askWords(request, params)
    case "fs/read_text_file": work(request) { () async throws(RPCFailure) in try await self.readFile(params) }
    case "fs/write_text_file": work(request) { () async throws(RPCFailure) in try await self.writeFile(params) }
    case "terminal/create": work(request) { () async throws(RPCFailure) in try await self.createTerminal(params) }
    case "terminal/output": work(request) { () async throws(RPCFailure) in try self.terminal(params).state }
    case "terminal/wait_for_exit":
      work(request) { () async throws(RPCFailure) in try await self.terminal(params).exit() }
    case "terminal/kill":
      work(request) { () async throws(RPCFailure) in
        await (try self.terminal(params)).kill()
        return [:]
      }
    case "terminal/release": work(request) { () async throws(RPCFailure) in try await self.releaseTerminal(params) }
    default: return false
    }
    return true
  }

  /// Does what takes time, and answers.
  private func work(_ request: RPCRequest, _ work: @escaping @Sendable () async throws(RPCFailure) -> JSON) {
    // The request's: it ends with its answer.
    Task {
      do throws(RPCFailure) { await request.answer(.success(try await work())) } catch {
        await request.answer(.failure(error))
      }
    }
  }

  private func askPermission(_ request: RPCRequest, _ params: JSON) {
    var asked = known.withLock { known in
      let fold = params["sessionId"]?.string.flatMap { known.conversations[$0]?.fold }
      return ACPPermission(params, fold ?? ACPFold())
    }
    asked.activity = compared(asked.activity.placed(in: folder))
    let (activity, session) = (asked.activity, params["sessionId"]?.string)
    known.withLock { known in
      // What only the question says of a call is part of it all the same.
      guard let session, let event = known.conversations[session]?.fold.noteInput(of: activity) else { return }
      if let turn = known.turn, turn.session == session { turn.put([event]) }
    }
    ask(.permission(activity, asked.options), in: session, by: request.id) { [weak self] reply in
      // What was shown and allowed is not asked about again when it is done.
      if case .option(let option) = reply, option.allows { self?.known.withLock { $0.allowed.add(activity) } }
      respond(request, ACPPermission.answer(reply))
    }
  }

  private func askWords(_ request: RPCRequest, _ params: JSON) {
    guard let subject = ToolQuestion.Subject(params) else {
      let mode = params.text("mode") ?? ""
      return work(request) { () async throws(RPCFailure) in
        throw .invalid("no mode '\(mode)' is known")
      }
    }
    ask(.words(message: params.text("message") ?? "", subject), in: params["sessionId"]?.string, by: request.id) {
      reply in
      respond(request, ACPPermission.words(reply))
    }
  }

  /// Asks the person when there is somebody to ask: in the turn, or at the next look for news. What is of no
  /// conversation that there is, and of a turn that was stopped, is left unanswered by nobody: it is cancelled.
  /// - Parameters:
  ///   - session: nil is that of the turn.
  ///   - request: the agent's, where it is the question itself.
  func ask(
    _ subject: AgentQuestion.Subject, in session: String?, by request: RPCID? = nil,
    _ answer: @escaping @Sendable (AgentQuestion.Reply) -> Void
  ) {
    let isAsked = known.withLock { known -> Bool in
      guard let session = session ?? known.turn?.session, known.conversations[session] != nil else { return false }
      let turn = known.turn?.session == session ? known.turn : nil
      turn?.noteArrival()
      guard turn == nil || turn?.stop == ACPTurn.Stop.none else { return false }
      known.lastQuestion += 1
      let number = known.lastQuestion
      known.questions[number] = ACPOpenQuestion(
        session: session, call: subject.call, request: request, answer: answer)
      let question = AgentQuestion(
        number: number, subject: subject,
        isOpen: { [weak self] in self?.known.withLock { $0.questions[number] != nil } ?? false },
        reply: { [weak self] in self?.answer(number, $0) })
      if let turn { turn.put([.question(question)]) } else { known.news.add(.question(question)) }
      return true
    }
    if !isAsked { answer(.cancel) }
  }

  private func answer(_ number: Int, _ reply: AgentQuestion.Reply) {
    known.withLock { $0.questions.removeValue(forKey: number) }?.answer(reply)
  }

  /// What is still asked when its turn is stopped is answered so.
  func answerAll(of session: String, _ reply: AgentQuestion.Reply) {
    let open = known.withLock { known -> [ACPOpenQuestion] in
      let open = known.questions.filter { $0.value.session == session }
      for number in open.keys { known.questions[number] = nil }
      return open.sorted { $0.key < $1.key }.map(\.value)
    }
    for question in open { question.answer(reply) }
  }
}

extension AgentQuestion.Subject {
  /// The call that it is about.
  fileprivate var call: String? { if case .permission(let activity, _) = self { activity.id } else { nil } }
}

/// Answers a request of the agent's; a handler must not wait.
private func respond(_ request: RPCRequest, _ result: JSON) {
  // The request's: it ends when the answer is on its way.
  Task { await request.answer(.success(result)) }
}

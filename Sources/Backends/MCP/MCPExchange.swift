import Chat
import Wire

/// How long a request may take, in seconds.
struct Patience: Sendable {
  /// Between two signs of progress.
  var silence: Double
  /// In all, without the time that a person takes to answer.
  var whole: Double
  /// Whether it is a call of a tool, which has a setting of its own.
  var isCall: Bool

  /// A call of a tool: as long as there is progress, within reason (docs/mcp.md 8).
  static func call(_ timeouts: Timeouts) -> Patience {
    Patience(silence: timeouts.tool, whole: max(600, timeouts.tool), isCall: true)
  }

  /// What to say when so many seconds were left in all.
  func failure(leaving left: Double) -> ToolError {
    guard isCall else { return .timedOut(.request, seconds: whole) }
    return left < silence ? .timedOut(.whole, seconds: whole) : .timedOut(.silence, seconds: silence)
  }

  static func request(_ timeouts: Timeouts) -> Patience {
    Patience(silence: timeouts.request, whole: timeouts.request, isCall: false)
  }
}

/// Those who watch a request: what happens meanwhile, and the answers of a person.
struct MCPWatch: Sendable {
  var event: @Sendable (ToolEvent) -> Void
  /// nil when nobody waits any more.
  var ask: @Sendable (_ message: String, ToolQuestion.Subject) async -> ToolQuestion.Reply?
}

/// Makes requests: sends again what was never accepted, answers what the server asks, keeps to the time.
struct MCPExchange: Sendable {
  /// How often a server may ask back before it is given up (docs/mcp.md 5).
  private static let roundLimit = 8

  let session: MCPSession
  let patience: Patience
  /// nil for a request that nobody can be asked about.
  var watch: MCPWatch?
  /// Lists the tools again, and gives the headers that a call must have.
  var mirrored: @Sendable (MCPRequest) async throws(ToolError) -> [HeaderMark.Mirrored] = {
    (request) async throws(ToolError) in request.mirrored
  }

  /// The result of a request, when all rounds are over.
  func result(of request: MCPRequest) async throws(ToolError) -> JSON {
    var request = request
    var hasBegunAgain = false
    var hasListedAgain = false
    var rounds = 0
    while true {
      let (number, line) = try await session.line()
      do throws(MCPFault) {
        var attempt = MCPAttempt(self, request, on: line)
        let result = try await attempt.result()
        guard line.era == .modern, let type = result["resultType"]?.string, type != "complete" else { return result }
        guard type == "input_required" else { throw .failed(.malformed("a result of the type \(type)")) }
        rounds += 1
        guard rounds <= MCPExchange.roundLimit else { throw .failed(.malformed("questions without end")) }
        try await answer(result, in: &request)
      } catch {
        switch error {
        case .sessionGone where !hasBegunAgain: await session.drop(number)
        case .otherEra where !hasBegunAgain: await session.drop(number, forgettingEra: true)
        case .cut where !hasBegunAgain && request.isSafe: await session.drop(number)
        case .refused(let failure) where failure.code == MCPCode.headerMismatch && !hasListedAgain:
          hasListedAgain = true
          request.mirrored = try await mirrored(request)
          continue
        case .cut:
          await session.drop(number)
          throw .lost
        // For any request but a list this is an ordinary refusal: the server does have the capability.
        case .refused(let failure) where failure.code == RPCFailure.methodNotFound && request.isList:
          throw .notOffered(String(request.method.prefix { $0 != "/" }))
        default: throw error.tool
        }
        hasBegunAgain = true
      }
    }
  }

  /// Puts the answers to what a server asks back into the request, which is then made again (docs/mcp.md 5).
  private func answer(_ result: JSON, in request: inout MCPRequest) async throws(MCPFault) {
    var responses: [JSON.Member] = []
    for asked in result["inputRequests"]?.object ?? [] {
      let method = asked.value["method"]?.string ?? ""
      guard method == "elicitation/create" else { throw .failed(.malformed("it asks for \(method)")) }
      guard let reply = try await reply(to: asked.value["params"] ?? .null) else {
        throw .failed(.malformed("it asks in an unknown way"))
      }
      responses.append(JSON.Member(asked.key, reply.json))
    }
    request.set("inputResponses", responses.isEmpty ? nil : .object(responses))
    request.set("requestState", result["requestState"].flatMap { $0.isNull ? nil : $0 })
  }

  /// What the person says; nil for a question that cannot be shown to one.
  func reply(to params: JSON) async throws(MCPFault) -> ToolQuestion.Reply? {
    guard let watch, let subject = ToolQuestion.Subject(params) else { return nil }
    guard let reply = await watch.ask(params["message"]?.string ?? "", subject) else { throw .failed(.cancelled) }
    return reply
  }
}

/// One sending of a request, and what comes of it.
private struct MCPAttempt {
  let exchange: MCPExchange
  let request: MCPRequest
  let line: any MCPLine
  let id: Int
  private let inbox = Inbox()
  private var timer: Task<Void, Never>?
  private var timerNumber = 0
  /// The seconds that were left in all when the timer was started.
  private var left = 0.0
  private var timerStart = 0.0
  /// The moment at which it has taken too long in all.
  private var end: Double

  init(_ exchange: MCPExchange, _ request: MCPRequest, on line: any MCPLine) {
    self.exchange = exchange
    self.request = request
    self.line = line
    id = exchange.session.board.nextID()
    end = exchange.session.clock.now() + exchange.patience.whole
  }

  private var session: MCPSession { exchange.session }
  private var clock: TimeSource { session.clock }

  mutating func result() async throws(MCPFault) -> JSON {
    let outcome: Result<JSON, MCPFault>
    do throws(MCPFault) { outcome = .success(try await arrived()) } catch { outcome = .failure(error) }
    await session.farewell { [inbox] in await inbox.close() }
    if let watch = exchange.watch {
      for words in session.board.takeRemarks() { watch.event(.log(level: "note", text: words)) }
    }
    return try outcome.get()
  }

  private mutating func arrived() async throws(MCPFault) -> JSON {
    session.board[id] = inbox
    // This attempt's own: it ends with it.
    let carrying = Task { [line, request, id, inbox] in await line.carry(request, id: id, into: inbox) }
    defer {
      carrying.cancel()
      timer?.cancel()
      session.board[id] = nil
    }
    startTimer()
    for await arrival in inbox.arrivals {
      if let result = try await take(arrival) { return result }
    }
    await giveUp()
    throw .failed(.cancelled)
  }

  private mutating func take(_ arrival: Inbox.Arrival) async throws(MCPFault) -> JSON? {
    switch arrival {
    case .result(let result): return result
    case .refused(let failure): throw .refused(failure)
    case .ended(.failed(.cancelled)) where Task.isCancelled:
      await giveUp()
      throw .failed(.cancelled)
    case .ended(let fault): throw fault
    case .notice(let method, let params): note(method, params)
    case .asked(let method, let params, let answer): try await answerServer(method, params, answer)
    case .expired(let number) where number == timerNumber:
      await giveUp()
      throw .failed(exchange.patience.failure(leaving: left))
    case .expired: break
    }
    return nil
  }

  private mutating func note(_ method: String, _ params: JSON) {
    switch method {
    case "notifications/progress":
      guard request.wantsProgress, isOurs(params["progressToken"]) else { return }
      exchange.watch?.event(.progress(ToolProgress(params)))
      hear()
    case "notifications/message":
      exchange.watch?.event(.log(level: params["level"]?.string ?? "info", text: params.logText))
      hear()
    default: session.board.note(method, params)
    }
  }

  private func isOurs(_ token: JSON?) -> Bool {
    guard let token, let named = RPCID(token) else { return true }
    return named.number == id
  }

  private mutating func answerServer(
    _ method: String, _ params: JSON, _ answer: @escaping @Sendable (Result<JSON, RPCFailure>) async -> Void
  ) async throws(MCPFault) {
    guard method == "elicitation/create" else { return await answer(Inbox.answer(toUnheard: method)) }
    timer?.cancel()
    timerNumber += 1
    let asked = clock.now()
    do throws(MCPFault) {
      let reply = try await exchange.reply(to: params)
      await answer(reply.map { .success($0.json) } ?? .failure(.unknownMethod))
    } catch {
      await session.farewell { [line, id] in
        await answer(Inbox.answer(toUnheard: method))
        await line.cancel(id)
      }
      throw error
    }
    // The person's time is not the tool's.
    end += clock.now() - asked
    startTimer()
  }

  /// A sign of life. A flood of them must not become one of timers, each of which takes memory until its time.
  private mutating func hear() {
    if clock.now() - timerStart >= min(0.1, exchange.patience.silence / 10) { startTimer() }
  }

  private mutating func startTimer() {
    timer?.cancel()
    timerNumber += 1
    timerStart = clock.now()
    left = max(0, end - clock.now())
    timer = inbox.expire(timerNumber, after: min(exchange.patience.silence, left), on: clock)
  }

  /// Tells the server that nobody waits any more: in a task of the session's own, for this one may be cancelled.
  private func giveUp() async { await session.farewell { [line, id] in await line.cancel(id) } }
}

extension JSON {
  /// A line of a server's log.
  fileprivate var logText: String {
    let data = self["data"] ?? .null
    let text = data.string ?? data.serialized()
    return self.text("logger").map { "\($0): \(text)" } ?? text
  }
}

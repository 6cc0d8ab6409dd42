import CProcess

/// The thread of one WebSocket: it connects, has the server switch, and moves messages until the end.
struct SocketThread {
  typealias Instant = SuspendingClock.Instant

  /// The most bytes of one message.
  static let messageLimit = 64 << 20
  /// For the server to say goodbye too, and hang up.
  static let closingTime = Duration.seconds(2)
  /// What debuggers show.
  static let name = "websocket"

  private let upgrade: Upgrade
  private let silence: Silence.Limits
  private let form: SocketForm
  private let traffic: SocketTraffic
  private let connection: SocketConnection
  private let headDeadline: Instant?
  private var chunk = [UInt8](repeating: 0, count: 64 << 10)
  /// Why nothing can be sent any more. What the server said before is still read.
  private var sendFailure: TransportError?

  static func start(
    _ upgrade: Upgrade, settings: CurlLoop.Settings, silence: Silence.Limits, form: SocketForm,
    for traffic: SocketTraffic
  ) {
    let headDeadline = upgrade.request.headersTimeout.flatMap { seconds in
      seconds < 1e9 ? Instant.now + .seconds(max(0, seconds)) : nil  // a longer one is none, and would not fit
    }
    ChildThread.detach {
      process_name_thread(name)
      do throws(TransportError) {
        var thread = SocketThread(
          upgrade, silence, form, traffic, try SocketConnection(upgrade.request, settings), headDeadline)
        traffic.setBell(thread.connection.bell)
        defer {
          traffic.setBell(nil)
          withExtendedLifetime(thread.connection) {}
        }
        try thread.run()
      } catch {
        traffic.finish(.failure(error))
      }
    }
  }

  private init(
    _ upgrade: Upgrade, _ silence: Silence.Limits, _ form: SocketForm, _ traffic: SocketTraffic,
    _ connection: SocketConnection,
    _ headDeadline: Instant?
  ) {
    self.upgrade = upgrade
    self.silence = silence
    self.form = form
    self.traffic = traffic
    self.connection = connection
    self.headDeadline = headDeadline
  }

  private mutating func run() throws(TransportError) {
    while try !connection.connect() { try sleepBeforeHead() }
    let first = try switchProtocols()
    traffic.noteOpen()
    try serve(first)
  }

  // Until the server has switched

  private func sleepBeforeHead() throws(TransportError) {
    if traffic.isUnwanted { throw .cancelled }
    if let headDeadline, headDeadline <= .now { throw .headersTimeout }
    connection.sleep(reading: true, until: headDeadline)
  }

  /// Gives what came behind the answer.
  private mutating func switchProtocols() throws(TransportError) -> ArraySlice<UInt8> {
    var answer = UpgradeAnswer(to: upgrade)
    connection.load(upgrade.bytes)
    do throws(TransportError) {
      while true {
        _ = flush()
        switch try connection.read(into: &chunk) {
        case 0?: throw .closedEarly("no answer to the upgrade came")
        case let count?:
          if let rest = try answer.absorb(chunk[..<count]) { return rest }
        case nil:
          if let sendFailure { throw sendFailure }
          try sleepBeforeHead()
        }
      }
    } catch {
      throw answer.failure(error)
    }
  }

  /// Whether something was sent.
  private mutating func flush() -> Bool {
    guard sendFailure == nil else { return false }
    do throws(TransportError) {
      return try connection.flush()
    } catch {
      sendFailure = error
      return false
    }
  }

  // Once it has

  private mutating func serve(_ first: ArraySlice<UInt8>) throws(TransportError) {
    let frames = try Frames(messageLimit: SocketThread.messageLimit, form: form)
    var silence = Silence(silence, from: .now)
    /// When the thread ends, whatever the server does; nil before a goodbye.
    var end: Instant?
    try take(first, frames)
    while true {
      // Taken before the socket is looked at: what has not come by then has not come until then.
      let now = Instant.now
      if end == nil, traffic.isUnwanted || frames.isClosedByServer { end = now + SocketThread.closingTime }
      if let end, end <= now { return }

      let hasSent = send(frames)
      // What waited for room to be answered.
      if !frames.isHungry { try take([], frames) }
      let isReading = frames.isClosedByServer || (frames.isHungry && !traffic.isFull())
      let hasRead: Bool
      do throws(TransportError) {
        guard let read = try isReading ? readOnce(frames) : false else { return }
        hasRead = read
      } catch {
        // After a goodbye nobody waits for anything.
        if end != nil { return }
        throw error
      }
      if hasRead || !isReading { silence.hear(at: now) }
      if hasSent || hasRead { continue }

      if let sendFailure, end == nil { throw sendFailure }
      if sendFailure != nil { return }
      var deadline = end
      if end == nil {
        switch silence.verdict(at: now) {
        case .lost: throw .readTimeout
        case .ask:
          frames.ping()
          continue
        case .wait(let until): deadline = until
        }
      }
      connection.sleep(reading: isReading, until: deadline)
    }
  }

  /// Whether something was sent.
  private mutating func send(_ frames: Frames) -> Bool {
    if !connection.hasUnsent {
      // One at a time, so that what the protocol has to say need not stand in line behind them.
      if !frames.hasMore, !frames.isClosedByServer {
        // Asked first: what is sent between the two is sent before the goodbye that follows it.
        let isUnwanted = traffic.isUnwanted
        if let message = traffic.takeUnsent() {
          frames.send(message)
        } else if isUnwanted {
          frames.close()
        }
      }
      connection.load(frames.takeOutgoing())
    }
    return flush()
  }

  /// Whether something came; nil at an end that was agreed upon.
  private mutating func readOnce(_ frames: Frames) throws(TransportError) -> Bool? {
    guard let count = try connection.read(into: &chunk) else { return false }
    if count == 0 {
      if frames.isClosedByServer || frames.hasSaidGoodbye { return nil }
      throw .closedEarly("the connection ended without a goodbye")
    }
    try take(chunk[..<count], frames)
    return true
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>, _ frames: Frames) throws(TransportError) {
    for message in frames.absorb(bytes) { traffic.deliver(message) }
    if frames.isClosedByServer {
      traffic.finish(.success(()), code: frames.closeCode)
    } else if frames.hasBreach {
      // Says what was wrong (RFC 6455, section 7.1.7), if there is room for it now.
      if !connection.hasUnsent { connection.load(frames.takeOutgoing()) }
      _ = flush()
      throw .breach(frames.breach)
    }
  }
}

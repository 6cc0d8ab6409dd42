import Chat
import Transport
import Wire

/// A terminal that stays attached however often its connection is lost: it is made again, what the server repeats is shown
/// once, and what was typed is never sent twice (docs/terminals.md 4).
actor LiveLine: TerminalLine {
  /// Seconds before a connection that was lost is made again; the last holds from then on.
  private static let pauses = [1.0, 2, 4, 8]
  /// Keys that were sent so many seconds before the last sign of life may not have arrived.
  private static let doubt = 2.0
  /// Bytes that are drawn to tell what was shown last.
  private static let lookedAt = 512 << 10
  /// Seconds after which a connection that is lost was a good one.
  private static let steadiness = 5.0

  private let dial: TerminalDial
  private var wire: (any TerminalWire)?
  private var isOver = false
  private var shown = ShownOutput()
  private var screen = ScreenState()
  /// nil where nobody has a screen for it.
  private var size: TerminalSize?
  /// Whether the pause before the next connection is over.
  private var isDue = false
  private var attempts = 0
  /// When the connection came to stand.
  private var since = -LiveLine.steadiness
  /// What was heard already, and is to be handed out.
  private var early: WireNotice?
  /// Whether nothing was heard yet.
  private var isFirst = true
  /// Keys that nothing was heard after, and when they were sent.
  private var sent: [(at: Double, count: Int)] = []
  private var unsent = 0

  nonisolated var goesOn: Bool { dial.outlives }

  /// - Parameter wire: the first connection, which stands.
  init(_ dial: TerminalDial, _ wire: any TerminalWire, _ size: TerminalSize?) {
    self.dial = dial
    self.wire = wire
    self.size = size
  }

  /// Connects.
  static func open(_ dial: TerminalDial, columns: Int, rows: Int) async throws(TerminalError) -> LiveLine {
    let size = TerminalSize(columns: columns, rows: rows)
    return LiveLine(dial, try await dial.open(size), size)
  }

  /// Connects without a screen, and hands out only what comes from now on.
  static func watch(_ dial: TerminalDial) async throws(TerminalError) -> LiveLine {
    let line = LiveLine(dial, try await dial.open(nil), nil)
    try await line.passOverPast()
    return line
  }

  private func passOverPast() async throws(TerminalError) {
    guard let wire, let heard = try await PastLines.first(of: wire, dial.clock) else { return }
    switch heard {
    case .replay(let bytes), .past(let bytes): note(bytes)
    case .output, .ended: early = heard
    }
    isFirst = false
  }

  func next() async throws(TerminalError) -> TerminalNotice? {
    if !isOver, let heard = early.take(), let notice = take(heard) { return notice }
    while !isOver {
      guard !Task.isCancelled else { throw .cancelled }
      guard let wire else {
        if let notice = try await dialAgain() { return notice }
        continue
      }
      guard let heard = try await listen(to: wire) else {
        if isOver { return nil }
        self.wire = nil
        wire.close()
        // One that hangs up again and again is not called without end.
        if dial.clock.now() - since >= LiveLine.steadiness { attempts = 0 }
        guard dial.outlives else {
          // It ended with the connection, whichever was first.
          isOver = true
          return .ended(status: nil)
        }
        return .lost
      }
      if let notice = take(heard) { return notice }
    }
    return nil
  }

  /// nil for a connection that is lost.
  private func listen(to wire: any TerminalWire) async throws(TerminalError) -> WireNotice? {
    do throws(TerminalError) { return try await wire.next() } catch {
      guard error.isOfConnection else { throw error }
      return nil
    }
  }

  private func take(_ heard: WireNotice) -> TerminalNotice? {
    defer { isFirst = false }
    let now = dial.clock.now()
    sent.removeAll { $0.at < now - LiveLine.doubt }
    switch heard {
    case .output(let bytes):
      note(bytes)
      return bytes.isEmpty ? nil : .output(bytes)
    case .replay(let bytes):
      let new = Array(shown.new(in: bytes))
      note(new)
      return new.isEmpty ? nil : .output(PastOutput.harmless(new))
    case .past(let bytes):
      // After a break it would be shown twice.
      guard isFirst else { return nil }
      note(bytes)
      return bytes.isEmpty ? nil : .output(PastOutput.harmless(bytes))
    case .ended(let status):
      isOver = true
      return .ended(status: status)
    }
  }

  private func note(_ bytes: [UInt8]) {
    screen.feed(bytes)
    if dial.outlives { shown.add(bytes) }
  }

  /// nil where it did not work yet.
  private func dialAgain() async throws(TerminalError) -> TerminalNotice? {
    guard isDue else {
      await dial.clock.sleep(LiveLine.pauses[min(attempts, LiveLine.pauses.count - 1)])
      attempts += 1
      guard !Task.isCancelled, !isOver else { return nil }
      isDue = true
      return .dialing
    }
    isDue = false
    let wire: any TerminalWire
    do throws(TerminalError) { wire = try await dial.open(size) } catch {
      if case .gone = error {
        isOver = true
        return .ended(status: nil)
      }
      guard error.isOfConnection else { throw error }
      return .waiting
    }
    guard !isOver else {
      wire.close()
      return nil
    }
    // What is typed from now on goes by the new one.
    let (missed, doubtful) = (unsent, sent.reduce(0) { $0 + $1.count })
    (unsent, sent) = (0, [])
    self.wire = wire
    since = dial.clock.now()
    // A program that has the whole screen draws it anew when that changes. What is lost again is found by the reader.
    if let size {
      if screen.isAlternate, size.rows > 1 { try? await wire.resize(columns: size.columns, rows: size.rows - 1) }
      try? await wire.resize(columns: size.columns, rows: size.rows)
    }
    return .back(unsent: missed, unsure: doubtful)
  }

  func type(_ keys: [UInt8]) async {
    guard let wire else {
      unsent += keys.count
      return
    }
    sent.append((dial.clock.now(), keys.count))
    // The reader finds that it is lost; the keys are among those that may not have arrived.
    try? await wire.type(keys)
  }

  func resize(columns: Int, rows: Int) async {
    size = TerminalSize(columns: columns, rows: rows)
    try? await wire?.resize(columns: columns, rows: rows)  // the same
  }

  func past(atMost limit: Int) -> String? {
    let bytes = shown.last(LiveLine.lookedAt)
    return bytes.isEmpty ? nil : PastLines.text(of: bytes, size: size, atMost: limit)
  }

  func leave() {
    isOver = true
    wire?.close()
    wire = nil
  }
}

extension TerminalError {
  /// Whether it is the connection's, so that the same may work in a while.
  var isOfConnection: Bool {
    guard case .server(let error) = self else { return false }
    switch error {
    case .unreachable, .timedOut, .connectionLost, .stalled: return true
    case .refused(_, let status, _): return status >= 500
    default: return false
    }
  }
}

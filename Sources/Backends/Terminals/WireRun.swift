import Chat
import Waiting
import Wire

/// A command that is typed into a terminal elsewhere, and read there until its end mark (docs/terminals.md 3, 5).
actor WireRun {
  private let command: String
  private let dial: TerminalDial
  private let id: String
  private let quiet: Double
  private let marks: CommandMarks

  private var wire: (any TerminalWire)?
  private var output = TerminalOutput()
  private var reader: CommandMarks.Reader
  private var screen = ScreenState()
  private var events: [TerminalRun.Event] = []
  private var isOver = false
  private var isTyped = false
  /// Seconds for a new line of the shell.
  private static let newLineWait = 1.0
  /// Seconds for a shell to begin, and of silence after which it has.
  private static let (beginning, pause) = (3.0, 0.4)

  init(_ command: String, _ dial: TerminalDial, _ id: String, quiet: Double) {
    self.command = command
    self.dial = dial
    self.id = id
    self.quiet = quiet
    marks = CommandMarks.unguessable()
    reader = CommandMarks.Reader(marks)
  }

  func next() async throws(TerminalError) -> TerminalRun.Event? {
    do throws(TerminalError) {
      while events.isEmpty, !isOver {
        if let wire { try await read(wire) } else { try await begin() }
        guard !Task.isCancelled else { throw .cancelled }
      }
    } catch {
      // An interrupt still needs the connection.
      if error != .cancelled { leave() }
      throw error
    }
    return events.isEmpty ? nil : events.removeFirst()
  }

  /// Whether Ctrl-C was typed there: only where the command was.
  func interrupt() async -> Bool {
    defer { leave() }
    guard let wire, isTyped else { return false }
    return (try? await wire.type([0x03])) != nil
  }

  private func begin() async throws(TerminalError) {
    guard !command.holdsKeys else { throw .holdsKeys }
    let wire = try await dial.open(nil)
    self.wire = wire
    var hasSaid = false
    switch try await PastLines.first(of: wire, dial.clock) {
    case .replay(let bytes)?, .past(let bytes)?, .output(let bytes)?:
      screen.feed(bytes)
      hasSaid = !bytes.isEmpty
    case .ended?: throw .gone(id)
    case nil: break
    }
    // A shell that begins just now keeps what is typed until it reads, and would end at Ctrl-C.
    if dial.outlives, try await hasSettled(wire, said: hasSaid) {
      // What stood on the line is broken off; the shell takes no keys for its next line before it has begun that.
      _ = try shellThere()
      try await wire.type([0x03])
      try await waitForNewLine(wire, marked: screen.marksPastes == true)
    }
    let shell = try shellThere()
    isTyped = true
    try await wire.type(Array((marks.typed(command, into: shell) + "\r").utf8))
  }

  /// Waits until a shell says that it reads a line, or nothing more comes; whether it has said anything.
  private func hasSettled(_ wire: any TerminalWire, said: Bool) async throws(TerminalError) -> Bool {
    var hasSaid = said
    let deadline = dial.clock.now() + WireRun.beginning
    while screen.marksPastes != true, dial.clock.now() < deadline {
      switch try await heard(wire, within: WireRun.pause) {
      case .notice(.past): break
      case .notice(.output(let bytes)), .notice(.replay(let bytes)):
        screen.feed(bytes)
        hasSaid = hasSaid || !bytes.isEmpty
      case .notice(.ended): throw .gone(id)
      case .lost: throw .lost(id)
      case .silence: return hasSaid
      }
    }
    return hasSaid
  }

  /// What reads the command; nil where nobody tells. Then a program that has the whole screen, or a shell that does not mark
  /// pastes any more, is known to read none.
  private func shellThere() throws(TerminalError) -> String? {
    guard let words = dial.foreground(), !words.isEmpty else {
      guard !screen.isAlternate, screen.marksPastes != false else { throw .busy(program: "") }
      return nil
    }
    let name = ForegroundWords.name(words)
    guard ForegroundWords.isShell(name), ForegroundWords.isAtPrompt(words) else { throw .busy(program: name) }
    return name
  }

  /// - Parameter isMarked: whether the shell says when it reads a line.
  private func waitForNewLine(_ wire: any TerminalWire, marked isMarked: Bool) async throws(TerminalError) {
    let deadline = dial.clock.now() + WireRun.newLineWait
    var line = ScreenState()
    var hasBroken = false
    while case let left = deadline - dial.clock.now(), left > 0 {
      switch try await heard(wire, within: left) {
      case .notice(.past): break
      case .notice(.output(let bytes)), .notice(.replay(let bytes)):
        hasBroken = hasBroken || bytes.contains(UInt8(ascii: "\n"))
        line.feed(bytes)
        if hasBroken, !isMarked || line.marksPastes == true { return }
      case .notice(.ended): throw .gone(id)
      case .lost: throw dial.outlives ? .lost(id) : .gone(id)
      case .silence: return
      }
    }
  }

  private enum Heard {
    case notice(WireNotice)
    case silence
    /// The connection is no more, and nobody said that the terminal is.
    case lost
  }

  private func heard(_ wire: any TerminalWire, within seconds: Double) async throws(TerminalError) -> Heard {
    do throws(TerminalError) {
      return try await Waiting.within(seconds, pause: dial.clock.sleep) { () async throws(TerminalError) -> Heard in
        try await wire.next().map { .notice($0) } ?? .lost
      } ?? .silence
    } catch {
      if error == .cancelled, !Task.isCancelled { return .silence }
      guard error.isOfConnection else { throw error }
      return .lost
    }
  }

  private func read(_ wire: any TerminalWire) async throws(TerminalError) {
    switch try await heard(wire, within: quiet) {
    case .notice(.past): break
    case .notice(.output(let bytes)), .notice(.replay(let bytes)):
      say(reader.take(output.feed(bytes)))
      if reader.hasEnded { end(.finished(status: reader.status)) }
    case .notice(.ended): end(.gone)
    case .lost: end(dial.outlives ? .lost : .gone)
    case .silence: if !Task.isCancelled { end(.quiet(quiet, runsOn: dial.outlives)) }
    }
  }

  private func say(_ text: String) {
    if !text.isEmpty { events.append(.output(text)) }
  }

  private func end(_ end: TerminalRun.End) {
    say(reader.finish(output.finish()))
    events.append(.ended(end))
    leave()
  }

  private func leave() {
    isOver = true
    wire?.close()
    wire = nil
  }
}

extension String {
  /// Whether it has a character in it that is a key in a terminal, line breaks excepted.
  var holdsKeys: Bool {
    unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F }
  }
}

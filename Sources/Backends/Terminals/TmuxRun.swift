import Chat
import Transport
import Waiting
import Wire

/// A command that is typed into a terminal of tmux's, and read by a client in control mode until its end mark.
actor TmuxRun {
  /// What reads a command line: into anything else it would be typed as text.
  private static let shells: Set<String> = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "mksh", "busybox"]

  private let command: String
  private let tmux: Tmux
  private let id: String
  private let quiet: Double
  private let marks = CommandMarks(TmuxRun.word())

  private var client: ChildProcess?
  private var pane = ""
  private var control = TmuxControl()
  private var output = TerminalOutput()
  private var reader: CommandMarks.Reader
  private var events: [TerminalRun.Event] = []
  private var isOver = false

  init(_ command: String, _ tmux: Tmux, _ id: String, quiet: Double) {
    self.command = command
    self.tmux = tmux
    self.id = id
    self.quiet = quiet
    reader = CommandMarks.Reader(marks)
  }

  private static func word() -> String {
    String(Unguessable.text().filter { $0.isLetter || $0.isNumber }.prefix(CommandMarks.wordLength))
  }

  func next() async throws(TerminalError) -> TerminalRun.Event? {
    while events.isEmpty, !isOver {
      if client == nil { try await begin() }
      await read()
      guard !Task.isCancelled else {
        await leave()
        throw .cancelled
      }
    }
    return events.isEmpty ? nil : events.removeFirst()
  }

  func interrupt() async {
    // A terminal that is gone needs none.
    _ = try? await tmux.ask(["send-keys", "-t", pane, "C-c"])
  }

  /// Listens first, so that nothing of the output is missed.
  private func begin() async throws(TerminalError) {
    let isKey = { (scalar: Unicode.Scalar) in scalar.value < 0x20 && scalar != "\n" || scalar.value == 0x7F }
    guard !command.unicodeScalars.contains(where: isKey) else { throw .holdsKeys }
    let row = try await tmux.row(of: id)
    pane = row.pane
    if let program = row.info.program, !TmuxRun.shells.contains(program) { throw .busy(program: program) }
    do throws(ChildProgram.Failure) {
      let program = try ChildProgram(
        ["tmux", "-u", "-C", "attach-session", "-f", "read-only,ignore-size", "-t", row.target],
        environment: tmux.environment, adding: tmux.variables, in: "/")
      client = try await tmux.children.start(program)
    } catch { throw TerminalError(error) }
    var isListening = false
    while !isListening, let bytes = await client?.read() {
      for notice in control.feed(bytes) {
        if case .done(let isError) = notice { isListening = !isError }
        if notice == .exit { break }
      }
    }
    guard isListening else {
      await leave()
      throw .gone(id)
    }
    try await tmux.ask(["send-keys", "-t", pane, "-l", marks.typed(command, into: row.info.program)])
    try await tmux.ask(["send-keys", "-t", pane, "Enter"])
  }

  /// What comes next, or the end of patience.
  private func read() async {
    guard let client else { return }
    let ranOut = Locked(false)
    // Both end before this function does: what ends the client ends the read.
    let patience = Task { [pause = tmux.pause, quiet] in
      await pause(quiet)
      guard !Task.isCancelled else { return }
      ranOut.withLock { $0 = true }
      await client.stop()
    }
    let bytes = await withTaskCancellationHandler {
      await client.read()
    } onCancel: {
      // The client's: it ends with it.
      Task { await client.stop() }
    }
    patience.cancel()
    await patience.value
    guard let bytes else { return await end(ranOut.withLock { $0 } ? .quiet(quiet) : .gone) }
    for notice in control.feed(bytes) {
      switch notice {
      case .output(let from, let bytes) where from == pane: say(reader.take(output.feed(bytes)))
      case .exit: return await end(.gone)
      case .changed: if !(await isThere()) { return await end(.gone) }
      case .output, .done: break
      }
      if reader.hasEnded { return await end(.finished(status: reader.status)) }
    }
  }

  private func isThere() async -> Bool {
    // Whoever cannot say has it still.
    guard let rows = try? await tmux.rows() else { return true }
    return rows.contains { $0.pane == pane }
  }

  private func say(_ text: String) {
    if !text.isEmpty { events.append(.output(text)) }
  }

  private func end(_ end: TerminalRun.End) async {
    say(reader.finish(output.finish()))
    events.append(.ended(end))
    await leave()
  }

  private func leave() async {
    isOver = true
    await client?.stop()
  }
}

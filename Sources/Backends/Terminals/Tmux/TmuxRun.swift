import Chat
import Transport
import Waiting
import Wire

/// A command that is typed into a terminal of tmux's, and read by a client in control mode until its end mark.
actor TmuxRun {
  private let command: String
  private let tmux: Tmux
  private let id: String
  private let quiet: Double
  private let marks = CommandMarks.unguessable()

  private var client: ChildProcess?
  private var pane = ""
  private var control = TmuxControl()
  private var output = TerminalOutput()
  private var reader: CommandMarks.Reader
  private var events: [TerminalRun.Event] = []
  private var isOver = false
  /// What is typed once the client listens; nil from then on.
  private var typed: String?
  /// Whether its pane has gone: what it wrote last may still come.
  private var isGone = false
  /// Seconds for that.
  private static let lastWords = 0.5
  /// Whether a new line of the shell is waited for, and seconds for one that shows none.
  private var isClearing = false
  private static let newLineWait = 1.0
  /// When patience ends, by the clock of tmux; only what the command says moves it.
  private var deadline = 0.0

  init(_ command: String, _ tmux: Tmux, _ id: String, quiet: Double) {
    self.command = command
    self.tmux = tmux
    self.id = id
    self.quiet = quiet
    reader = CommandMarks.Reader(marks)
  }

  func next() async throws(TerminalError) -> TerminalRun.Event? {
    do throws(TerminalError) {
      while events.isEmpty, !isOver {
        if client == nil { try await listen() } else { try await read() }
        guard !Task.isCancelled else { throw .cancelled }
      }
    } catch {
      await leave()
      throw error
    }
    return events.isEmpty ? nil : events.removeFirst()
  }

  /// Whether Ctrl-C was typed there: only where the command was.
  func interrupt() async -> Bool {
    guard client != nil, typed == nil else { return false }
    return (try? await tmux.ask(["copy-mode", "-q", "-t", pane, ";", "send-keys", "-t", pane, "C-c"])) != nil
  }

  /// Has a client listen first, so that nothing of the output is missed.
  private func listen() async throws(TerminalError) {
    guard !command.holdsKeys else { throw .holdsKeys }
    let row = try await tmux.row(of: id)
    pane = row.pane
    let program = row.info.program ?? ""
    guard ForegroundWords.isShell(program), row.foreground.map(ForegroundWords.isAtPrompt) ?? true else {
      throw .busy(program: program)
    }
    typed = marks.typed(command, into: program)
    deadline = tmux.clock.now() + quiet
    client = try await tmux.listener(to: row.session)
  }

  /// What stood on the line, or before it in an open quote, is broken off first, and a look at what scrolled away is ended:
  /// it would read the keys. A shell takes no keys for its next line before it has begun that: it is seen to.
  private func clear() async throws(TerminalError) {
    isClearing = true
    try await tmux.ask(["copy-mode", "-q", "-t", pane, ";", "send-keys", "-t", pane, "C-c"])
    // The run's: it comes to nothing once the command is typed.
    Task { [clock = tmux.clock] in
      await clock.sleep(TmuxRun.newLineWait)
      await typeNow()
    }
  }

  /// Types the command, once, and Enter in the same moment.
  private func typeNow() async {
    guard isClearing, !isOver, let text = typed else { return }
    (isClearing, typed) = (false, nil)
    let keys = ["send-keys", "-t", pane]
    // What cannot be typed is missed by patience.
    for piece in TmuxRun.pieces(of: text).dropLast() { _ = try? await tmux.ask(keys + ["-l", piece]) }
    _ = try? await tmux.ask(keys + ["-l", TmuxRun.pieces(of: text).last ?? "", ";"] + keys + ["Enter"])
  }

  /// tmux takes 16 KiB at a time. A `;` at the end of an argument would separate commands.
  static func pieces(of text: String) -> [String] {
    var pieces: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
      let piece = rest.prefix(2000)
      rest = rest.dropFirst(2000)
      pieces.append(piece.hasSuffix(";") ? piece.dropLast() + "\\;" : String(piece))
    }
    return pieces
  }

  /// What comes next, or the end of patience.
  private func read() async throws(TerminalError) {
    guard let client else { return }
    let left = max(0, deadline - tmux.clock.now())
    let ranOut = Locked(false)
    // Both end before this function does: what ends the client ends the read.
    let patience = Task { [clock = tmux.clock] in
      await clock.sleep(left)
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
    guard !Task.isCancelled else { return }
    for notice in control.feed(bytes ?? []) {
      try await take(notice)
      if isOver { return }
    }
    if ranOut.withLock({ $0 }) || deadline <= tmux.clock.now() { return await end(isGone ? .gone : .quiet(quiet)) }
    // Who has taken the terminal for themselves has it still.
    if bytes == nil { await end(await tmux.has(pane: pane) ? .unwatched : .gone) }
  }

  private func take(_ notice: TmuxControl.Notice) async throws(TerminalError) {
    switch notice {
    case .done(let isError):
      guard typed != nil, !isClearing else { return }
      guard !isError else { throw .gone(id) }
      try await clear()
    case .output(let from, let bytes):
      guard from == pane else { return }
      if isClearing, bytes.contains(UInt8(ascii: "\n")) { await typeNow() }
      if !isGone { deadline = tmux.clock.now() + quiet }
      say(reader.take(output.feed(bytes)))
      if reader.hasEnded { await end(.finished(status: reader.status)) }
    case .changed:
      guard !isGone, !(await tmux.has(pane: pane)) else { return }
      isGone = true
      deadline = tmux.clock.now() + TmuxRun.lastWords
    case .exit: await end(await tmux.has(pane: pane) ? .unwatched : .gone)
    }
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

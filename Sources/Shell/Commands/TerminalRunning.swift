import Chat
import Text
import Wire

extension Commands {
  /// Types a command into a terminal, and shows what comes of it.
  static func runInTerminal(_ command: String, in word: String, _ shell: inout Shell) async throws(ShellError) {
    guard !command.isEmpty else { throw .missing(.program, command: "terminal run") }
    let wanted = try await terminal(called: word, &shell)
    // A part of a name may be a part of another that was not thought of.
    if wanted.word != word { shell.desk.say("terminal: \(wanted.word)") }
    let quiet = shell.desk.preferences.number("timeout.terminal") ?? 30
    let run = wanted.place.terminals.run(command, in: wanted.info.id, quiet: quiet)
    var output = TerminalCommandOutput(shell.desk)
    defer { shell.links.passOverNews(of: wanted.word) }
    while true {
      switch await shell.desk.interruptible({ () throws(TerminalError) in try await run.next() }) {
      case .success(.output(let text)?): output.show(text)
      case .success(.ended(let end)?):
        if end == .gone { await shell.links.unwatch(wanted.word) }
        return try output.end(end, wanted.word, &shell.desk)
      case .success(nil): return
      case .failure(.cancelled):
        let isTyped = await run.interrupt()
        if isTyped {
          shell.desk.say("Ctrl-C was typed into \(wanted.word): " + shell.desk.asTyped("/terminal show \(wanted.word)"))
        }
        return try output.end(nil, wanted.word, &shell.desk)
      case .failure(let error): throw wanted.place.failure(error)
      }
    }
  }
}

/// The output of a command in a terminal, shown as it comes; as one object where JSON is wanted.
private struct TerminalCommandOutput {
  private let terminal: any Terminal
  private let isJSON: Bool
  private var filter: Filter
  /// For JSON, the last of it.
  private var whole = ""
  private var isTruncated = false
  private static let limit = 8 << 20

  init(_ desk: Desk) {
    terminal = desk.world.terminal
    isJSON = desk.options.output != .text
    filter = Filter(desk.world.terminal.traits.outputIsTerminal ? .block : .source)
  }

  mutating func show(_ text: String) {
    guard isJSON else { return terminal.write(.text(filter.feed(text)), to: .output) }
    whole += text
    // Cut rarely: each cut moves all that stays.
    guard whole.utf8.count > 2 * TerminalCommandOutput.limit else { return }
    whole = String(decoding: whole.utf8.suffix(TerminalCommandOutput.limit), as: UTF8.self)
    isTruncated = true
  }

  mutating func finish() {
    if !isJSON { terminal.write(.text(filter.finish()), to: .output) }
  }

  /// - Parameter end: nil where the person broke it off.
  mutating func end(_ end: TerminalRun.End?, _ name: String, _ desk: inout Desk) throws(ShellError) {
    finish()
    let failure = TerminalCommandOutput.failure(end, name)
    guard isJSON else {
      if let failure { throw failure }
      return
    }
    // All of it in one object, what went wrong too.
    let complaint = failure.map { Complaint($0) }
    var object = TerminalPage.object(end, output: whole, isTruncated, of: name)
    object["error"] = complaint.map(AnswerJSON.error) ?? .null
    desk.show(object)
    if let complaint { desk.complain(complaint) }
  }

  private static func failure(_ end: TerminalRun.End?, _ name: String) -> ShellError? {
    switch end {
    case nil: .interrupted
    case .finished(0?), .finished(nil): nil
    case .finished(let status?): .commandFailed(status: status)
    case .quiet(let seconds, let runsOn): .commandSilent(seconds: seconds, terminal: name, runsOn: runsOn)
    case .gone: .terminal(.gone(name))
    case .unwatched: .terminal(.unwatched(name))
    case .lost: .terminal(.lost(name))
    }
  }
}

import Chat
import Text
import Wire

extension Commands {
  static let terminals = [list, terminal]

  private static let list = Command(
    "terminals", .servers, summary: "shells that outlive this one",
    forms: [
      Form { shell, match throws(ShellError) in
        let all = try await all(&shell)
        shell.desk.show(TerminalPage.listing(all, now: shell.desk.world.now()), asJSON: match.asJSON)
      }
    ],
    examples: ["/terminals", "parley /terminals --json"],
    details: """
      They are tmux's, on this machine, those that you made elsewhere too. What is not known of one stands empty. A window \
      of a session that has several is called SESSION:NUMBER.
      """)

  private static let terminal = Command(
    "terminal", .servers, summary: "watch, use and script one of them",
    forms: [
      Form(.word("new"), .optional(.newName), .optional(.folder), summary: "make one") {
        shell, match throws(ShellError) in
        try await make(match.values.first, in: match.values.dropFirst().first, &shell)
      },
      Form(.word("attach"), .required(.terminal), summary: "use it yourself, until you detach") {
        shell, match throws(ShellError) in
        try await attach(match[0], &shell)
      },
      Form(.word("show"), .required(.terminal), .optional(.number), summary: "print its last lines") {
        shell, match throws(ShellError) in
        try await show(match[0], match.values.dropFirst().first, isAttached: match.value(of: attachFlag) != nil, &shell)
      },
      Form(.word("run"), .required(.terminal), .required(.program), summary: "run a command in it") {
        shell, match throws(ShellError) in
        try await runInTerminal(match.prose(from: 2), in: match[0], &shell)
      },
      Form(
        .word("ask"), .required(.terminal), .optional(.words),
        next: { shell, match throws(ShellError) in
          try await ask(match.values.dropFirst().joined(separator: " "), about: match[0], &shell)
        }, summary: "ask the model what went wrong in it"),
      Form(.word("close"), .required(.terminal), summary: "end it and what runs in it") {
        shell, match throws(ShellError) in
        try await close(match[0], &shell)
      },
    ],
    flags: [attachFlag],
    examples: ["/terminal new work ~/src", "/terminal run work make test", "/terminal ask work"],
    details: """
      A command that is run is typed into the terminal, between two marks that say where its output begins and how it \
      ended; anybody who is attached sees that. From a command line it is quoted: parley /terminal run work 'ls -la'. Where nothing comes for timeout.terminal seconds it is left running. Ctrl-C \
      is typed there. ask and show --attach give the model what stands on the screen and above.
      """)

  private static let attachFlag = Flag("--attach", of: "show", summary: "give it to the next message too")
  /// As many as are kept to be looked at.
  private static let mostLines = 10_000
  private static let usualLines = 40
  /// What a model is given of a screen.
  private static let linesForModel = 200

  private static func terminals(_ shell: inout Shell) throws(ShellError) -> any Terminals {
    guard let terminals = shell.desk.world.terminals else { throw .terminal(.notInstalled(program: "tmux")) }
    return terminals
  }

  private static func asking<T: Sendable>(
    _ shell: inout Shell, _ ask: @escaping @Sendable (any Terminals) async throws(TerminalError) -> T
  ) async throws(ShellError) -> T {
    let terminals = try terminals(&shell)
    switch await shell.desk.interruptible({ () throws(TerminalError) in try await ask(terminals) }) {
    case .success(let value): return value
    case .failure(.cancelled): throw .interrupted
    case .failure(let error): throw .terminal(error)
    }
  }

  private static func all(_ shell: inout Shell) async throws(ShellError) -> [TerminalInfo] {
    let all = try await asking(&shell) { terminals throws(TerminalError) in try await terminals.list() }
    shell.links.known.terminals = all.map { ($0.id, $0.program ?? "") }
    return all
  }

  /// The one that a word means: its name, or a beginning of it that no other has.
  static func terminal(called word: String, _ shell: inout Shell) async throws(ShellError) -> TerminalInfo {
    let all = try await all(&shell)
    if let exact = all.first(where: { $0.id == word }) { return exact }
    let matches = all.filter { $0.id.hasPrefix(word) }
    if matches.count > 1 { throw .ambiguous(.terminal, word, matches: matches.map(\.id)) }
    guard let match = matches.first else {
      throw .unknown(.terminal, word, nearest: Nearest.words(to: word, among: all.map(\.id)))
    }
    return match
  }

  private static func make(_ name: String?, in folder: String?, _ shell: inout Shell) async throws(ShellError) {
    let world = shell.desk.world
    let place = world.absolutePath(folder ?? ".")
    guard world.fileExists(place), ![.file, .other].contains(world.fileFacts(place)?.kind) else {
      throw .file(FileProblem(path: folder ?? ".", reason: "there is no such folder"))
    }
    let taken = Set(try await all(&shell).map(\.name))
    let name = name ?? TerminalCommand.freeName(for: place, besides: taken)
    guard !taken.contains(name) else { throw .terminal(.nameTaken(name)) }
    let terminals = try terminals(&shell)
    let command: [String]
    do throws(TerminalError) { command = try terminals.making(name, in: place) } catch { throw .terminal(error) }
    let end: (status: Int32, output: [UInt8])
    do throws(ChildError) {
      end = try await world.terminal.run(ChildCommand(command), captureLimit: nil)
    } catch { throw .child(error) }
    guard end.status == 0 else { throw .terminal(.failed("it ended with exit status \(end.status)")) }
    _ = try await all(&shell)
    shell.desk.say(
      "terminal \(name) in \(place); " + shell.desk.asTyped("/terminal attach \(Words.quoted(name)) uses it"))
  }

  private static func attach(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    guard shell.desk.options.canType else {
      throw .needsTerminal("a terminal is used on one", hint: "/terminal run and show need none")
    }
    let wanted = try await terminal(called: word, &shell)
    let (command, leaving) = try await asking(&shell) { terminals throws(TerminalError) in
      try await terminals.attaching(to: wanted.id)
    }
    shell.desk.say("\(leaving) comes back here, and \(wanted.id) goes on")
    let end: (status: Int32, output: [UInt8])
    do throws(ChildError) {
      end = try await shell.desk.world.terminal.run(ChildCommand(command, takesScreen: true), captureLimit: nil)
    } catch { throw .child(error) }
    let isThere = try await all(&shell).contains { $0.id == wanted.id }
    shell.desk.say(isThere ? "detached from \(wanted.id)" : "\(wanted.id) has ended")
    guard end.status == 0 else { throw .terminal(.failed("its client ended with exit status \(end.status)")) }
  }

  private static func show(
    _ word: String, _ count: String?, isAttached: Bool, _ shell: inout Shell
  ) async throws(ShellError) {
    let limit = count.flatMap(Int.init) ?? usualLines
    guard 1...mostLines ~= limit else { throw .unexpected(count ?? "", command: "terminal show") }
    let (wanted, text) = try await lines(of: word, limit, &shell)
    if shell.desk.options.output != .text {
      shell.desk.show(["terminal": .string(wanted.id), "text": .string(text)])
    } else {
      shell.desk.show(.text(TerminalPage.text(text, isSeen: shell.desk.world.terminal.traits.outputIsTerminal)))
    }
    guard isAttached else { return }
    if !shell.talk.attachment.isEmpty { shell.talk.attachment += "\n\n" }
    shell.talk.attachment += Fence.around(text, label: "terminal \(wanted.id):")
    shell.desk.say("that goes with the next message (\(ByteSize.text(text.utf8.count)))")
  }

  private static func lines(
    of word: String, _ limit: Int, _ shell: inout Shell
  ) async throws(ShellError) -> (TerminalInfo, String) {
    let wanted = try await terminal(called: word, &shell)
    let text = try await asking(&shell) { terminals throws(TerminalError) in
      try await terminals.lines(of: wanted.id, atMost: limit)
    }
    return (wanted, text)
  }

  private static func ask(
    _ words: String, about word: String, _ shell: inout Shell
  ) async throws(ShellError) -> Next {
    let (wanted, text) = try await lines(of: word, linesForModel, &shell)
    let question = words.isEmpty ? "What went wrong here?" : words
    return .send(.new(question + "\n\n" + Fence.around(text, label: "terminal \(wanted.id):")))
  }

  private static func close(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let wanted = try await terminal(called: word, &shell)
    let program: SafeText = wanted.program.map { ", in which \($0) runs" } ?? ""
    guard try await shell.desk.confirm("End terminal \(wanted.id)\(program), and all in it?") else { return }
    try await asking(&shell) { terminals throws(TerminalError) in try await terminals.close(wanted.id) }
    _ = try await all(&shell)
    shell.desk.say("\(wanted.id) is closed")
  }

  /// Types a command into a terminal, and shows what comes of it.
  static func runInTerminal(_ command: String, in word: String, _ shell: inout Shell) async throws(ShellError) {
    guard !command.isEmpty else { throw .missing(.program, command: "terminal run") }
    let wanted = try await terminal(called: word, &shell)
    let quiet = shell.desk.preferences.number("timeout.terminal") ?? 30
    let run = try terminals(&shell).run(command, in: wanted.id, quiet: quiet)
    var output = TerminalCommandOutput(shell.desk)
    while true {
      switch await shell.desk.interruptible({ () throws(TerminalError) in try await run.next() }) {
      case .success(.output(let text)?): output.show(text)
      case .success(.ended(let end)?): return try output.end(end, wanted.id, shell.desk)
      case .success(nil): return
      case .failure(.cancelled):
        let isTyped = await run.interrupt()
        output.interrupt(wanted.id, shell.desk)
        if isTyped {
          shell.desk.say("Ctrl-C was typed into \(wanted.id): " + shell.desk.asTyped("/terminal show \(wanted.id)"))
        }
        throw .interrupted
      case .failure(let error): throw .terminal(error)
      }
    }
  }
}

/// What `/terminal` makes of what it is given.
enum TerminalCommand {
  /// What a terminal is called that begins in a folder.
  static func freeName(for folder: String, besides taken: Set<String>) -> String {
    let last = folder.split(separator: "/").last.map(String.init) ?? "root"
    let name = String(last.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "_" })
    let base = name.hasPrefix("-") ? "_" + name : name
    guard taken.contains(base) else { return base }
    return (2...).lazy.map { "\(base)-\($0)" }.first { !taken.contains($0) } ?? base
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

  mutating func interrupt(_ name: String, _ desk: Desk) {
    finish()
    if isJSON { desk.show(TerminalPage.object(nil, output: whole, isTruncated, of: name)) }
  }

  mutating func end(_ end: TerminalRun.End, _ name: String, _ desk: Desk) throws(ShellError) {
    finish()
    if isJSON { desk.show(TerminalPage.object(end, output: whole, isTruncated, of: name)) }
    switch end {
    case .finished(0?), .finished(nil): break
    case .finished(let status?): throw .commandFailed(status: status)
    case .quiet(let seconds): throw .commandSilent(seconds: seconds, terminal: name)
    case .gone: throw .terminal(.gone(name))
    case .unwatched: throw .terminal(.unwatched(name))
    }
  }
}

import Chat
import Text
import Wire

extension Commands {
  static let terminals = [list, terminal]

  private static let list = Command(
    "terminals", .servers, summary: "shells here and elsewhere",
    forms: [
      Form { shell, match throws(ShellError) in try await showAllTerminals(match.asJSON, &shell) }
    ],
    examples: ["/terminals", "parley /terminals --json"],
    details: """
      Those of tmux on this machine, that you made elsewhere too, and those of servers that you have connected to \
      (/connect): they are called SERVER/NAME. What is not known of one stands empty. A window of a tmux session that has \
      several is called SESSION:NUMBER. \
      /tools on terminals lets a model look at them, and ask to run commands in them.
      """)

  private static let terminal = Command(
    "terminal", .servers, summary: "watch, use and script one of them",
    forms: [
      Form(.word("new"), .optional(.newName), .optional(.folder), summary: "make one; SERVER/NAME elsewhere") {
        shell, match throws(ShellError) in
        try await make(match.values.first, in: match.values.dropFirst().first, &shell)
      },
      Form(.word("attach"), .required(.terminal), summary: "use it yourself, until you detach") {
        shell, match throws(ShellError) in
        try await attach(match[0], &shell)
      },
      Form(.word("watch"), .required(.terminal), summary: "tell in the prompt how it is connected") {
        shell, match throws(ShellError) in
        try await watchTerminal(match[0], &shell)
      },
      Form(.word("unwatch"), .required(.terminal), summary: "stop watching it") { shell, match throws(ShellError) in
        try await unwatchTerminal(match[0], &shell)
      },
      Form(
        .word("show"), .required(.terminal), .optional(.number), flags: [attachFlag], summary: "print its last lines"
      ) { shell, match throws(ShellError) in
        try await showTerminal(
          match[0], match.values.dropFirst().first, isAttached: match.value(of: attachFlag) != nil, &shell)
      },
      Form(.word("run"), .required(.terminal), .required(.program), summary: "run a command in it") {
        shell, match throws(ShellError) in
        try await runInTerminal(match.prose(from: 2), in: match[0], &shell)
      },
      Form(
        .word("ask"), .required(.terminal), .optional(.words),
        next: { shell, match throws(ShellError) in
          try await askAboutTerminal(match.values.dropFirst().joined(separator: " "), match[0], &shell)
        }, summary: "ask the model what went wrong in it"),
      Form(.word("close"), .required(.terminal), summary: "end it and what runs in it") {
        shell, match throws(ShellError) in
        try await close(match[0], &shell)
      },
    ],
    unlisted: [Form { shell, match throws(ShellError) in try await showAllTerminals(match.asJSON, &shell) }],
    flags: [attachFlag],
    examples: [
      "/terminal new work ~/src", "/terminal attach lab/1", "/terminal run work make test", "/terminal ask work",
    ],
    details: """
      A command that is run is typed into the terminal, between two marks that say where its output begins and how it \
      ended; anybody who is attached sees that. From a command line it is quoted: parley /terminal run work 'ls -la'. Where \
      nothing comes for timeout.terminal seconds it is left running. Ctrl-C is typed there. ask and show --attach give the \
      model what stands on the screen and above. One of a server is left by ~. typed where a line begins; a connection that \
      is lost is made again. watch has the prompt tell how the connection to one stands, and what it said. Where a server \
      cannot be reached, list and show give what was last seen.
      """)

  private static let attachFlag = Flag("--attach", summary: "give it to the next message too")

  private static func make(_ word: String?, in folder: String?, _ shell: inout Shell) async throws(ShellError) {
    try await shell.links.meetServerOfOption(&shell.desk)
    let (place, name) = try shell.links.place(of: word ?? "", shell.desk)
    let isOwn = place.entry == nil
    let start = isOwn ? try ownFolder(folder ?? ".", shell) : folder
    let made = try await shell.links.asking(place, &shell.desk) { terminals throws(TerminalError) in
      try await terminals.make(name.isEmpty ? nil : name, in: start)
    }
    let id: String
    switch made {
    case .made(let made): id = made
    case .byProgram(let command, let made):
      id = made
      let end = try await run(ChildCommand(command), shell)
      guard end.status == 0 else {
        throw .terminal(.failed("the program that makes it ended with exit status \(end.status)"))
      }
    }
    _ = try await terminalsKept(at: place, &shell)
    let called = place.word(for: id)
    let isAmbiguous = isOwn && !shell.links.terminalServers(shell.desk).isEmpty
    // A server may drop a folder that it does not have.
    let within: SafeText = isOwn ? start.map { " in \($0)" } ?? "" : ""
    shell.desk.say(
      "terminal \(called)\(isAmbiguous ? " on this machine" : "")\(within); "
        + shell.desk.asTyped("/terminal attach \(Words.quoted(called))") + " uses it")
    if case .made = made, isOwn {
      shell.desk.sayOnce("it ends with parley, as tmux is not installed, which keeps them")
    }
  }

  private static func ownFolder(_ folder: String, _ shell: Shell) throws(ShellError) -> String {
    let world = shell.desk.world
    let place = world.absolutePath(folder)
    guard world.fileExists(place), ![.file, .other].contains(world.fileFacts(place)?.kind) else {
      throw .file(FileProblem(path: folder, reason: "there is no such folder"))
    }
    return place
  }

  private static func run(
    _ command: ChildCommand, _ shell: Shell
  ) async throws(ShellError) -> (status: Int32, output: [UInt8]) {
    do throws(ChildError) {
      return try await shell.desk.world.terminal.run(command, captureLimit: nil)
    } catch { throw .child(error) }
  }

  private static func attach(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    guard shell.desk.options.canType else {
      throw .needsTerminal("a terminal is used on one", hint: "/terminal run and show need none")
    }
    let wanted = try await terminal(called: word, &shell)
    let id = wanted.info.id
    let (columns, rows) = (shell.desk.world.terminal.traits.columns, shell.desk.world.terminal.traits.rows)
    let way = try await shell.links.asking(wanted.place, &shell.desk) { terminals throws(TerminalError) in
      try await terminals.attach(to: id, columns: columns, rows: rows)
    }
    switch way {
    case .program(let command, let leaving):
      shell.desk.say("\(leaving) comes back here, and \(wanted.word) goes on")
      let end = try await run(ChildCommand(command, takesScreen: true), shell)
      let isThere = try await terminalsKept(at: wanted.place, &shell).contains { $0.id == id }
      if isThere { shell.links.passOverNews(of: wanted.word) } else { await shell.links.unwatch(wanted.word) }
      shell.desk.say(isThere ? "detached from \(wanted.word)" : "\(wanted.word) has ended")
      guard end.status == 0 else { throw .terminal(.failed("its client ended with exit status \(end.status)")) }
    case .line(let line):
      let result = await attached(line, to: wanted, &shell)
      // However it ended: that is what there is to look at when its server is away.
      shell.links.passOverNews(of: wanted.word)
      if let text = await line.past(atMost: TerminalRecord.mostLines) {
        shell.links.note(text, of: id, at: wanted.place, shell.desk)
      }
      try result.get()
    }
  }

  private static func attached(
    _ line: any TerminalLine, to wanted: FoundTerminal, _ shell: inout Shell
  ) async -> Result<Void, ShellError> {
    let word = wanted.word
    shell.desk.say("~. where a line begins comes back here, and \(word) \(line.goesOn ? "goes on" : "ends")")
    let end: AttachEnd
    do throws(TerminalError) {
      end = try await shell.desk.world.terminal.attach(line) { TerminalPage.remark($0, on: word) }
    } catch { return .failure(wanted.place.failure(error)) }
    switch end {
    case .detached where line.goesOn: shell.desk.say("detached from \(word)")
    case .detached: shell.desk.say("\(word) has ended, as nobody is attached to it")
    case .ended(let status):
      await shell.links.unwatch(word)
      let how: SafeText = status.flatMap { $0 == 0 ? nil : " with exit status \($0)" } ?? ""
      shell.desk.say("\(word) has ended" + how)
    case .signal: return .failure(.interrupted)
    }
    return .success(())
  }

  private static func close(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let wanted = try await terminal(called: word, &shell)
    let program: SafeText = wanted.info.program.map { ", in which \($0) runs" } ?? ""
    guard try await shell.desk.confirm("End terminal \(wanted.word)\(program), and all in it?") else { return }
    let id = wanted.info.id
    try await shell.links.asking(wanted.place, &shell.desk) { terminals throws(TerminalError) in
      try await terminals.close(id)
    }
    await shell.links.unwatch(wanted.word)
    _ = try await terminalsKept(at: wanted.place, &shell)
    shell.desk.say("\(wanted.word) is closed")
  }
}

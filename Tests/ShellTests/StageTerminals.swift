import Chat

/// A terminal of this machine as it was directed.
struct StageShell: Sendable {
  var name: String
  /// What each command says that is typed there, and its exit status.
  var commands: [String: (output: String, status: Int)] = [:]
  /// What runs in it, where that is no shell.
  var program: String?
}

extension Stage {
  /// `[shell NAME "COMMAND" "OUTPUT" STATUS …]`, or `[shell NAME runs PROGRAM]`.
  func setShell(_ direction: StageDirection) {
    var rest = direction.strings[...]
    var shell = StageShell(name: rest.removeFirst())
    if rest.first == "runs" {
      shell.program = rest.dropFirst().first
    } else {
      while rest.count > 2 {
        shell.commands[rest.removeFirst()] = (rest.removeFirst(), Int(rest.removeFirst()) ?? 0)
      }
    }
    with { [shell] scene in
      scene.shells.removeAll { $0.name == shell.name }
      scene.shells.append(shell)
    }
  }

  /// `[typed]`: what was typed into terminals since the last look.
  func showTyped() {
    let lines = with { scene in
      defer { scene.typed = [] }
      return scene.typed
    }
    if lines.isEmpty { return remark("nothing was typed") }
    for line in lines { remark("typed \(line)") }
  }
}

/// This machine's terminals in a transcript.
struct StageTerminals: Terminals {
  let stage: Stage

  func list() async throws(TerminalError) -> [TerminalInfo] {
    let now = stage.with { $0.now }
    return stage.with(\.shells).map { shell in
      TerminalInfo(
        id: shell.name, name: shell.name, folder: "/src", program: shell.program ?? "bash", lastActivity: now - 300_000)
    }
  }

  func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    throw .notOffered(.attaching)
  }

  func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String { "$ \u{1B}]0;stolen\u{7}make\n" }

  func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    let stage = stage
    let shell = stage.with { scene in scene.shells.first { $0.name == id } }
    let events = StageEvents()
    return TerminalRun(
      next: { () async throws(TerminalError) in
        if let program = shell?.program { throw .busy(program: program) }
        let (output, status) = shell?.commands[command] ?? ("", 0)
        return await events.next {
          stage.with { $0.typed.append("\(command) into \(id)") }
          return [.output(output), .ended(.finished(status: status))]
        }
      }, interrupt: { true })
  }

  func close(_ id: String) async throws(TerminalError) { throw .notOffered(.closing) }
}

private actor StageEvents {
  private var left: [TerminalRun.Event]?

  func next(_ begin: () -> [TerminalRun.Event]) -> TerminalRun.Event? {
    var events = left ?? begin()
    defer { left = events }
    return events.isEmpty ? nil : events.removeFirst()
  }
}

package import Chat
package import Transport

/// The terminals that tmux keeps on this machine: they outlive parley, and what else is attached to them sees the same
/// (docs/terminals.md 2).
package struct Tmux: Terminals {
  let children: Children
  let environment: [String: String]
  let pause: @Sendable (Double) async -> Void

  /// - Parameter pause: waits for so many seconds, or until the task is cancelled.
  package init(
    _ children: Children, environment: [String: String], pause: @escaping @Sendable (Double) async -> Void
  ) {
    self.children = children
    self.environment = environment
    self.pause = pause
  }

  package func list() async throws(TerminalError) -> [TerminalInfo] { try await rows().map(\.info) }

  func rows() async throws(TerminalError) -> [TmuxRow] {
    let text: String
    do throws(TerminalError) { text = try await ask(["list-windows", "-a", "-F", TmuxRow.format]) } catch {
      // Without a terminal there is no server either.
      guard case .failed(let words) = error, Tmux.saysNoServer(words) else { throw error }
      return []
    }
    return text.split(separator: "\n").compactMap { TmuxRow($0, foreground: Foreground.words) }
  }

  /// Another order of its words than that of version 3.3 is an error like others.
  private static func saysNoServer(_ words: String) -> Bool {
    words.contains("no server running") || words.contains("error connecting to") || words.contains("no current")
  }

  func row(of id: String) async throws(TerminalError) -> TmuxRow {
    guard let row = try await rows().first(where: { $0.info.id == id }) else { throw .gone(id) }
    return row
  }

  package func making(_ name: String, in folder: String) throws(TerminalError) -> [String] {
    // tmux would change what separates the parts of its own names.
    guard !name.isEmpty, name.utf8.count <= 100, !name.hasPrefix("-"), !name.hasPrefix("="),
      name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && !".:'\"\\".unicodeScalars.contains($0) })
    else { throw .badName(name) }
    return onTerminal(["new-session", "-d", "-s", name, "-c", folder])
  }

  package func attaching(to id: String) async throws(TerminalError) -> (command: [String], leaving: String) {
    let row = try await row(of: id)
    let prefix = try await ask(["show-options", "-gv", "prefix"]).split(separator: "\n").first.map(String.init)
    return (onTerminal(["attach-session", "-t", row.target]), "\(prefix ?? "C-b") d")
  }

  package func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    let pane = try await row(of: id).pane
    let text = try await ask(["capture-pane", "-p", "-J", "-t", pane, "-S", "-\(limit)"])
    var lines = CommandMarks.without(text.split(separator: "\n", omittingEmptySubsequences: false))
    // What nothing was written on yet.
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.suffix(limit).map { $0 + "\n" }.joined()
  }

  package func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    let run = TmuxRun(command, self, id, quiet: quiet)
    return TerminalRun(
      next: { () async throws(TerminalError) in try await run.next() }, interrupt: { await run.interrupt() })
  }

  package func close(_ id: String) async throws(TerminalError) {
    let row = try await row(of: id)
    try await ask(["kill-window", "-t", row.pane])
  }

  /// A command for the person's own terminal: within tmux too, which else refuses to show itself in itself.
  private func onTerminal(_ arguments: [String]) -> [String] { ["env", "-u", "TMUX", "tmux", "-u"] + arguments }

  /// Where the person's own server is to be found.
  var variables: [(name: String, value: String)] {
    ["TMUX", "TMUX_TMPDIR"].compactMap { name in environment[name].map { (name, $0) } }
  }

  /// What tmux says to a command of its own.
  @discardableResult
  func ask(_ arguments: [String]) async throws(TerminalError) -> String {
    let run: CommandRun
    do throws(ChildProgram.Failure) {
      run = try await children.run(
        ["tmux", "-u"] + arguments, in: "/", adding: variables, outputLimit: CommandRun.greatestLimit,
        environment: environment)
    } catch { throw TerminalError(error) }
    guard let end = await run.ended() else {
      await run.kill()
      throw .cancelled
    }
    let text = run.output().text
    guard end.exitCode == 0 else { throw .failed(text.split(separator: "\n").first.map(String.init) ?? "no word") }
    return text
  }
}

extension TerminalError {
  init(_ failure: ChildProgram.Failure) {
    switch failure {
    case .notFound, .notExecutable: self = .notInstalled(program: "tmux")
    case .ending: self = .cancelled
    case .noFolder(let folder): self = .failed("no folder \(folder)")
    case .problem(let words): self = .failed(words)
    }
  }
}

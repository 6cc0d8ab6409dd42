package import Chat
package import Transport

/// The terminals that tmux keeps on this machine: they outlive parley, and what else is attached to them sees the same
/// (docs/terminals.md 2).
package struct Tmux: Terminals {
  let children: Children
  let environment: [String: String]
  let clock: TimeSource
  /// Seconds for it to answer.
  private static let patience = 10.0

  package init(_ children: Children, environment: [String: String], clock: TimeSource = .system) {
    self.children = children
    self.environment = environment
    self.clock = clock
  }

  package func list() async throws(TerminalError) -> [TerminalInfo] { try await rows().map(\.info) }

  func rows() async throws(TerminalError) -> [TmuxRow] {
    // A folder may be called as if it were another row.
    let mark = Unguessable.text()
    let text: String
    do throws(TerminalError) {
      text = try await ask(["list-windows", "-a", "-F", mark + "\t" + TmuxRow.format])
    } catch {
      // Without a terminal there is no server either.
      guard case .failed(let words) = error, Tmux.saysNoServer(words) else { throw error }
      return []
    }
    return text.split(separator: "\n").filter { $0.hasPrefix(mark + "\t") }
      .compactMap { TmuxRow($0.dropFirst(mark.count + 1), foreground: Foreground.words) }
  }

  /// Another order of its words than that of version 3.3 is an error like others.
  private static func saysNoServer(_ words: String) -> Bool {
    words.contains("no server running")
      || words.contains("server exited")
      || words.contains("error connecting to")
        && ["No such file or directory", "Connection refused"].contains(where: words.contains)
  }

  func row(of id: String) async throws(TerminalError) -> TmuxRow {
    guard let row = try await rows().first(where: { $0.info.id == id }) else { throw .gone(id) }
    return row
  }

  package func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade {
    let folder = folder ?? "/"
    let taken = Set(try await list().map(\.name))
    let name = name ?? TerminalNames.free(for: folder, besides: taken)
    guard !taken.contains(name) else { throw .nameTaken(name) }
    return .byProgram(try making(name, in: folder), id: name)
  }

  func making(_ name: String, in folder: String) throws(TerminalError) -> [String] {
    guard TerminalNames.isName(name) else { throw .badName(name) }
    // #(…) in a format is carried out, and a ; at the end separates commands.
    var place = folder.replacing("#", with: "##")
    if place.hasSuffix(";") { place = place.dropLast() + "\\;" }
    return onTerminal(["new-session", "-d", "-s", name, "-c", place])
  }

  package func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    let row = try await row(of: id)
    let prefix =
      try await ask(["show-options", "-gv", "prefix"]).split(separator: "\n").first.map(String.init) ?? "C-b"
    let leaving = (prefix.hasPrefix("C-") ? "Ctrl-\(prefix.dropFirst(2).uppercased())" : prefix) + " d"
    // What was said before is out of sight by then. A # would be a format.
    let words = "\(leaving) comes back to parley".replacing("#", with: "##")
    return .program(
      onTerminal(["attach-session", "-t", row.target, ";", "display-message", "-d", "5000", words]), leaving: leaving)
  }

  package func watch(_ id: String) async throws(TerminalError) -> any TerminalLine {
    WatchedLine(try await TmuxWatch(self, try await row(of: id)))
  }

  package func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    let pane = try await row(of: id).pane
    let text = try await ask(["capture-pane", "-p", "-J", "-t", pane, "-S", "-\(limit)"])
    var lines = CommandMarks.without(text.split(separator: "\n", omittingEmptySubsequences: false))
    // What nothing was written on yet.
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.suffix(limit).map { $0 + "\n" }.joined()
  }

  /// Whether a pane is still there.
  func has(pane: String) async -> Bool {
    do throws(TerminalError) {
      return try await ask(["list-panes", "-a", "-F", "#{pane_id}"]).split(separator: "\n").contains { $0 == pane }
    } catch {
      // The server ends with its last terminal; whoever cannot say has it still.
      if case .failed(let words) = error { return !Tmux.saysNoServer(words) }
      return true
    }
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

  /// A client that listens to a session, and neither types nor has a size.
  func listener(to session: String) async throws(TerminalError) -> ChildProcess {
    do throws(ChildProgram.Failure) {
      let program = try ChildProgram(
        ["tmux", "-u", "-C", "attach-session", "-f", "read-only,ignore-size", "-t", session],
        environment: environment, adding: variables, in: "/")
      return try await children.start(program)
    } catch { throw TerminalError(error) }
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
    // Ends before this function does.
    let patience = Task { [clock] in
      await clock.sleep(Tmux.patience)
      if !Task.isCancelled { await run.kill() }
    }
    let ended = await run.ended()
    patience.cancel()
    guard let end = ended else {
      await run.kill()
      throw .cancelled
    }
    guard end.signal == nil else { throw .failed("tmux: no answer within \(Int(Tmux.patience)) s") }
    let text = run.output().text
    guard end.exitCode == 0 else { throw .failed("tmux: \(text.split(separator: "\n").first ?? "no word")") }
    return text
  }
}

extension TerminalError {
  init(_ failure: ChildProgram.Failure) {
    switch failure {
    case .notFound, .notExecutable: self = .notInstalled(program: "tmux")
    case .ending: self = .cancelled
    case .noFolder(let folder): self = .failed("no folder \(folder)")
    case .problem(let words): self = .failed("tmux: \(words)")
    }
  }
}

package import Chat
import Glibc
import Programs
import Transport
import Waiting

/// Terminals of this process, for whoever has no tmux: they are used as others are, and end with it (docs/terminals.md 7).
package final class LocalTerminals: Terminals {
  private let environment: [String: String]
  private let umask: UInt32
  private let clock: TimeSource
  private let running = Locked<[String: LocalTerminal]>([:])

  /// - Parameters:
  ///   - environment: what their shells are told, but what no program is.
  ///   - umask: for the files that are made in them.
  package init(environment: [String: String], umask: UInt32, clock: TimeSource = .system) {
    self.environment = environment.filter { name, _ in !ChildEnvironment.isNeverPassed(name) }
    self.umask = umask
    self.clock = clock
  }

  package func list() async throws(TerminalError) -> [TerminalInfo] {
    running.withLock { $0.values.filter { !$0.hasEnded } }.map(\.info).sorted { $0.name < $1.name }
  }

  package func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade {
    let folder = folder ?? "/"
    let taken = Set(try await list().map(\.name))
    let name = name ?? TerminalNames.free(for: folder, besides: taken)
    guard TerminalNames.isName(name) else { throw .badName(name) }
    guard !taken.contains(name) else { throw .nameTaken(name) }
    let terminal = try LocalTerminal(name, shell(), environment: variables, in: folder, umask: umask, clock)
    running.withLock { $0[name] = terminal }
    terminal.begin { [running] in
      running.withLock { all in if all[name] === terminal { all[name] = nil } }
    }
    return .made(id: name)
  }

  /// Their bytes go to the person's own terminal as they are, so it is that which they are told of.
  private var variables: [String: String] {
    environment.filter { !["LINES", "COLUMNS", "TMUX", "TMUX_PANE", "STY"].contains($0.key) }
      .merging(["TERM": "xterm-256color"]) { theirs, _ in theirs }
  }

  /// The person's own, as a window of theirs would have it.
  private func shell() throws(TerminalError) -> String {
    let wanted = environment["SHELL"].flatMap { $0.isEmpty ? nil : $0 } ?? "/bin/sh"
    do throws(Programs.Failure) { return try Programs.find(wanted, along: environment["PATH"]) } catch {
      throw .failed("the shell \(wanted) cannot be started")
    }
  }

  package func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    .line(try await LiveLine.open(dial(id), columns: columns, rows: rows))
  }

  package func watch(_ id: String) async throws(TerminalError) -> any TerminalLine {
    WatchedLine(try await LiveLine.watch(dial(id)))
  }

  package func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    let terminal = try terminal(id)
    return PastLines.text(of: terminal.past, size: terminal.size, atMost: limit)
  }

  package func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    let run = WireRun(command, dial(id), id, quiet: quiet)
    return TerminalRun(
      next: { () async throws(TerminalError) in try await run.next() }, interrupt: { await run.interrupt() })
  }

  package func close(_ id: String) async throws(TerminalError) {
    let terminal = try terminal(id)
    terminal.hangUp()
    running.withLock { $0[id] = nil }
  }

  /// Ends all of them.
  package func end() {
    for terminal in running.withLock({ Array($0.values) }) { terminal.hangUp() }
  }

  private func terminal(_ id: String) throws(TerminalError) -> LocalTerminal {
    guard let terminal = running.withLock({ $0[id] }), !terminal.hasEnded else { throw .gone(id) }
    return terminal
  }

  private func dial(_ id: String) -> TerminalDial {
    TerminalDial(
      open: { [self] size async throws(TerminalError) in
        let terminal = try terminal(id)
        if let size { terminal.resize(to: size) }
        return terminal.connect()
      }, foreground: { [self] in (try? terminal(id)).flatMap { Foreground.words(of: $0.process.pid) } }, clock: clock)
  }
}

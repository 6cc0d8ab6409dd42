package import Chat
import Programs
import Transport

/// Those of this machine: tmux's where it is installed, for they outlive us; else, where a person stays to use them, those
/// of this process.
package struct OwnTerminals: Terminals {
  private let tmux: Tmux
  private let local: LocalTerminals?
  private let path: String?

  /// - Parameter local: nil in a run that ends at once.
  package init(_ tmux: Tmux, else local: LocalTerminals?, path: String?) {
    self.tmux = tmux
    self.local = local
    self.path = path
  }

  /// Looked for when it is needed: a start waits for no disk.
  private var terminals: any Terminals {
    guard let local, (try? Programs.find("tmux", along: path)) == nil else { return tmux }
    return local
  }

  package func list() async throws(TerminalError) -> [TerminalInfo] { try await terminals.list() }

  package func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade {
    try await terminals.make(name, in: folder)
  }

  package func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    try await terminals.attach(to: id, columns: columns, rows: rows)
  }

  package func watch(_ id: String) async throws(TerminalError) -> any TerminalLine {
    try await terminals.watch(id)
  }

  package func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    try await terminals.lines(of: id, atMost: limit)
  }

  package func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    terminals.run(command, in: id, quiet: quiet)
  }

  package func close(_ id: String) async throws(TerminalError) { try await terminals.close(id) }
}

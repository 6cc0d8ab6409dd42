import Chat
import Wire

/// The terminals of a Jupyter Server: they outlive whoever is attached.
struct JupyterTerminals: Terminals {
  let api: JupyterAPI

  func list() async throws(TerminalError) -> [TerminalInfo] {
    try await api.list().sorted { $0.id.count == $1.id.count ? $0.id < $1.id : $0.id.count < $1.id.count }
  }

  func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade {
    if let name {
      guard JupyterAPI.isName(name) else { throw .badName(name) }
      // The one that has the name would be out of reach from then on.
      guard !(try await api.list().contains { $0.id == name }) else { throw .nameTaken(name) }
    }
    return .made(id: try await api.make(name, in: folder))
  }

  func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    .line(try await LiveLine.open(dial(id), columns: columns, rows: rows))
  }

  func watch(_ id: String) async throws(TerminalError) -> any TerminalLine {
    WatchedLine(try await LiveLine.watch(dial(id)))
  }

  func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    try await PastLines.text(of: dial(id), atMost: limit)
  }

  func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    let run = WireRun(command, dial(id), id, quiet: quiet)
    return TerminalRun(
      next: { () async throws(TerminalError) in try await run.next() }, interrupt: { await run.interrupt() })
  }

  func close(_ id: String) async throws(TerminalError) { try await api.close(id) }

  private func dial(_ id: String) -> TerminalDial {
    let api = api
    return TerminalDial(
      open: { _ async throws(TerminalError) in try await api.open(id) }, clock: api.endpoint.clock)
  }
}

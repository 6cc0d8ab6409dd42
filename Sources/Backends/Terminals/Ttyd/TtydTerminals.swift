import Chat

/// The one program of a ttyd, which ends with its connection.
struct TtydTerminals: Terminals {
  /// What it is called: it has no name of its own.
  private static let id = "tty"
  let api: TtydAPI

  func list() async throws(TerminalError) -> [TerminalInfo] {
    do throws(BackendError) { _ = try await api.token() } catch {
      throw TerminalError(error)
    }
    return [TerminalInfo(id: TtydTerminals.id, name: TtydTerminals.id)]
  }

  func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    .line(try await LiveLine.open(dial, columns: columns, rows: rows))
  }

  func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    let run = WireRun(command, dial, id, quiet: quiet)
    return TerminalRun(
      next: { () async throws(TerminalError) in try await run.next() }, interrupt: { await run.interrupt() })
  }

  private var dial: TerminalDial {
    let api = api
    return TerminalDial(
      open: { size async throws(TerminalError) in try await api.open(size) }, outlives: false, clock: api.endpoint.clock
    )
  }
}

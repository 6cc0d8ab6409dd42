import Chat
import Transport

/// A look at a terminal of tmux's, by a client in control mode.
actor TmuxWatch: TerminalLine {
  private let tmux: Tmux
  private let row: TmuxRow
  private let client: ChildProcess
  private var control = TmuxControl()
  private var notices: [TerminalNotice] = []
  private var isOver = false

  nonisolated var goesOn: Bool { true }

  init(_ tmux: Tmux, _ row: TmuxRow) async throws(TerminalError) {
    self.tmux = tmux
    self.row = row
    client = try await tmux.listener(to: row.session)
  }

  func next() async throws(TerminalError) -> TerminalNotice? {
    while notices.isEmpty, !isOver {
      let bytes = await withTaskCancellationHandler {
        await client.read()
      } onCancel: {
        // Nobody else can listen to it: what is not read any more ends. The client's: it ends with it.
        Task { [client] in await client.stop() }
      }
      guard !Task.isCancelled else { throw .cancelled }
      var isGone = bytes == nil
      for notice in control.feed(bytes ?? []) {
        switch notice {
        case .output(row.pane, let bytes): notices.append(.output(bytes))
        case .exit, .changed: isGone = true
        case .output, .done: break
        }
      }
      guard isGone else { continue }
      if !(await tmux.has(pane: row.pane)) {
        await leave()
        notices.append(.ended(status: nil))
      } else if bytes == nil {
        await leave()
        throw .failed("the client of tmux's that listened to it has ended")
      }
    }
    return notices.isEmpty ? nil : notices.removeFirst()
  }

  func type(_ keys: [UInt8]) {}

  func resize(columns: Int, rows: Int) {}

  func leave() async {
    isOver = true
    await client.stop()
  }
}

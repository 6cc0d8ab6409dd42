import Chat
import Waiting

/// A connection to a shell of this process.
final class LocalWire: TerminalWire {
  private struct State {
    var isFirst = true
    var unread: [UInt8]
    var status: Int?
    var isClosed = false
    var waiter: CheckedContinuation<WireNotice?, Never>?

    /// nil while there is nothing to say; the inner one is the end of the connection.
    mutating func notice() -> WireNotice?? {
      if isClosed { return .some(nil) }
      if isFirst || !unread.isEmpty {
        defer { (isFirst, unread) = (false, []) }
        return isFirst ? .replay(unread) : .output(unread)
      }
      return status.map { .ended(status: $0) }
    }
  }

  private static let room = 1 << 20
  private let state: Locked<State>
  private let terminal: LocalTerminal
  private let forget: @Sendable () -> Void

  init(_ past: [UInt8], _ terminal: LocalTerminal, forget: @escaping @Sendable () -> Void) {
    state = Locked(State(unread: past))
    self.terminal = terminal
    self.forget = forget
  }

  deinit { forget() }

  func next() async throws(TerminalError) -> WireNotice? {
    let notice = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<WireNotice?, Never>) in
        let ready = state.withLock { state -> WireNotice?? in
          if Task.isCancelled { return .some(nil) }
          if let notice = state.notice() { return notice }
          state.waiter = waiter
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }?.resume(returning: nil)
    }
    terminal.process.wakeUp()
    if notice == nil, Task.isCancelled { throw .cancelled }
    return notice
  }

  func type(_ keys: [UInt8]) async throws(TerminalError) { terminal.process.type(keys) }

  func resize(columns: Int, rows: Int) async throws(TerminalError) {
    terminal.resize(to: TerminalSize(columns: columns, rows: rows))
  }

  func close() {
    change { $0.isClosed = true }
    forget()
  }

  // The terminal's

  var hasRoom: Bool { state.withLock { $0.isClosed || $0.unread.count < LocalWire.room } }

  func take(_ bytes: [UInt8]) { change { $0.unread += bytes } }

  func end(_ status: Int) { change { $0.status = status } }

  private func change(_ change: (inout State) -> Void) {
    let (waiter, notice) = state.withLock { state -> (CheckedContinuation<WireNotice?, Never>?, WireNotice??) in
      change(&state)
      guard let waiter = state.waiter, let notice = state.notice() else { return (nil, nil) }
      state.waiter = nil
      return (waiter, notice)
    }
    if let waiter, let notice { waiter.resume(returning: notice) }
  }
}

import Chat
import Glibc
import Transport
import Waiting

/// A shell of this process, and whoever is connected to it.
final class LocalTerminal: Sendable {
  private struct State {
    /// The end of all that it has said.
    var past: [UInt8] = []
    var lastActivity: Int
    var wires: [Int: LocalWire] = [:]
    var lastNumber = 0
    var status: Int?
  }

  /// What is kept of what it has said; about 10,000 lines and more.
  private static let pastLimit = 4 << 20

  let process: TerminalProcess
  private let name: String
  private let folder: String
  private let createdAt: Int
  private let clock: TimeSource
  private let state: Locked<State>

  init(
    _ name: String, _ shell: String, environment: [String: String], in folder: String, umask: UInt32,
    _ clock: TimeSource
  ) throws(TerminalError) {
    self.name = name
    self.folder = folder
    self.clock = clock
    createdAt = Int(clock.sinceEpoch() * 1000)
    state = Locked(State(lastActivity: createdAt))
    do throws(ChildProgram.Failure) {
      process = try TerminalProcess(
        [shell], environment: environment, in: folder, umask: umask, columns: 80, rows: 24)
    } catch { throw TerminalError(error) }
    process.begin(
      TerminalProcess.Reader(
        take: { [weak self] in self?.take($0) }, hasRoom: { [weak self] in self?.hasRoom ?? true },
        end: { [weak self] in self?.end($0) }))
  }

  var hasEnded: Bool { state.withLock { $0.status != nil } }
  var past: [UInt8] { state.withLock { $0.past } }

  var info: TerminalInfo {
    let (lastActivity, watchers) = state.withLock { ($0.lastActivity, $0.wires.count) }
    let words = Foreground.words(of: process.pid)
    let program = words?.first.map { String($0.split(separator: "/").last ?? "") }
    return TerminalInfo(
      id: name, name: name, pid: process.pid, folder: Foreground.folder(of: process.pid) ?? folder, program: program,
      hasClaude: words.map(TmuxRow.isClaude), createdAt: createdAt, lastActivity: lastActivity, watchers: watchers)
  }

  func hangUp() { process.hangUp() }

  func connect() -> LocalWire {
    state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      let wire = LocalWire(state.past, self) { [weak self] in self?.forget(number) }
      state.wires[number] = wire
      if let status = state.status { wire.end(status) }
      return wire
    }
  }

  private func forget(_ number: Int) {
    state.withLock { _ = $0.wires.removeValue(forKey: number) }
    process.wakeUp()
  }

  // The process's thread

  private var hasRoom: Bool { state.withLock { Array($0.wires.values) }.allSatisfy(\.hasRoom) }

  private func take(_ bytes: [UInt8]) {
    let now = Int(clock.sinceEpoch() * 1000)
    state.withLock { state in
      state.lastActivity = now
      state.past += bytes
      // Cut rarely: each cut moves all that stays.
      let limit = LocalTerminal.pastLimit
      if state.past.count > 2 * limit { state.past.removeFirst(state.past.count - limit) }
      for wire in state.wires.values { wire.take(bytes) }
    }
  }

  private func end(_ status: Int) {
    state.withLock { state in
      state.status = status
      for wire in state.wires.values { wire.end(status) }
    }
  }
}

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
    terminal.process.resize(columns: columns, rows: rows)
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

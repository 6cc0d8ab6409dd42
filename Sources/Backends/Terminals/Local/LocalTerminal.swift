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
    var wires: [Int: Watcher] = [:]
    var lastNumber = 0
    var size = TerminalSize(columns: 80, rows: 24)
    var status: Int?
  }

  /// One that is dropped is gone.
  private struct Watcher {
    weak var wire: LocalWire?
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
    let first = State(lastActivity: createdAt)
    state = Locked(first)
    do throws(ChildProgram.Failure) {
      process = try TerminalProcess(
        [shell], environment: environment, in: folder, umask: umask, columns: first.size.columns, rows: first.size.rows)
    } catch {
      if case .problem(let words) = error { throw .failed("no terminal can be made (\(words))") }
      throw .failed("no shell can be started in \(folder)")
    }
  }

  /// - Parameter ended: is called once, when the shell has ended.
  func begin(ended: @escaping @Sendable () -> Void) {
    process.begin(
      TerminalProcess.Reader(
        take: { [weak self] in self?.take($0) }, hasRoom: { [weak self] in self?.hasRoom ?? true },
        end: { [weak self] status in
          self?.end(status)
          ended()
        }))
  }

  var hasEnded: Bool { state.withLock { $0.status != nil } }
  var past: [UInt8] { state.withLock { $0.past } }
  /// That of the last who was attached.
  var size: TerminalSize { state.withLock { $0.size } }

  var info: TerminalInfo {
    let (lastActivity, watchers) = state.withLock { ($0.lastActivity, $0.wires.count) }
    let words = Foreground.words(of: process.pid)
    let program = words?.first.map { String($0.split(separator: "/").last ?? "") }
    return TerminalInfo(
      id: name, name: name, pid: process.pid, folder: Foreground.folder(of: process.pid) ?? folder, program: program,
      hasClaude: words.map(ForegroundWords.isClaude), createdAt: createdAt, lastActivity: lastActivity,
      watchers: watchers)
  }

  func resize(to size: TerminalSize) {
    state.withLock { $0.size = size }
    process.resize(columns: size.columns, rows: size.rows)
  }

  func hangUp() { process.hangUp() }

  func connect() -> LocalWire {
    state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      let wire = LocalWire(state.past, self) { [weak self] in self?.forget(number) }
      state.wires[number] = Watcher(wire: wire)
      if let status = state.status { wire.end(status) }
      return wire
    }
  }

  private func forget(_ number: Int) {
    state.withLock { _ = $0.wires.removeValue(forKey: number) }
    process.wakeUp()
  }

  // The process's thread

  private var hasRoom: Bool { state.withLock { $0.wires.values.compactMap(\.wire) }.allSatisfy(\.hasRoom) }

  private func take(_ bytes: [UInt8]) {
    let now = Int(clock.sinceEpoch() * 1000)
    state.withLock { state in
      state.lastActivity = now
      state.past += bytes
      // Cut rarely: each cut moves all that stays.
      let limit = LocalTerminal.pastLimit
      if state.past.count > 2 * limit { state.past.removeFirst(state.past.count - limit) }
      for watcher in state.wires.values { watcher.wire?.take(bytes) }
    }
  }

  private func end(_ status: Int) {
    state.withLock { state in
      state.status = status
      for watcher in state.wires.values { watcher.wire?.end(status) }
    }
  }
}

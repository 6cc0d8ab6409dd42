import Chat
import Foundation
import Shell
import Text
import Waiting
import Wire

/// A terminal elsewhere that has this one: its bytes come by a task of its own, keys go by another, and the loop's thread
/// reads the keyboard.
final class Attachment: Sendable {
  private enum Input: Sendable { case keys([UInt8]), size(columns: Int, rows: Int), anew(columns: Int, rows: Int) }

  private struct State {
    var screen = ScreenState()
    /// Whether nothing more may be shown.
    var isLeft = false
    var end: Result<AttachEnd, TerminalError>?
    var tasks: [Task<Void, Never>] = []
  }

  private let line: any TerminalLine
  private let loop: ConsoleLoop
  private let saying: @Sendable (TerminalNotice) -> StyledText?
  private let inputs = EventQueue<Input> { if case .size = $0 { .latest(of: 0) } else { .always } }
  private let state = Locked(State())
  /// Held while something is shown, which takes as long as the terminal does.
  private let gate = NSLock()
  /// Seconds for keys that were typed to be on their way when their terminal is left.
  private static let lastKeys = 2.0

  init(_ line: any TerminalLine, _ loop: ConsoleLoop, _ saying: @escaping @Sendable (TerminalNotice) -> StyledText?) {
    self.line = line
    self.loop = loop
    self.saying = saying
  }

  /// How the terminal ended, once it has.
  var end: Result<AttachEnd, TerminalError>? { state.withLock { $0.end } }

  // The loop's

  /// Begins, once the terminal is raw.
  func begin() {
    // Both end in `finish`.
    let tasks = [Task { await read() }, Task { await write() }]
    state.withLock { $0.tasks = tasks }
  }

  func type(_ keys: [UInt8]) {
    if !keys.isEmpty { inputs.put(.keys(keys)) }
  }

  func resize(columns: Int, rows: Int) { inputs.put(.size(columns: columns, rows: rows)) }

  func remark(_ text: StyledText) { show { $0.remark(text) } }

  /// Has it drawn anew.
  func redraw(columns: Int, rows: Int) { inputs.put(.anew(columns: columns, rows: rows)) }

  /// What was made of the screen.
  var screen: ScreenState { state.withLock { $0.screen } }

  /// Shows nothing more. - Returns: false where a terminal that does not read holds what is being shown.
  func leave(within seconds: Double) -> Bool {
    state.withLock { $0.isLeft = true }
    guard gate.lock(before: Date(timeIntervalSinceNow: seconds)) else { return false }
    gate.unlock()
    return true
  }

  // The tasks'

  private func read() async {
    var end: Result<AttachEnd, TerminalError> = .success(.ended(status: nil))
    do throws(TerminalError) {
      while let notice = try await line.next() {
        switch notice {
        case .output(let bytes):
          state.withLock { $0.screen.feed(bytes) }
          show { $0.pass(bytes) }
        case .ended(let status): end = .success(.ended(status: status))
        case .lines, .lost, .dialing, .waiting, .back: if let text = saying(notice) { remark(text) }
        }
      }
    } catch { end = .failure(error) }
    state.withLock { [end] in $0.end = end }
    loop.rouse()
  }

  private func show(_ write: (Screen) -> Void) {
    gate.withLock { if !state.withLock({ $0.isLeft }) { write(loop.screen) } }
  }

  private func write() async {
    for await input in inputs {
      switch input {
      case .keys(let keys): await line.type(keys)
      case .size(let columns, let rows): await line.resize(columns: columns, rows: rows)
      case .anew(let columns, let rows):
        // A program draws anew when its size changes.
        if rows > 1 { await line.resize(columns: columns, rows: rows - 1) }
        await line.resize(columns: columns, rows: rows)
      }
    }
  }

  /// Detaches once what was typed is on its way, and waits for both.
  func finish() async {
    inputs.finish()
    let tasks = state.withLock { $0.tasks }
    // This function's: a connection that takes nothing more is given up.
    let patience = Task { [line] in
      try? await Task.sleep(for: .seconds(Attachment.lastKeys))  // cancelled, it has ended
      await line.leave()
    }
    await tasks.last?.value
    patience.cancel()
    await line.leave()
    for task in tasks {
      task.cancel()
      await task.value
    }
  }
}

import CTerminal
import Chat
import Foundation
import Shell
import Text
import Waiting
import Wire

/// A terminal elsewhere that has this one: its bytes come by a task of its own, keys go by another, and the loop's thread
/// reads the keyboard.
final class Attachment: Sendable {
  private enum Input: Sendable { case keys([UInt8]), size(columns: Int, rows: Int) }

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
  /// Held while something is shown.
  private let gate = Locked(())

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

  /// Shows nothing more; what was made of the screen.
  func leave() -> ScreenState {
    let screen = state.withLock { state in
      state.isLeft = true
      return state.screen
    }
    gate.withLock { _ in }
    return screen
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
        case .lost, .back: if let text = saying(notice) { remark(text) }
        }
      }
    } catch { end = .failure(error) }
    state.withLock { [end] in $0.end = end }
    loop.rouse()
  }

  private func show(_ write: (Screen) -> Void) {
    gate.withLock { _ in if !state.withLock({ $0.isLeft }) { write(loop.screen) } }
  }

  private func write() async {
    for await input in inputs {
      switch input {
      case .keys(let keys): await line.type(keys)
      case .size(let columns, let rows): await line.resize(columns: columns, rows: rows)
      }
    }
  }

  /// Detaches, and waits for both.
  func finish() async {
    inputs.finish()
    await line.leave()
    let tasks = state.withLock { $0.tasks }
    for task in tasks {
      task.cancel()
      await task.value
    }
  }
}

/// Having the terminal lent to one elsewhere.
extension ConsoleLoop {
  /// nil when that one has ended by itself.
  func attach(_ attachment: Attachment) -> AttachEnd? {
    if let ending = endingSignal { return .signal(ending) }
    guard takeTerminal() else { return .detached }
    screen.leavePrompt()
    enterRaw()
    // What was typed ahead is the other terminal's.
    if options.edits, options.isInteractive, let editor { typed = editor.takeTypedAhead() }
    attachment.resize(columns: screen.size.columns, rows: screen.size.rows)
    attachment.begin()
    let end = follow(attachment)
    let left = attachment.leave()
    screen.reclaim(isAlternate: left.isAlternate, changesKeys: left.changesKeys)
    screen.wasLent()
    screen.beginLine()
    takeBack()
    if !options.isInteractive { giveBack() }
    return end
  }

  private func follow(_ attachment: Attachment) -> AttachEnd? {
    var keys = DetachKeys()
    while true {
      if attachment.end != nil { return nil }
      if !typed.isEmpty {
        var taken: [UInt8] = []
        swap(&taken, &typed)
        let (ours, wishes, rest) = keys.take(taken)
        taken.wipe()
        // What was typed behind is the next prompt's.
        typed = rest
        attachment.type(ours)
        for wish in wishes {
          switch wish {
          case .leave: return .detached
          case .help:
            attachment.remark(.text("~. detaches, ~^Z stops parley, ~~ types ~; each where a line begins", .dim))
          case .stop: stopAttached(attachment)
          }
        }
      }
      switch wait(for: [modes.descriptor, wakeDescriptor]) {
      case .ready:
        guard readTyped() else {
          end(SIGHUP)
          return .signal(SIGHUP)
        }
      case .signal(SIGWINCH): attachment.resize(columns: screen.size.columns, rows: screen.size.rows)
      case .signal(let signal) where signal == SIGTERM || signal == SIGHUP:
        end(signal)
        return .signal(signal)
      case .signal(SIGTSTP): stopAttached(attachment)
      case .signal, .order, .timeout: break
      }
    }
  }

  private func stopAttached(_ attachment: Attachment) {
    giveBack()
    console_stop()
    enterRaw()
    attachment.resize(columns: screen.size.columns, rows: screen.size.rows)
  }
}

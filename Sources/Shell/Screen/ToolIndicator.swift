import Foundation
import Text

/// The passing line while tools run: which, for how many seconds, and how far they say they are.
///
/// A class behind a lock because its ticks come from a task of its own, which ends with `stop()`.
final class ToolIndicator: @unchecked Sendable {  // all state is behind the lock
  private struct Call {
    var index: Int
    var name: SafeText
    var progress: SafeText = ""
  }

  private let terminal: any Terminal
  private let marks: ToolMarks
  private let isQuiet: Bool
  private let began: Double
  private let uptime: @Sendable () -> Double
  private let lock = NSLock()
  private var calls: [Call] = []
  /// How often the sign has turned since something was said.
  private var turns = 0
  private var isHidden = false
  private(set) var ticks: Task<Void, Never>?

  /// - Parameter pause: returns after so many seconds, and throws when its task is cancelled.
  init(
    on terminal: any Terminal, marks: ToolMarks, isQuiet: Bool = false, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  ) {
    self.terminal = terminal
    self.marks = marks
    self.uptime = uptime
    began = uptime()
    self.isQuiet = isQuiet
    guard terminal.traits.noticesAreTerminal, !isQuiet else { return }
    // Owned by the indicator: `stop()` ends it, or the end of the indicator.
    ticks = Task { [weak self] in
      while (try? await pause(0.25)) != nil {  // only cancellation throws
        guard let self else { return }
        self.tick()
      }
    }
  }

  func begin(_ index: Int, _ name: SafeText) { change { $0.append(Call(index: index, name: name)) } }

  func progress(_ index: Int, _ progress: SafeText) {
    change { calls in
      for place in calls.indices where calls[place].index == index { calls[place].progress = progress }
    }
  }

  func end(_ index: Int) { change { calls in calls.removeAll { $0.index == index } } }

  /// Makes room for a line that stays.
  func aside(_ say: () -> Void) {
    hide()
    say()
    show()
  }

  func hide() {
    lock.withLock {
      isHidden = true
      terminal.status(nil)
    }
  }

  func show() {
    lock.withLock {
      isHidden = false
      turns = 0
      draw()
    }
  }

  /// Takes the line away; nothing is shown afterwards.
  func stop() {
    ticks?.cancel()
    hide()
  }

  private func change(_ change: (inout [Call]) -> Void) {
    lock.withLock {
      change(&calls)
      turns = 0
      draw()
    }
  }

  private func tick() {
    lock.withLock {
      turns += 1
      draw()
    }
  }

  private func draw() {
    guard !isHidden, !isQuiet else { return }
    guard let last = calls.last else { return terminal.status(nil) }
    let seconds = Int(uptime() - began)
    let names = calls.map(\.name).joined(separator: ", ")
    let time: SafeText = seconds > 0 ? " \(seconds) s" : ""
    let progress = (calls.last { !$0.progress.isEmpty } ?? last).progress
    let text = marks.running(turns) + " " + names + "…" + time + (progress.isEmpty ? "" : "  ") + progress
    terminal.status(.text(text.cut(to: max(1, terminal.traits.columns - 1)), .dim))
  }
}

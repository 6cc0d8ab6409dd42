import Text
import Waiting

/// The passing line while tools run: which, for how many seconds, and how far they say they are.
///
/// A class, since its ticks come from a task of its own, which ends with `stop()`.
final class ToolIndicator: Sendable {
  private let line: Locked<Line>
  let ticks: Task<Void, Never>?

  private struct Line {
    struct Call {
      var index: Int
      var name: SafeText
      var progress: SafeText = ""
    }

    let terminal: any Terminal
    let marks: ToolMarks
    let isQuiet: Bool
    let uptime: @Sendable () -> Double
    let began: Double
    var calls: [Call] = []
    /// How often the sign has turned since something was said.
    var turns = 0
    var isHidden = false

    mutating func hide() {
      isHidden = true
      terminal.status(nil)
    }

    func draw() {
      guard !isHidden, !isQuiet else { return }
      guard let last = calls.last else { return terminal.status(nil) }
      let seconds = Int(uptime() - began)
      let names = calls.map(\.name).joined(separator: ", ")
      let time: SafeText = seconds > 0 ? " \(seconds) s" : ""
      let progress = (calls.last { !$0.progress.isEmpty } ?? last).progress
      let text = marks.running(turns) + " " + names + "…" + time + (progress.isEmpty ? "" : "  ") + progress
      let columns = terminal.traits.columns
      let shown = TurningSign.withHint(text, after: uptime() - began, columns: columns)
      terminal.status(.text(shown.cut(to: max(1, columns - 1)), .dim))
    }
  }

  /// - Parameter pause: returns after so many seconds, or when its task is cancelled.
  init(
    on terminal: any Terminal, marks: ToolMarks, isQuiet: Bool = false, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) {
    let line = Locked(Line(terminal: terminal, marks: marks, isQuiet: isQuiet, uptime: uptime, began: uptime()))
    self.line = line
    guard terminal.traits.noticesAreTerminal, !isQuiet else {
      ticks = nil
      return
    }
    // Owned by the indicator: `stop()` ends it, or the end of the indicator.
    ticks = Task {
      while true {
        await pause(0.1)
        if Task.isCancelled { return }
        line.withLock { line in
          line.turns += 1
          line.draw()
        }
      }
    }
  }

  deinit { ticks?.cancel() }

  func begin(_ index: Int, _ name: SafeText) { change { $0.append(Line.Call(index: index, name: name)) } }

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

  func hide() { line.withLock { $0.hide() } }

  func show() {
    line.withLock { line in
      line.isHidden = false
      line.turns = 0
      line.draw()
    }
  }

  /// Takes the line away; nothing is shown afterwards.
  func stop() {
    ticks?.cancel()
    hide()
  }

  private func change(_ change: (inout [Line.Call]) -> Void) {
    line.withLock { line in
      change(&line.calls)
      line.turns = 0
      line.draw()
    }
  }
}

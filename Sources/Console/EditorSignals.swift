import CTerminal
import Foundation
import Text

/// What comes from outside while a line is typed.
extension Editor {
  func receive(_ signal: Int32) {
    switch signal {
    case SIGINT: if !loop.isInterruptOfChild { interrupted() }
    case SIGTERM, SIGHUP:
      loop.end(signal)
      loop.screen.leavePrompt()
      outcome = .signal(signal, draft: line.expanded(buffer.text))
    case SIGTSTP:
      repaint()
      loop.stop()
      setModesAgain()
    case SIGCONT:
      // Stopped for reading in the background: the line is where somebody else has written meanwhile.
      guard loop.modes.isForeground else { break }
      loop.screen.leavePrompt()
      loop.takeBack()
      setModesAgain()
    case SIGWINCH:
      // One redraw for a burst of sizes, as a window being dragged makes them.
      var next = loop.wait(for: [], milliseconds: 50)
      while next == .signal(SIGWINCH) { next = loop.wait(for: [], milliseconds: 50) }
      el_resize(editLine)
      line.below = []
      loop.screen.resized()
      if case .signal(let other) = next { receive(other) }
    default: break
    }
  }

  /// Somebody else had the terminal, and set what they wanted.
  private func setModesAgain() {
    guard let modes, loop.modes.isForeground else { return }
    loop.modes.set(modes)
    el_resize(editLine)
  }

  func interrupted() {
    let text = buffer.text
    line.search = nil
    finish(text, mark: [Span("^C")])
    outcome = .interrupted(hadText: !text.isEmpty)
  }
}

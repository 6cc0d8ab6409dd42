import CTerminal
import Foundation

/// Whose the terminal's modes are: ours, a child's, those of a terminal elsewhere.
extension ConsoleLoop {
  /// Makes the terminal ours until the process ends; false where standard input is none.
  func takeTerminal() -> Bool {
    if modes.isRemembered { return true }
    guard modes.remember(output: screen.promptDescriptor) else { return false }
    takeBack()
    return true
  }

  /// Sets the modes for the time between prompts. Pastes stay marked: typed ahead, they must not become many messages.
  func takeBack() {
    guard modes.isRemembered, modes.isForeground else { return }
    console_touched(true, true)
    modes.set(TerminalModes.waiting)
    if isGivenBack { linesTypedAhead = Int(console_pending(modes.descriptor)) }
    isGivenBack = false
    guard options.edits, !marksPastes else { return }
    marksPastes = true
    screen.tell("\u{1B}[?2004h")
  }

  /// Sets the modes for a terminal elsewhere: pastes are marked where that one wants them so, and no key acts here.
  func enterRaw() {
    guard modes.isRemembered, modes.isForeground else { return }
    if marksPastes { screen.tell("\u{1B}[?2004l") }
    marksPastes = false
    console_touched(true, true)
    modes.set(TerminalModes.raw)
    isGivenBack = false
  }

  /// Gives the terminal back as it was found, for a child or while the process is stopped.
  func giveBack() {
    guard modes.isRemembered, modes.isForeground else { return }
    if marksPastes { screen.tell("\u{1B}[?2004l") }
    marksPastes = false
    modes.set(console_original())
    console_touched(false, false)
    isGivenBack = true
  }
}

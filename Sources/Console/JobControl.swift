import CTerminal
import Foundation
import Text

/// Being one job among others of the person's shell: what waits in the terminal is read in front only.
extension ConsoleLoop {
  /// Stops the process as Ctrl-Z does; returns when it goes on.
  func stop() {
    screen.leavePrompt()
    keepTyped()
    giveBack()
    console_stop()
    waitForForeground()
    takeBack()
  }

  /// What waits in the terminal would be read by the shell that takes over.
  func keepTyped() {
    guard modes.isRemembered, modes.isForeground else { return }
    while hasTyped(within: 0), readTyped() {}
  }

  /// Discards the input typed so far. Shows a notice if it contained text.
  func discardTyped() {
    let hadText = TypedAhead.text(of: typed).contains { !$0.isWhitespace }
    typed.wipe()
    if hadText { screen.write([Span("what was typed before this prompt was discarded\n", .warning)], to: .notices) }
  }

  /// Takes what was typed while a child had the terminal: there Enter made a newline, which to the editor is a line
  /// of the same message.
  func keepTypedToChild() {
    let before = typed.count
    keepTyped()
    for index in typed.indices.dropFirst(before) where typed[index] == UInt8(ascii: "\n") {
      typed[index] = UInt8(ascii: "\r")
    }
  }

  /// Whether the terminal has input, without a look at the signals.
  func hasTyped(within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: modes.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) > 0
  }

  /// Whoever goes on in the background can neither draw a line nor read one: it is stopped again until it is in front.
  func waitForForeground() {
    // A limit, for a job that nothing stops and a signal that nobody looks at.
    for _ in 0..<100 where !isStoppedInBackground() { return }
  }

  /// Stops the job where it would read in the background, as the read itself would, which would go on waiting afterwards:
  /// what the terminal became meanwhile is looked at first. - Returns: false where it may read, or where nobody could make
  /// it go on, and so nothing stops it.
  private func isStoppedInBackground() -> Bool {
    guard modes.isBackground else { return false }
    kill(0, SIGTTIN)
    // Whoever makes it go on is noted.
    var polled = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 200) != 0
  }

  /// Takes what waits in the terminal; false at its end.
  func readTyped() -> Bool {
    if isStoppedInBackground() { return true }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = Foundation.read(modes.descriptor, &bytes, bytes.count)
    let isOpen = count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN))
    // The terminal's own line mode made a line feed of each Enter, which the editor takes for a new line of a message.
    for index in 0..<max(0, min(count, linesTypedAhead)) where bytes[index] == 0x0A { bytes[index] = 0x0D }
    linesTypedAhead -= min(linesTypedAhead, max(0, count))
    typed += bytes[..<max(0, count)]
    // It may have been typed ahead for a prompt that hides it.
    bytes.wipe()
    return isOpen
  }
}

import CTerminal
import Glibc

/// The modes of the terminal on standard input, for the three situations a shell is in. Nothing typed is ever thrown away
/// on a change.
struct TerminalModes {
  private(set) var isRemembered = false
  let descriptor = STDIN_FILENO

  /// Keeps the modes as they were found; false where standard input is no terminal.
  mutating func remember(output: Int32) -> Bool {
    if !isRemembered { isRemembered = isatty(descriptor) == 1 && console_remember(descriptor, output) }
    return isRemembered
  }

  /// While an answer is written: what is typed is not echoed, comes byte by byte, and waits for the next prompt.
  static var waiting: termios {
    var modes = console_original()
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | IEXTEN)
    modes.c_lflag |= tcflag_t(ISIG | NOFLSH)
    modes.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR)
    modes.c_oflag |= tcflag_t(OPOST | ONLCR)
    withUnsafeMutablePointer(to: &modes.c_cc) {
      $0.withMemoryRebound(to: cc_t.self, capacity: Int(NCCS)) {
        $0[Int(VMIN)] = 1
        $0[Int(VTIME)] = 0
      }
    }
    return modes
  }

  /// While a secret is typed: every byte is ours, so that a paste may hold any and Ctrl-C comes in its order.
  static var hidden: termios {
    var modes = waiting
    modes.c_lflag &= ~tcflag_t(ISIG)
    modes.c_iflag &= ~tcflag_t(IXON | ISTRIP)
    return modes
  }

  /// While a terminal elsewhere has this one: every byte goes there as it was typed, and comes as it was sent.
  static var raw: termios {
    var modes = console_original()
    cfmakeraw(&modes)
    return modes
  }

  /// Characters of the terminal that act at once: interrupt, suspend, quit.
  static var acting: (interrupt: UInt8, suspend: UInt8, quit: UInt8) {
    var modes = console_original()
    return withUnsafePointer(to: &modes.c_cc) {
      $0.withMemoryRebound(to: cc_t.self, capacity: Int(NCCS)) {
        ($0[Int(VINTR)], $0[Int(VSUSP)], $0[Int(VQUIT)])
      }
    }
  }

  var current: termios? {
    var modes = termios()
    return tcgetattr(descriptor, &modes) == 0 ? modes : nil
  }

  /// Whether the terminal is ours to change: a job in the background would be stopped for it.
  var isForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Whether another job has the terminal; one that is gone is nobody's.
  var isBackground: Bool {
    let group = tcgetpgrp(descriptor)
    return group > 0 && group != getpgrp()
  }

  /// At once: what was written before has been through the old modes already, and to wait until it is out takes for ever,
  /// signals or not, where another program is stuck in a write to the terminal.
  func set(_ modes: termios) {
    var modes = modes
    while tcsetattr(descriptor, TCSANOW, &modes) == -1, errno == EINTR {}
  }
}

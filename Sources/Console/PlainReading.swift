import CTerminal
import Foundation
import Shell
import Text

/// Reading without the line editor.
extension ConsoleLoop {
  /// One line in the terminal's own line mode, which edits and echoes by itself.
  func readPlainly(_ request: LineRequest) -> LineResult {
    giveBack()
    // The terminal keeps whole lines to itself: they cannot be put back, and must not answer what nobody has seen.
    if request.leavesTypedAhead, isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) }
    if isatty(STDIN_FILENO) == 1 {
      let channel: Channel = screen.outputIsTerminal ? .output : .notices
      if !request.initial.isEmpty { screen.write(.text("Enter alone: \(request.initial)\n", .dim), to: channel) }
      screen.write(request.prompt, to: channel)
    }
    var line: [UInt8] = []
    while true {
      switch wait(for: [STDIN_FILENO]) {
      case .ready:
        var byte: UInt8 = 0
        let count = Foundation.read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        if count < 0 { return terminalGone() }
        if count == 0 { return line.isEmpty ? .end : .line(request.whole(String(decoding: line, as: UTF8.self))) }
        if byte == UInt8(ascii: "\n") {
          screen.wasEchoed()
          return .line(request.whole(String(decoding: line, as: UTF8.self)))
        }
        line.append(byte)
      case .signal(SIGINT):
        screen.write([Span("\n")], to: .notices)
        return .interrupted(hadText: !line.isEmpty)
      case .signal(let signal) where signal == SIGTERM || signal == SIGHUP:
        end(signal)
        return .signal(signal)
      case .signal(SIGTSTP): console_stop()
      default: break
      }
    }
  }

  /// The terminal hung up.
  func terminalGone() -> LineResult {
    end(SIGHUP)
    return .signal(SIGHUP)
  }
}

import CTerminal
import Foundation
import Shell
import Text

/// Reading without the line editor.
extension ConsoleLoop {
  /// One line in the terminal's own line mode, which edits and echoes by itself.
  func readPlainly(_ request: LineRequest) -> LineResult {
    giveBack()
    let isTerminal = isatty(STDIN_FILENO) == 1
    var aside: [UInt8] = []
    if isTerminal, request.typedAhead != .accepted {
      keepWholeLines()
      if request.typedAhead == .discarded { discardTyped() }
      swap(&aside, &typed)
    }
    defer { typed = aside + typed }
    if isTerminal {
      let channel: Channel = screen.outputIsTerminal ? .output : .notices
      if !request.initial.isEmpty { screen.write(.text("Enter alone: \(request.initial)\n", .dim), to: channel) }
      screen.write(request.prompt, to: channel)
      if let end = typed.firstIndex(where: { [0x0A, 0x0D].contains($0) }) {
        let line = String(decoding: typed[..<end], as: UTF8.self)
        typed.removeSubrange(...end)
        screen.write([Span(Filter.inline(line) + "\n")], to: channel)
        return .line(request.whole(line))
      }
      screen.write([Span(Filter.inline(String(decoding: typed, as: UTF8.self)))], to: channel)
    }
    // The read that returned a secret may also have returned the beginning of the next line.
    var line = typed
    typed = []
    while true {
      switch wait(for: [STDIN_FILENO]) {
      case .ready:
        var byte: UInt8 = 0
        let count = Foundation.read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        if count < 0 { return terminalGone() }
        if count == 0 { return line.isEmpty ? .end : .line(request.whole(String(decoding: line, as: UTF8.self))) }
        if byte == UInt8(ascii: "\n") {
          if line.last == UInt8(ascii: "\r") { line.removeLast() }
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

  /// Reads the complete lines that are waiting on the terminal. The beginning of an incomplete line is discarded, because
  /// the answer to the question must not start with it.
  private func keepWholeLines() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while hasTyped(within: 0) {
      let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
      guard count > 0 else { break }
      typed += bytes[..<count]
    }
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// The terminal hung up.
  func terminalGone() -> LineResult {
    end(SIGHUP)
    return .signal(SIGHUP)
  }
}

import CTerminal
import Foundation
import Shell
import Text

/// Reading without the line editor.
extension ConsoleLoop {
  /// One line in the terminal's own line mode, which edits and echoes by itself.
  func readPlainly(_ request: LineRequest) -> LineResult {
    giveBack()
    if isatty(STDIN_FILENO) == 1 {
      screen.write(request.prompt + [Span("\(request.initial)")], to: screen.outputIsTerminal ? .output : .notices)
    }
    var line: [UInt8] = []
    while true {
      switch wait(for: [STDIN_FILENO]) {
      case .ready:
        var byte: UInt8 = 0
        let count = Foundation.read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        if count < 0 { return terminalGone() }
        if count == 0 { return line.isEmpty ? .end : .line(request.initial + String(decoding: line, as: UTF8.self)) }
        if byte == UInt8(ascii: "\n") {
          screen.wasEchoed()
          return .line(request.initial + String(decoding: line, as: UTF8.self))
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

  /// One line that is not shown, not recalled and not seen by the line editor.
  func readSecret(_ prompt: StyledText) -> LineResult {
    guard takeTerminal() else { return .end }
    screen.write(prompt, to: .notices)
    defer { screen.write([Span("\n")], to: .notices) }
    var secret: [UInt8] = []
    while true {
      switch wait(for: [STDIN_FILENO]) {
      case .ready:
        var byte: UInt8 = 0
        let count = Foundation.read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count > 0 else { return terminalGone() }
        switch byte {
        case 0x0D, 0x0A: return .line(Self.withoutPasteMarks(secret))
        case 0x04 where secret.isEmpty: return .end
        case 0x15: secret = []
        case 0x08, 0x7F:
          while let last = secret.popLast(), last & 0xC0 == 0x80 {}
        default: secret.append(byte)
        }
      case .signal(SIGINT): return .interrupted(hadText: !secret.isEmpty)
      case .signal(let signal) where signal == SIGTERM || signal == SIGHUP:
        end(signal)
        return .signal(signal)
      case .signal(SIGTSTP):
        stop()
        screen.write(prompt, to: .notices)
      case .signal(SIGCONT): takeBack()
      default: break
      }
    }
  }

  /// The terminal hung up.
  func terminalGone() -> LineResult {
    end(SIGHUP)
    return .signal(SIGHUP)
  }

  private static func withoutPasteMarks(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
      .replacingOccurrences(of: "\u{1B}[200~", with: "").replacingOccurrences(of: "\u{1B}[201~", with: "")
  }
}

import CProcess
import Glibc

/// How a command ended: by itself with an exit code, or by a signal. One of the two is nil.
package struct CommandEnd: Sendable, Equatable {
  package let exitCode: Int32?
  /// Such as `SIGKILL`.
  package let signal: String?

  package init(exitCode: Int32) { (self.exitCode, signal) = (exitCode, nil) }

  package init(signal number: Int32) {
    let name = process_signal_name(number).map { String(cString: $0) }
    (exitCode, signal) = (nil, "SIG" + (name ?? "\(number)"))
  }

  /// - Parameter status: as `waitpid` gives it.
  init(status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? CommandEnd(exitCode: (status >> 8) & 0xFF) : CommandEnd(signal: signal)
  }
}

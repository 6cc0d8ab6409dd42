import Glibc
package import Shell

/// Whether a channel is a terminal, for the decisions that come before there is a `ConsoleTerminal`.
package func isTerminal(_ channel: Channel) -> Bool {
  isatty(channel == .output ? STDOUT_FILENO : STDERR_FILENO) == 1
}

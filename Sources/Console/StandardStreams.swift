import Glibc
package import Shell

/// Whether a channel is a terminal, for the decisions that come before there is a `ConsoleTerminal`.
package func isTerminal(_ channel: Channel) -> Bool {
  isatty(channel == .output ? STDOUT_FILENO : STDERR_FILENO) == 1
}

/// Standard input and output, for a program that speaks with us; nil where a person would see what is meant for it, and
/// nothing of it has passed the filter.
package func streamsOfProgram() -> (input: Int32, output: Int32)? {
  isTerminal(.output) ? nil : (STDIN_FILENO, STDOUT_FILENO)
}

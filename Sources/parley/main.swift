import Console
import Glibc
import Invocation
import Text

// Signals are blocked before any other thread exists, so that none of them takes one.
hardenProcess()

let exitStatus: Int32
switch CommandLineReading(CommandLine.arguments.dropFirst()) {
case .show(let text):
  ConsoleTerminal(ConsoleOptions(isInteractive: false)).write(.text(Filter.block(text) + "\n"), to: .output)
  exitStatus = 0
case .wrong(let complaint):
  ConsoleTerminal(ConsoleOptions(isInteractive: false)).write(.text(Filter.block(complaint) + "\n"), to: .notices)
  exitStatus = 2
case .run(let options):
  exitStatus = Run(options).wait()
}
exit(exitStatus)

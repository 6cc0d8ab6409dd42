import Console
import Foundation
import Invocation
import Text

// Before any other thread exists, which would take signals that are not for it.
hardenProcess()
let environment = ProcessInfo.processInfo.environment
// No other thread reads the environment yet.
for name in Keys.variables { unsetenv(name) }

let exitStatus: Int32
switch CommandLineReading(programArguments()) {
case .show(let text):
  let terminal = ConsoleTerminal(ConsoleOptions(isInteractive: false))
  terminal.write(.text(Filter.block(text) + "\n"), to: .output)
  exitStatus = terminal.outputFailure == nil ? 0 : 1
case .complete(let line):
  ConsoleTerminal(ConsoleOptions(isInteractive: false)).write(.text(Completing.rows(line)), to: .output)
  exitStatus = 0
case .wrong(let error):
  let complaint: StyledText =
    .text("error: ", .error) + .text("\(error.text)\n") + .text("hint: ", .hint) + .text("\(error.hint)\n")
  ConsoleTerminal(ConsoleOptions(isInteractive: false)).write(complaint, to: .notices)
  exitStatus = 2
case .run(let options):
  exitStatus = Run(options, environment).wait()
}
leaveProcess(exitStatus)

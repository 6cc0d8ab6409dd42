import Console
import Foundation
import Invocation
import Shell
import Text

// Before any other thread exists, which would take signals that are not for it.
hardenProcess()
let environment = ProcessInfo.processInfo.environment
// No other thread reads the environment yet.
for name in Keys.variables { unsetenv(name) }

let exitStatus: Int32
switch CommandLineReading(programArguments()) {
case .show(let text): exitStatus = show(.text(Filter.block(text) + "\n"))
case .complete(let line): exitStatus = show(.text(Completing.rows(line)))
case .wrong(let error):
  let complaint: StyledText =
    .text("error: ", .error) + .text("\(error.text)\n") + .text("hint: ", .hint) + .text("\(error.hint)\n")
  ConsoleTerminal(ConsoleOptions(isInteractive: false)).write(complaint, to: .notices)
  exitStatus = 2
case .run(let options):
  exitStatus = Run(options, environment).wait()
}
leaveProcess(exitStatus)

/// Writes to standard output. Returns the exit status.
private func show(_ text: StyledText) -> Int32 {
  let terminal = ConsoleTerminal(ConsoleOptions(isInteractive: false))
  terminal.write(text, to: .output)
  guard let reason = terminal.outputFailure else { return 0 }
  let complaint = Complaint.unwritten(reason)
  terminal.write(.text("error: ", .error) + .text(complaint.text + "\n"), to: .notices)
  return complaint.status.rawValue
}

import Console
import Dispatch
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
  let done = DispatchSemaphore(value: 0)
  let run = Run(options)
  // The program's only task of its own; the main thread waits for its end.
  Task {
    await run.main()
    done.signal()
  }
  done.wait()
  exitStatus = run.status
}
exit(exitStatus)

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Process {
  /// Ends it for sure: the threads of tasks have nearly all signals blocked, which what they start inherits, so
  /// `terminate()` may do nothing.
  package func kill() {
    // Of one that was never started the number is 0, which would mean all of us.
    guard isRunning, processIdentifier > 0 else { return }
    _ = Foundation.kill(processIdentifier, SIGKILL)
  }
}

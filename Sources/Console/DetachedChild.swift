import CTerminal
import Foundation
package import Shell

/// A program of its own, which outlives this one and has nothing of its terminal: nothing to read, and what it writes is
/// thrown away.
enum DetachedChild {
  /// - Parameters:
  ///   - path: of the program, absolute.
  ///   - ended: told of its exit status as a shell counts it, on a thread of its own.
  /// - Returns: 0, or the error number of why it was not started.
  static func start(
    _ path: String, _ arguments: [String], _ environment: [String: String],
    ended: @escaping @Sendable (Int32) -> Void = { _ in }
  ) -> Int32 {
    // Our private umask is not for the files that it makes; posix_spawn cannot set another.
    let mask = String(console_original_umask(), radix: 8)
    var words = (["sh", "-c", "umask \(mask); exec \"$@\"", "sh", path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var child: pid_t = 0
    let problem = console_spawn_detached(&child, "/bin/sh", &words, &variables)
    if problem != 0 { return problem }
    let started = child
    // Its own thread, which waits for the end of the child so that no zombie is left; it ends with the process.
    Thread.detachNewThread {
      var status: Int32 = 0
      var waited: pid_t
      repeat { waited = waitpid(started, &status, 0) } while waited < 0 && errno == EINTR
      if waited == started { ended(ConsoleLoop.exitStatus(ofWait: status)) }
    }
    return 0
  }
}

extension ConsoleTerminal {
  package func start(
    _ command: ChildCommand, ended: @escaping @Sendable (Int32) -> Void
  ) throws(ChildError) {
    let program = command.arguments.first ?? ""
    guard let path = ConsoleLoop.path(of: program) else {
      throw .notStarted(program: program, reason: String(cString: strerror(errno)))
    }
    let problem = DetachedChild.start(
      path, Array(command.arguments.dropFirst()), ConsoleLoop.environment(of: command), ended: ended)
    if problem != 0 { throw .notStarted(program: program, reason: String(cString: strerror(problem))) }
  }
}

import CProcess
import Glibc
import Waiting

/// A program on a pseudo-terminal of its own, whose session it leads. It is hung up when that is asked for, or when this
/// process ends, however that comes: the system tells it then, and one that does not listen lives on.
package final class TerminalProcess: Sendable {
  /// Who takes what it says. The calls come from a thread of its own, in order.
  package struct Reader: Sendable {
    package var take: @Sendable ([UInt8]) -> Void
    /// Whether more may come; `wakeUp` says that it may again.
    package var hasRoom: @Sendable () -> Bool
    /// - Parameter status: that of a shell, 128 and the signal when one ended it.
    package var end: @Sendable (_ status: Int) -> Void

    package init(
      take: @escaping @Sendable ([UInt8]) -> Void, hasRoom: @escaping @Sendable () -> Bool,
      end: @escaping @Sendable (_ status: Int) -> Void
    ) {
      self.take = take
      self.hasRoom = hasRoom
      self.end = end
    }
  }

  private struct State {
    /// -1 when it is closed.
    var master: Int32
    var wake: Int32
    var unsent: ArraySlice<UInt8> = []
    var isHungUp = false
  }

  package let pid: Int
  private let state: Locked<State>
  /// Seconds for a program that was hung up.
  private static let grace: Int32 = 2

  /// - Parameters:
  ///   - command: an absolute path, and what it is called with.
  ///   - environment: all that it is told.
  ///   - folder: where it starts.
  ///   - umask: for the files that it makes.
  package init(
    _ command: [String], environment: [String: String], in folder: String, umask: UInt32, columns: Int, rows: Int
  ) throws(ChildProgram.Failure) {
    var words = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var child: pid_t = 0
    var modes = termios()
    let master = process_start_on_terminal(
      &words, &variables, folder, umask, Int32(rows), Int32(columns), &child, &modes)
    guard master >= 0 else { throw .problem(String(cString: strerror(errno))) }
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    pid = Int(child)
    state = Locked(State(master: master, wake: process_wake()))
  }

  /// Begins to read, once.
  package func begin(_ reader: Reader) {
    // Its own, until the program has ended.
    ChildThread.detach { [self] in
      process_name_thread("terminal")
      run(reader)
    }
  }

  // From any thread

  package func type(_ keys: [UInt8]) {
    state.withLock { $0.unsent += keys }
    wakeUp()
  }

  package func resize(columns: Int, rows: Int) {
    state.withLock { if $0.master >= 0 { process_resize_terminal($0.master, Int32(rows), Int32(columns)) } }
  }

  package func hangUp() {
    state.withLock { $0.isHungUp = true }
    wakeUp()
  }

  package func wakeUp() {
    var one: UInt64 = 1
    state.withLock { if $0.wake >= 0 { _ = Glibc.write($0.wake, &one, 8) } }
  }

  // The thread's

  private func run(_ reader: Reader) {
    let ended = process_child_descriptor(pid_t(pid))
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    var (master, wake) = state.withLock { ($0.master, $0.wake) }
    while true {
      let (isHungUp, hasUnsent) = state.withLock { ($0.isHungUp, !$0.unsent.isEmpty) }
      if isHungUp { break }
      let events = (reader.hasRoom() ? POLLIN : 0) | (hasUnsent ? POLLOUT : 0)
      var polled = [
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        // One that nothing is asked of would still say that it was hung up.
        pollfd(fd: events == 0 ? -1 : master, events: Int16(events), revents: 0),
        pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
      ]
      poll(&polled, nfds_t(polled.count), -1)
      var count: UInt64 = 0
      if polled[0].revents != 0 { _ = Glibc.read(wake, &count, 8) }
      if polled[1].revents & Int16(POLLOUT) != 0 { send(to: master) }
      if polled[1].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, !read(master, &chunk, reader) { break }
      guard polled[2].revents != 0 else { continue }
      // What it said last; others that it started may hold the terminal for ever.
      while read(master, &chunk, reader, whileThereIs: true) {}
      break
    }
    state.withLock { state in
      Glibc.close(state.master)
      Glibc.close(state.wake)
      (state.master, state.wake, state.unsent) = (-1, -1, [])
    }
    (master, wake) = (-1, -1)
    reader.end(collect(ended))
    if ended >= 0 { Glibc.close(ended) }
  }

  /// False at the end, or where there is nothing more.
  private func read(
    _ master: Int32, _ chunk: inout [UInt8], _ reader: Reader, whileThereIs isLast: Bool = false
  ) -> Bool {
    let count = Glibc.read(master, &chunk, chunk.count)
    if count > 0 {
      reader.take(Array(chunk[..<count]))
      return true
    }
    return count < 0 && (errno == EINTR || errno == EAGAIN && !isLast)
  }

  private func send(to master: Int32) {
    state.withLock { state in
      let count = state.unsent.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
      // A slice moves nothing.
      if count > 0 { state.unsent = state.unsent.dropFirst(count) }
    }
  }

  /// Waits for the program, and kills one that does not go when it is hung up.
  private func collect(_ ended: Int32) -> Int {
    var polled = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
    if ended < 0 || poll(&polled, 1, TerminalProcess.grace * 1000) == 0 { kill(pid_t(pid), SIGKILL) }
    var status: Int32 = 0
    while waitpid(pid_t(pid), &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return Int(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
  }
}

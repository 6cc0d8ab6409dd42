import CProcess
import Glibc
import Programs

/// A program that keeps secrets. It has a process group of its own, which is killed when it has answered or the time
/// is over (docs/rules.md C2).
struct SecretProgram {
  let path: String
  private let environment: [String]

  struct Answer {
    /// That of the shell: 128 and the signal when one ended it.
    var status: Int32
    var output: [UInt8]
    var complaint: [UInt8]
  }

  enum Failure: Error {
    case notStarted(Int32)
    case noAnswer
    case tooLong
  }

  /// nil when the program is not installed.
  init?(_ name: String, _ environment: [String: String]) {
    // One that may not be run is as good as none.
    guard let path = try? Programs.find(name, along: environment["PATH"]) else { return nil }
    self.path = path
    self.environment = environment.filter { !SecretProgram.isSecret($0.key) }.map { "\($0.key)=\($0.value)" }
  }

  /// Whether a variable is one of those that carry secrets: such a program needs none of them.
  static func isSecret(_ variable: String) -> Bool {
    let name = variable.uppercased()
    let endings = [
      "_TOKEN", "API_KEY", "APIKEY", "_SECRET", "_PASSWORD", "_PASSWD", "_SECRET_KEY", "_ACCESS_KEY", "_CREDENTIALS",
    ]
    return endings.contains(where: name.hasSuffix)
  }

  func run(
    _ arguments: [String], _ input: [UInt8], until deadline: Deadline
  ) throws(Failure) -> Answer {
    guard !deadline.isOver else { throw .noAnswer }
    var started = try start(arguments)
    defer { started.end() }
    var input = input[...]
    var answer = Answer(status: 0, output: [], complaint: [])
    while true {
      // Asked first: what it wrote before its end is then read below.
      let hasEnded = started.hasEnded
      started.write(&input)
      started.read(&answer)
      guard answer.output.count + answer.complaint.count < 1 << 20 else { throw .tooLong }
      if hasEnded { break }
      guard !deadline.isOver else { throw .noAnswer }
      started.wait(isWriting: !input.isEmpty)
    }
    answer.status = started.end()
    return answer
  }

  private func start(_ arguments: [String]) throws(Failure) -> Started {
    let pipes = [Pipe(), Pipe(), Pipe()]
    var child: pid_t = 0
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { (words + variables).forEach { free($0) } }
    let ends = [pipes[0].reading, pipes[1].writing, pipes[2].writing]
    let code = process_spawn(&child, path, &words, &variables, ends, 3, false, nil)
    close(pipes[0].reading)
    close(pipes[1].writing)
    close(pipes[2].writing)
    let started = Started(
      child: child, input: pipes[0].writing, output: pipes[1].reading, complaint: pipes[2].reading)
    guard code == 0 else {
      started.closeAll()
      throw .notStarted(code)
    }
    return started
  }

  private struct Pipe {
    var reading: Int32 = -1
    var writing: Int32 = -1

    init() {
      var ends: [Int32] = [-1, -1]
      if process_pipe(&ends) == 0 { (reading, writing) = (ends[0], ends[1]) }
    }
  }
}

/// The program while it runs.
private struct Started {
  private var child: pid_t
  private var input: Int32
  private var output: Int32
  private var complaint: Int32
  private var status: Int32 = -1

  init(child: pid_t, input: Int32, output: Int32, complaint: Int32) {
    (self.child, self.input, self.output, self.complaint) = (child, input, output, complaint)
    for descriptor in [input, output, complaint] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  /// Whether the program itself has ended, which is not collected yet: its group stays ours as long.
  var hasEnded: Bool {
    var facts = siginfo_t()
    return waitid(P_PID, id_t(child), &facts, WEXITED | WNOHANG | WNOWAIT) != 0 || facts.si_signo == SIGCHLD
  }

  /// Waits for news for a moment; an end without output is not news to poll.
  func wait(isWriting: Bool) {
    var polled = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
    polled.append(pollfd(fd: complaint, events: Int16(POLLIN), revents: 0))
    if isWriting { polled.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
    poll(&polled, nfds_t(polled.count), 5)
  }

  /// Gives it what it takes now; its standard input ends with the last byte.
  mutating func write(_ bytes: inout ArraySlice<UInt8>) {
    guard input >= 0 else { return }
    while !bytes.isEmpty {
      let count = Started.write(bytes, to: input)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      // It reads no more, which may be right: its status says.
      bytes = count < 0 ? [] : bytes.dropFirst(count)
    }
    close(input)
    input = -1
  }

  mutating func read(_ answer: inout SecretProgram.Answer) {
    Started.read(&output, into: &answer.output)
    Started.read(&complaint, into: &answer.complaint)
  }

  func closeAll() {
    for descriptor in [input, output, complaint] where descriptor >= 0 { close(descriptor) }
  }

  /// Kills what is left of the group and collects the program; how it ended.
  @discardableResult
  mutating func end() -> Int32 {
    guard child > 0 else { return status }
    kill(-child, SIGKILL)
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    status = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    child = 0
    closeAll()
    return status
  }

  private static func read(_ descriptor: inout Int32, into bytes: inout [UInt8]) {
    guard descriptor >= 0 else { return }
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < 1 << 20 {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      if count <= 0 {
        close(descriptor)
        descriptor = -1
        return
      }
      bytes += chunk[..<count]
    }
  }

  /// Without the signal that a program gets which writes to nobody.
  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    let code = errno
    if count < 0, code == EPIPE {
      var now = timespec()
      sigtimedwait(&pipe, nil, &now)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = code
    return count
  }
}

import CProcess
import Glibc

/// Our ends of the pipes to a program and its keeper. None of them waits; one that is closed is negative.
struct ChildPipes {
  let keeper: pid_t
  private(set) var input: Int32
  private(set) var output: Int32
  private(set) var complaint: Int32
  /// What the keeper reports.
  private(set) var report: Int32
  /// Its end is the keeper's sign to end.
  private var control: Int32

  /// - Parameter isCommand: whether it is not spoken with: it has nothing to read, and its complaints are among its
  ///   output.
  init(starting program: ChildProgram, umask: UInt32, isCommand: Bool = false) throws(ChildProgram.Failure) {
    var ends = Ends()
    do throws(ChildProgram.Failure) {
      let (output, control, report) = (try ends.pipe(), try ends.pipe(), try ends.pipe())
      let input = isCommand ? (reading: try ends.nothing(), writing: -1) : try ends.pipe()
      let complaint = isCommand ? (reading: -1, writing: output.writing) : try ends.pipe()
      keeper = try ChildPipes.start(
        program, umask, [input.reading, output.writing, complaint.writing], hasInput: !isCommand,
        control: control.reading, report: report.writing)
      ends.close(Set([input.reading, output.writing, complaint.writing, control.reading, report.writing]))
      (self.input, self.output, self.complaint) = (input.writing, output.reading, complaint.reading)
      (self.control, self.report) = (control.writing, report.reading)
    } catch {
      ends.close(ends.open)
      throw error
    }
    for end in [input, output, complaint, report] where end >= 0 { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  private static func start(
    _ program: ChildProgram, _ umask: UInt32, _ descriptors: [Int32], hasInput: Bool, control: Int32, report: Int32
  ) throws(ChildProgram.Failure) -> pid_t {
    var words = program.arguments.map { strdup($0) } + [nil]
    var variables = program.variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var keeper: pid_t = 0
    let code = process_spawn_kept(
      &keeper, program.path, &words, &variables, descriptors, hasInput, control, report, umask, program.folder)
    guard code == 0 else { throw .system(code) }
    return keeper
  }

  mutating func closeInput() { ChildPipes.close(&input) }
  mutating func closeOutput() { ChildPipes.close(&output) }
  mutating func closeComplaint() { ChildPipes.close(&complaint) }
  mutating func closeReport() { ChildPipes.close(&report) }
  mutating func closeControl() { ChildPipes.close(&control) }

  private static func close(_ end: inout Int32) {
    if end >= 0 { Glibc.close(end) }
    end = -1
  }

  /// What came of reading.
  enum Reading {
    case bytes(Int)
    case end
    /// Nothing now.
    case none
  }

  static func read(_ end: Int32, into chunk: inout [UInt8]) -> Reading {
    while true {
      let count = Glibc.read(end, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return .none }
      return count > 0 ? .bytes(count) : .end
    }
  }

  /// What the keeper says.
  enum Report {
    case started(pid_t)
    case failed(ChildProgram.Failure)
    /// As `waitpid` gives it.
    case ended(Int32)
    /// The keeper has ended, and with it all it kept.
    case over
    /// Nothing now.
    case none
  }

  func nextReport() -> Report {
    guard report >= 0 else { return .none }
    while true {
      var words = process_report()
      let count = Glibc.read(report, &words, MemoryLayout<process_report>.size)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return .none }
      guard count == MemoryLayout<process_report>.size else { return .over }
      switch process_report_kind(UInt32(words.kind)) {
      case process_report_started: return .started(words.value)
      case process_report_failed: return .failed(.system(words.value))
      default: return .ended(words.value)
      }
    }
  }

  /// Has the system forget the keeper that has ended.
  mutating func collectKeeper() {
    var status: Int32 = 0
    while waitpid(keeper, &status, 0) < 0, errno == EINTR {}
    closeReport()
  }
}

/// The descriptors that are open while a program is started.
private struct Ends {
  private(set) var open: Set<Int32> = []

  mutating func pipe() throws(ChildProgram.Failure) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard process_pipe(&ends) == 0 else { throw .system(errno) }
    open.formUnion(ends)
    return (ends[0], ends[1])
  }

  /// An input that has ended. No pipe, as some programs search what they are given by one instead of their folder.
  mutating func nothing() throws(ChildProgram.Failure) -> Int32 {
    let end = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard end >= 0 else { throw .system(errno) }
    open.insert(end)
    return end
  }

  mutating func close(_ some: Set<Int32>) {
    for end in some { Glibc.close(end) }
    open.subtract(some)
  }
}

extension ChildProgram.Failure {
  fileprivate static func system(_ code: Int32) -> Self { .problem(String(cString: strerror(code))) }
}

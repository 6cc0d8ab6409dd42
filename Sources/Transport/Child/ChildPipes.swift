import CProcess
import Glibc

/// Our ends of the pipes to a program and its keeper. None of them waits.
struct ChildPipes {
  let keeper: pid_t
  var input: Int32
  var output: Int32
  var complaint: Int32
  /// What the keeper reports.
  var report: Int32
  /// Its end is the keeper's sign to end.
  var control: Int32

  init(starting program: ChildProgram, umask: UInt32) throws(ChildProgram.Failure) {
    var pipes: [[Int32]] = []
    for _ in 0..<5 {
      var ends: [Int32] = [-1, -1]
      guard process_pipe(&ends) == 0 else {
        let code = errno
        pipes.joined().forEach { Glibc.close($0) }
        throw .problem(String(cString: strerror(code)))
      }
      pipes.append(ends)
    }
    var words = program.arguments.map { strdup($0) } + [nil]
    var variables = program.variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var keeper: pid_t = 0
    let code = process_spawn_kept(
      &keeper, program.path, &words, &variables, [pipes[0][0], pipes[1][1], pipes[2][1]], pipes[3][0], pipes[4][1],
      umask, program.folder)
    for end in [pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][0], pipes[4][1]] { Glibc.close(end) }
    self.keeper = keeper
    (input, output, complaint, control, report) = (
      pipes[0][1], pipes[1][0], pipes[2][0], pipes[3][1], pipes[4][0]
    )
    guard code == 0 else {
      for end in [input, output, complaint, control, report] { Glibc.close(end) }
      throw .problem(String(cString: strerror(code)))
    }
    for end in [input, output, complaint, report] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
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
}

import Glibc

/// The thread that reads what a command writes, and hears from its keeper. It ends when all of the command has.
struct CommandThread {
  private let run: CommandRun
  private let wake: Int32
  private var pipes: ChildPipes
  private var chunk = [UInt8](repeating: 0, count: 64 << 10)
  private var program: pid_t?

  /// No pipe holds more; what comes faster than it is read must not keep us reading.
  private static let pipeLimit = 1 << 20

  static func start(for run: CommandRun, with pipes: ChildPipes, wokenBy wake: Int32) {
    ChildThread.detach {
      var thread = CommandThread(run: run, wake: wake, pipes: pipes)
      thread.serve()
    }
  }

  private init(run: CommandRun, wake: Int32, pipes: ChildPipes) {
    self.run = run
    self.wake = wake
    self.pipes = pipes
  }

  private mutating func serve() {
    while pipes.report >= 0 {
      if run.change({ $0.isStopping }) { pipes.closeControl() }
      let polled = poll()
      if polled.hasOutput { read(atMost: 1) }
      if polled.hasReport { readReports() }
    }
    finish()
  }

  private func poll() -> (hasReport: Bool, hasOutput: Bool) {
    // One that is negative is passed over.
    var polled = [wake, pipes.report, pipes.output].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    Glibc.poll(&polled, nfds_t(polled.count), -1)
    var count: UInt64 = 0
    if polled[0].revents != 0 { _ = Glibc.read(wake, &count, 8) }
    return (polled[1].revents != 0, polled[2].revents != 0)
  }

  /// Reads so many bytes, and what comes with them, as far as there are any.
  private mutating func read(atMost limit: Int) {
    var total = 0
    while pipes.output >= 0, total < limit {
      switch ChildPipes.read(pipes.output, into: &chunk) {
      case .none: return
      case .end: closeOutput()
      case .bytes(let count):
        total += count
        run.change { $0.text.add(chunk[..<count]) }
        run.ring()
      }
    }
  }

  private mutating func closeOutput() {
    pipes.closeOutput()
    run.change {
      $0.text.finish()
      $0.isTextOver = true
    }
    run.ring()
  }

  private mutating func readReports() {
    while true {
      switch pipes.nextReport() {
      case .started(let program):
        self.program = program
        settleStart(.success(()))
      case .failed(let failure): settleStart(.failure(failure))
      case .ended(let status): settleEnd(CommandEnd(status: status))
      case .over: return collectKeeper()
      case .none: return
      }
    }
  }

  private func settleStart(_ result: Result<Void, ChildProgram.Failure>) {
    let waiter = run.change { (state) -> CheckedContinuation<Result<Void, ChildProgram.Failure>, Never>? in
      guard state.start == nil else { return nil }
      state.start = result
      defer { state.startWaiter = nil }
      return state.startWaiter
    }
    waiter?.resume(returning: result)
  }

  /// The command itself has ended. What it wrote is in the pipe, and read before anybody hears of the end; those it
  /// left behind may write more.
  private mutating func settleEnd(_ end: CommandEnd) {
    read(atMost: CommandThread.pipeLimit)
    program = nil
    run.change {
      $0.text.finish()
      $0.end = end
    }
    run.ring()
  }

  /// The keeper has ended, and with it all it kept; but when it was killed the command may run, which nobody would end
  /// any more.
  private mutating func collectKeeper() {
    if let program { Glibc.kill(-program, SIGKILL) }
    pipes.collectKeeper()
    settleStart(.failure(.problem("its keeper ended")))
    if run.change({ $0.end }) == nil { settleEnd(CommandEnd(signal: SIGKILL)) }
    read(atMost: CommandThread.pipeLimit)
    // Nobody is waited for who holds it open all the same.
    closeOutput()
  }

  private mutating func finish() {
    pipes.closeControl()
    let waiters = run.change { (state) -> [CheckedContinuation<Void, Never>] in
      // Under the lock: those who wake the thread ask first whether it is gone.
      close(wake)
      state.isGone = true
      defer { state.goneWaiters = [] }
      return state.goneWaiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

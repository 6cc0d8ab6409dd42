import Foundation
import Glibc

/// The thread that moves the bytes of one program, and hears from its keeper. It ends when all of the program has.
struct ChildThread {
  private let child: ChildProcess
  private let wake: Int32
  private var pipes: ChildPipes
  private var chunk = [UInt8](repeating: 0, count: 64 << 10)

  static func start(for child: ChildProcess, with pipes: ChildPipes, wokenBy wake: Int32) {
    detach {
      var thread = ChildThread(child: child, wake: wake, pipes: pipes)
      thread.run()
    }
  }

  /// Does this on a thread of its own.
  static func detach(_ work: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      // Signals are for the threads that handle them, and SIGPIPE must stay without effect.
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      work()
    }
  }

  private init(child: ChildProcess, wake: Int32, pipes: ChildPipes) {
    self.child = child
    self.wake = wake
    self.pipes = pipes
  }

  private mutating func run() {
    while true {
      obey()
      if pipes.report < 0, pipes.output < 0 { break }
      let polled = poll()
      if polled.hasReport { readReports() }
      if polled.hasComplaint { readComplaint() }
      if polled.hasOutput { readOutput() }
      write()
    }
    finish()
  }

  private func poll() -> (hasReport: Bool, hasComplaint: Bool, hasOutput: Bool) {
    let (isWriting, isReading) = child.change {
      (!$0.unsent.isEmpty, $0.unread.count < ChildProcess.bufferLimit)
    }
    // One that is negative is passed over.
    var polled = [
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipes.report, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipes.complaint, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isReading ? pipes.output : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isWriting ? pipes.input : -1, events: Int16(POLLOUT), revents: 0),
    ]
    Glibc.poll(&polled, nfds_t(polled.count), -1)
    var count: UInt64 = 0
    if polled[0].revents != 0 { _ = Glibc.read(wake, &count, 8) }
    return (polled[1].revents != 0, polled[2].revents != 0, polled[3].revents != 0)
  }

  /// Does what was asked for since the last round.
  private mutating func obey() {
    guard child.change({ $0.isStopping }) else { return }
    closeInput()
    pipes.closeControl()
    closeOutput()
  }

  private mutating func write() {
    guard pipes.input >= 0 else { return }
    let (isOver, waiters) = child.change { (state) -> (Bool, [Int: CheckedContinuation<Bool, Never>]) in
      while let count = state.unsent.write(to: pipes.input) {
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { break }
        // It reads no more; its output says what that means.
        if count < 0 { return (true, [:]) }
      }
      guard state.unsent.count <= ChildProcess.bufferLimit else { return (false, [:]) }
      defer { state.writeWaiters = [:] }
      return (false, state.writeWaiters)
    }
    for waiter in waiters.values { waiter.resume(returning: true) }
    if isOver { closeInput() }
  }

  private mutating func closeInput() {
    pipes.closeInput()
    let waiters = child.change { (state) -> [Int: CheckedContinuation<Bool, Never>] in
      state.isInputClosed = true
      state.unsent = UnsentBytes()
      defer { state.writeWaiters = [:] }
      return state.writeWaiters
    }
    for waiter in waiters.values { waiter.resume(returning: false) }
  }

  private mutating func readOutput() {
    guard pipes.output >= 0 else { return }
    switch read(pipes.output) {
    case .none: break
    case .end: closeOutput()
    case .bytes(let count):
      let waiter = child.change { (state) -> (CheckedContinuation<[UInt8]?, Never>, [UInt8]?)? in
        state.unread += chunk[..<count]
        guard let waiter = state.readWaiter else { return nil }
        state.readWaiter = nil
        return (waiter, state.takeUnread())
      }
      if let (waiter, bytes) = waiter { waiter.resume(returning: bytes) }
    }
  }

  private mutating func closeOutput() {
    pipes.closeOutput()
    let (waiter, rest) = child.change { (state) -> (CheckedContinuation<[UInt8]?, Never>?, [UInt8]?) in
      state.isOutputOver = true
      if state.isStopping { state.unread = [] }
      guard let waiter = state.readWaiter else { return (nil, nil) }
      state.readWaiter = nil
      return (waiter, state.takeUnread())
    }
    waiter?.resume(returning: rest)
  }

  private mutating func readComplaint() {
    switch read(pipes.complaint) {
    case .none: break
    case .end: pipes.closeComplaint()
    case .bytes(let count): child.change { $0.addWords(chunk[..<count]) }
    }
  }

  private mutating func readReports() {
    while true {
      switch pipes.nextReport() {
      case .started: settleStart(.success(()))
      case .failed(let failure): settleStart(.failure(failure))
      case .ended(let status):
        child.change { $0.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F }
      case .over: return collectKeeper()
      case .none: return
      }
    }
  }

  private func settleStart(_ result: Result<Void, ChildProgram.Failure>) {
    let waiter = child.change { (state) -> CheckedContinuation<Result<Void, ChildProgram.Failure>, Never>? in
      guard state.start == nil else { return nil }
      state.start = result
      defer { state.startWaiter = nil }
      return state.startWaiter
    }
    waiter?.resume(returning: result)
  }

  /// The keeper has ended, and with it all it kept. What they wrote before is still read; but nobody is waited for who
  /// holds a pipe open, as one who may not be killed can.
  private mutating func collectKeeper() {
    pipes.collectKeeper()
    settleStart(.failure(.problem("its keeper ended")))
    closeInput()
    while case .bytes(let count) = read(pipes.complaint) { child.change { $0.addWords(chunk[..<count]) } }
    while pipes.output >= 0, case .bytes(let count) = read(pipes.output) {
      child.change { $0.unread += chunk[..<count] }
    }
    closeOutput()
  }

  private mutating func finish() {
    pipes.closeComplaint()
    pipes.closeControl()
    let (exit, waiters) = child.change { (state) -> (ChildExit, [CheckedContinuation<ChildExit, Never>]) in
      // Under the lock: those who wake the thread ask first whether it is gone.
      close(wake)
      state.isGone = true
      defer { state.endWaiters = [] }
      return (state.exit, state.endWaiters)
    }
    for waiter in waiters { waiter.resume(returning: exit) }
  }

  private mutating func read(_ end: Int32) -> ChildPipes.Reading { ChildPipes.read(end, into: &chunk) }
}

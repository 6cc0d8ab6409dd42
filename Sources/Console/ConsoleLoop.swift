import CTerminal
import Foundation
import Shell
import Text

/// The thread that owns the terminal's input and the signals. Everything that waits for one of them is asked of it and
/// done here, one after the other.
// The mailbox is reached under the lock; everything else by the thread alone.
final class ConsoleLoop: @unchecked Sendable {
  enum Order {
    case line(LineRequest, CheckedContinuation<LineResult, Never>)
    case stream(StreamLines, CheckedContinuation<LineResult, Never>)
    case child(ChildCommand, captureLimit: Int?, CheckedContinuation<Result<ChildEnd, ChildError>, Never>)
    case page(LongText, ChildCommand, CheckedContinuation<Result<PagerEnd, ChildError>, Never>)
    case attach(Attachment, CheckedContinuation<AttachEnd?, Never>)
  }

  /// What a wait ended with.
  enum Event: Equatable { case ready(Int32), signal(Int32), order, timeout }

  let options: ConsoleOptions
  let screen: Screen
  var wakeDescriptor: Int32 { wake }
  var modes = TerminalModes()
  /// Input that was taken from the terminal and not yet looked at.
  var typed: [UInt8] = []

  private let clock: @Sendable () -> ContinuousClock.Instant
  private let lock = NSLock()
  private var orders: [Order] = []
  private var interrupts: Interrupts
  private var ending = EndingSignal()

  var signals: Int32 = -1
  private let wake: Int32
  var marksPastes = false
  /// Whether the terminal edits lines by itself, as it does until it is first taken.
  var isGivenBack = true
  /// How many of the bytes that wait were typed while it did.
  var linesTypedAhead = 0
  private var isTerminalGone = false
  private static let mostTypedAhead = 1 << 20
  private var deadline: ContinuousClock.Instant?
  private(set) lazy var editor = Editor(self)

  /// - Parameter clock: what tells whether two interrupts belong together.
  init(
    _ options: ConsoleOptions, clock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.options = options
    self.clock = clock
    interrupts = Interrupts(isInteractive: options.isInteractive)
    wake = console_wake()
    screen = Screen(options)
    screen.whenReaderGoes { [weak self] in self?.readerWent() }
  }

  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        console_fault_stack()
        Unmanaged<ConsoleLoop>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }

  // From any thread.

  func post(_ order: Order) {
    lock.withLock { orders.append(order) }
    rouse()
  }

  /// Has the thread look up from what it waits for.
  func rouse() {
    var one: UInt64 = 1
    _ = Foundation.write(wake, &one, 8)
  }

  func whenInterrupted(_ action: Interrupts.Action?) {
    let (isInterrupted, ending) = lock.withLock { (interrupts.set(action, at: clock()), self.ending.signal) }
    if let ending {
      action?(.end(signal: ending))
    } else if isInterrupted {
      action?(.interrupt)
    }
  }

  var endingSignal: Int32? { lock.withLock { ending.signal } }

  // On the thread.

  private func run() {
    signals = console_signals()
    while true {
      if let order = lock.withLock({ orders.isEmpty ? nil : orders.removeFirst() }) {
        perform(order)
      } else {
        idle()
      }
    }
  }

  /// Waits while nothing is asked of it. What is typed is taken at once: a terminal that goes away takes along what it
  /// still has.
  private func idle() {
    let readsAhead =
      options.isInteractive && options.edits && !isGivenBack && !isTerminalGone
      && typed.count < ConsoleLoop.mostTypedAhead
      && modes.isRemembered && modes.isForeground
    switch wait(for: [wake] + (readsAhead ? [modes.descriptor] : [])) {
    case .signal(let signal): receive(signal)
    case .ready where !readTyped():
      isTerminalGone = true
      end(SIGHUP)
    default: break
    }
  }

  private func perform(_ order: Order) {
    switch order {
    case .line(let request, let answer):
      if let ending = endingSignal { return answer.resume(returning: .signal(ending, draft: draft(for: request))) }
      if lock.withLock({ interrupts.takeWaiting(isForQuestion: request.isQuestion) }) {
        return answer.resume(returning: .interrupted(hadText: false))
      }
      answer.resume(returning: readLine(request))
    case .stream(let lines, let answer): answer.resume(returning: lines.read(in: self))
    case .attach(let attachment, let answer): answer.resume(returning: attach(attachment))
    case .child(let command, let limit, let answer): answer.resume(returning: runChild(command, captureLimit: limit))
    case .page(let text, let command, let answer): answer.resume(returning: page(text, by: command))
    }
  }

  /// What would have stood on the line.
  private func draft(for request: LineRequest) -> String {
    guard !request.isSecret, !request.isQuestion, request.typedAhead != .discarded else { return "" }
    return request.initial + TypedAhead.text(of: typed)
  }

  private func readLine(_ request: LineRequest) -> LineResult {
    // A run for one command has the terminal for the length of a question only.
    defer { if !options.isInteractive { giveBack() } }
    if request.isSecret { return readSecret(request) }
    guard options.edits, screen.outputIsTerminal || screen.noticesAreTerminal, takeTerminal(), let editor else {
      return readPlainly(request)
    }
    return editor.read(request)
  }

  /// Waits for input, a signal or an order, whichever comes first; signals win.
  /// - Parameter output: what is waited for until it takes more.
  func wait(for descriptors: [Int32], output: Int32? = nil, milliseconds: Int? = nil) -> Event {
    while true {
      var polled = [pollfd(fd: signals, events: Int16(POLLIN), revents: 0)]
      // An order is taken only where nothing else is under way.
      polled += (descriptors.isEmpty ? [wake] : descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if let output { polled.append(pollfd(fd: output, events: Int16(POLLOUT), revents: 0)) }
      let count = poll(&polled, nfds_t(polled.count), timeout(milliseconds))
      if let deadline, deadline <= .now { screen.leave(128 + (endingSignal ?? SIGTERM)) }
      // Asked even where `poll` saw none: the handler may have run as it returned.
      let signal = console_next_signal()
      if signal != 0 { return .signal(signal) }
      if count == 0, milliseconds != nil { return .timeout }
      if count <= 0 { continue }
      guard let ready = polled.dropFirst().first(where: { $0.revents != 0 }) else { continue }
      if ready.fd == wake {
        var count: UInt64 = 0
        _ = Foundation.read(wake, &count, 8)
        return .order
      }
      return .ready(ready.fd)
    }
  }

  private func timeout(_ milliseconds: Int?) -> Int32 {
    guard let deadline else { return Int32(milliseconds ?? -1) }
    let left = max(0, (deadline - .now) / .milliseconds(1))
    return Int32(min(left.rounded(.up), Double(milliseconds ?? .max), 60_000))
  }

  /// A signal while nobody types.
  func receive(_ signal: Int32) {
    switch signal {
    case SIGINT: interrupt()
    case SIGTERM, SIGHUP: end(signal)
    case SIGTSTP: stop()
    case SIGCONT: takeBack()
    case SIGWINCH: screen.resized()
    default: break
    }
  }

  /// Whether an interrupt was the last child's.
  var isInterruptOfChild: Bool { lock.withLock { interrupts.isOfChild(at: clock()) } }

  func noteEndOfChild() { lock.withLock { interrupts.endChild(at: clock()) } }

  private func interrupt() {
    switch lock.withLock({ interrupts.press(at: clock()) }) {
    case .act(let action): action(.interrupt)
    case .leave: screen.leave(128 + SIGINT)
    case .wait: break
    }
  }

  /// Nobody reads the answer any more: it is kept as far as it came, and the run ends as `SIGPIPE` would end it.
  private func readerWent() {
    let action = lock.withLock { () -> Interrupts.Action? in
      ending.note(SIGPIPE)
      return interrupts.action
    }
    if let action { action(.end(signal: SIGPIPE)) } else { screen.leave(128 + SIGPIPE) }
  }

  /// Notes an ending signal; the shell has five seconds to keep what there is and go. A terminal that goes away may say so
  /// more than once, in each write to it too, so a hang-up is no second wish.
  func end(_ signal: Int32) {
    let (wish, action) = lock.withLock { (ending.note(signal, at: clock()), interrupts.action) }
    switch wish {
    case .first where action != nil || options.isInteractive: deadline = .now + .seconds(5)
    case .same: return
    case .again where signal == SIGHUP:
      deadline = deadline ?? .now + .seconds(5)
      return
    case .first, .again: screen.leave(128 + signal)
    }
    action?(.end(signal: signal))
  }
}

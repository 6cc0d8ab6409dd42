import CCurl
import Foundation
import Glibc

/// The thread that owns the multi handle and with it every connection and transfer.
///
/// Other threads reach it through a queue of commands. The lock guards the queue, the state, and the multi handle's
/// use by `curl_multi_wakeup`; everything else belongs to the thread.
final class CurlLoop: @unchecked Sendable {
  typealias Instant = SuspendingClock.Instant

  enum Command {
    case start(Exchange)
    /// Its reader has read what was unread.
    case resume(Exchange)
    case close(Exchange)
    /// Ends the thread when all that came before has ended.
    case retire
    case stop
  }

  struct Settings: Sendable {
    var proxy: ProxySettings
    var userAgent: String
    var trust: any Trust
    /// A PEM file that stands for the system's certificates.
    var systemAuthorities: String?
  }

  private let settings: Settings

  private let lock = NSLock()
  private var commands: [Command] = []
  private var thread: pthread_t?
  private var multi: UnsafeMutableRawPointer?
  /// Whether libcurl could not be set up.
  private var isRefusing = false
  private var isOver = false
  /// When the thread looks at the deadlines again; nil when it must be woken to do so.
  private var wakesAt: Instant?

  private var transfers: [Transfer] = []
  private var isRetired = false
  private let leaves = TrustedLeaves()

  init(_ settings: Settings) { self.settings = settings }

  // Any thread

  /// Starts the thread when there is none yet.
  func start(_ exchange: Exchange) {
    let isRunning = lock.withLock {
      if thread == nil { thread = makeThread() }
      guard thread != nil, !isRefusing else { return false }
      commands.append(.start(exchange))
      wake()
      return true
    }
    if !isRunning { exchange.finish(.failure(.other("libcurl could not be started"))) }
  }

  func post(_ command: Command) {
    lock.withLock {
      commands.append(command)
      wake()
    }
  }

  /// Sees to it that deadlines are looked at no later than this.
  func wake(by deadline: Instant) {
    lock.withLock {
      if let wakesAt, wakesAt <= deadline { return }
      wake()
    }
  }

  /// Whether the thread has ended, or never began.
  var hasEnded: Bool { lock.withLock { isOver || thread == nil } }

  /// Ends all transfers and the thread, and waits for it.
  func stop() {
    guard let thread = lock.withLock({ thread }) else { return }
    post(.stop)
    pthread_join(thread, nil)
  }

  // A wake-up is kept until the next poll, so none is lost. Before there is a multi handle the thread has not looked
  // at the queue yet.
  private func wake() {
    if let multi { curl_multi_wakeup(multi) }
  }

  private func makeThread() -> pthread_t? {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let code = pthread_create(&thread, nil, { CurlLoop.main($0) }, context.toOpaque())
    if code != 0 { context.release() }
    return code == 0 ? thread : nil
  }

  private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // Signals are for the threads that handle them. OpenSSL may raise SIGPIPE, which must stay without effect.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    if let context { Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }

  // The loop thread

  private func run() {
    guard Self.isReady, let multi = curl_multi_init() else { return refuseAll() }
    lock.withLock { self.multi = multi }
    var isRunning = true
    while isRunning {
      isRunning = obey(on: multi)
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      for transfer in transfers { transfer.publish() }
      collectFinished(on: multi)
      if isRetired, transfers.isEmpty { isRunning = false }
      if isRunning { sleep(on: multi) }
    }
    for transfer in transfers {
      transfer.exchange.finish(.failure(.cancelled))
      curl_multi_remove_handle(multi, transfer.handle)
    }
    transfers = []
    lock.withLock {
      self.multi = nil
      isOver = true
    }
    curl_multi_cleanup(multi)
  }

  /// libcurl's global state, made at the first request.
  static let isReady: Bool = {
    // Debian's libcurl would write the secrets of every TLS session to that file.
    if getenv("SSLKEYLOGFILE") != nil { unsetenv("SSLKEYLOGFILE") }
    return curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
  }()

  /// Carries out the commands, in order; false after `stop`.
  private func obey(on multi: UnsafeMutableRawPointer) -> Bool {
    for command in lock.withLock({ takeCommands() }) {
      switch command {
      case .start(let exchange): add(exchange, to: multi)
      case .resume(let exchange): transfers.first { $0.exchange === exchange }?.resume()
      case .close(let exchange): remove(from: multi) { $0.exchange === exchange }
      case .retire: isRetired = true
      case .stop: return false
      }
    }
    return true
  }

  private func takeCommands() -> [Command] {
    defer { commands = [] }
    return commands
  }

  private func add(_ exchange: Exchange, to multi: UnsafeMutableRawPointer) {
    do throws(TransportError) {
      let transfer = try Transfer(exchange, settings: settings, leaves: leaves)
      try add(transfer, to: multi)
      transfers.append(transfer)
    } catch {
      exchange.finish(.failure(error))
    }
  }

  private func add(_ transfer: Transfer, to multi: UnsafeMutableRawPointer) throws(TransportError) {
    let code = curl_multi_add_handle(multi, transfer.handle)
    guard code == CURLM_OK else { throw .other(String(cString: curl_multi_strerror(code))) }
  }

  private func remove(from multi: UnsafeMutableRawPointer, where isOver: (Transfer) -> Bool) {
    for transfer in transfers where isOver(transfer) { curl_multi_remove_handle(multi, transfer.handle) }
    transfers.removeAll(where: isOver)
  }

  private func collectFinished(on multi: UnsafeMutableRawPointer) {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
      let code = ccurl_message_result(message)
      guard let transfer = transfers.first(where: { $0.handle == handle }) else { continue }
      if begin(transfer, againAfter: code, on: multi) { continue }
      transfer.finish(code)
      remove(from: multi) { $0 === transfer }
    }
  }

  /// Trust that changed shows on the connections that stand: one more try, on a new one, where it is decided anew.
  private func begin(_ transfer: Transfer, againAfter code: CURLcode, on multi: UnsafeMutableRawPointer) -> Bool {
    do throws(TransportError) {
      guard try transfer.takesNewConnection(after: code) else { return false }
      curl_multi_remove_handle(multi, transfer.handle)
      try add(transfer, to: multi)
      return true
    } catch {
      return false
    }
  }

  /// Ends what is overdue, then sleeps until something comes, a deadline, or a command.
  private func sleep(on multi: UnsafeMutableRawPointer) {
    // A deadline that is set from here on wakes the thread: this round may have missed it.
    lock.withLock { wakesAt = nil }
    let now = Instant.now
    let states = transfers.map { $0.exchange.expire(at: now) }
    let ended = Set(zip(transfers, states).filter { $1.isEnded }.map { $0.0.handle })
    if !ended.isEmpty { remove(from: multi) { ended.contains($0.handle) } }

    let latest = now + .seconds(3600)
    let until = min(states.lazy.compactMap(\.deadline).min() ?? latest, latest)
    lock.withLock { wakesAt = until }
    // Rounded up: waking a moment early would spin until the deadline.
    let milliseconds = Int32(((until - now) / .milliseconds(1)).rounded(.up))
    curl_multi_poll(multi, nil, 0, milliseconds, nil)
  }

  private func refuseAll() {
    let commands = lock.withLock {
      isRefusing = true
      return takeCommands()
    }
    for case .start(let exchange) in commands {
      exchange.finish(.failure(.other("libcurl could not be started")))
    }
  }
}

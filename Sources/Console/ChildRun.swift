import CTerminal
import Foundation
import Programs
import Shell
import Text

/// How a child process ended.
struct ChildEnd: Sendable {
  var status: Int32
  var output: [UInt8]
  /// Whether it took anything of a text that it was fed.
  var hasRead = false
}

/// Lending the terminal to a child process.
extension ConsoleLoop {
  func page(_ text: LongText, by command: ChildCommand) -> Result<PagerEnd, ChildError> {
    runChild(command, captureLimit: nil, feeding: text).map { PagerEnd(status: $0.status, hasRead: $0.hasRead) }
  }

  /// - Parameter text: what it reads as it is made, in the place of the command's own input.
  func runChild(
    _ command: ChildCommand, captureLimit: Int?, feeding text: LongText? = nil
  ) -> Result<ChildEnd, ChildError> {
    guard let program = command.arguments.first else { return .failure(.notStarted(program: "", reason: "no program")) }
    guard let path = Self.path(of: program) else {
      return .failure(.notStarted(program: program, reason: String(cString: strerror(errno))))
    }
    let mine = modes.isRemembered ? modes.current : nil
    screen.leavePrompt()
    giveBack()
    defer {
      takeBack()
      keepTypedToChild()
      // Inside the line editor other modes were set than between prompts.
      if let mine, modes.isForeground { modes.set(mine) }
    }

    var pipe: [Int32] = [-1, -1]
    if captureLimit != nil, console_pipe(&pipe) != 0 {
      return .failure(.notStarted(program: program, reason: String(cString: strerror(errno))))
    }
    defer { if pipe[0] >= 0 { close(pipe[0]) } }
    var feed = text.flatMap { ChildFeed($0, shownOn: screen) }
    defer { feed?.end() }
    if text != nil, feed == nil {
      return .failure(.notStarted(program: program, reason: String(cString: strerror(errno))))
    }
    let input = command.input.map { console_memory_file($0, $0.count) } ?? -1
    if command.input != nil, input < 0 {
      let reason = String(cString: strerror(errno))
      if pipe[1] >= 0 { close(pipe[1]) }
      return .failure(.notStarted(program: program, reason: reason))
    }
    // A pager sets modes of its own, and may die with them.
    let modes = feed == nil ? nil : Self.modes
    var child: pid_t = 0
    let problem = Self.spawn(&child, path, command, input: feed?.input ?? input, output: pipe[1])
    if input >= 0 { close(input) }
    if pipe[1] >= 0 { close(pipe[1]) }
    if problem != 0 { return .failure(.notStarted(program: program, reason: String(cString: strerror(problem)))) }
    // Ctrl-\ is the child's, as Ctrl-C is; it has the handlers of before.
    var (ignored, former) = (sigaction(), sigaction())
    ignored.__sigaction_handler.sa_handler = SIG_IGN
    sigaction(SIGQUIT, &ignored, &former)
    defer { sigaction(SIGQUIT, &former, nil) }
    var capture = captureLimit.map { Capture(descriptor: pipe[0], limit: $0) }
    let status = follow(child, &capture, &feed, modes)
    Self.set(modes)
    noteEndOfChild()
    let hasRead = feed?.isRead == true
    // What was never shown has changed nothing.
    if command.takesScreen, status != 0, feed == nil || hasRead { screen.reclaim() }
    if capture == nil { screen.wasLent() }
    return .success(ChildEnd(status: status, output: capture?.kept ?? [], hasRead: hasRead))
  }

  /// Waits for the end of the child; the signals of the keyboard are its own, ending ones reach both.
  /// - Parameter modes: those that a pager is to leave behind, however it and we end.
  private func follow(
    _ child: pid_t, _ capture: inout Capture?, _ feed: inout ChildFeed?, _ modes: termios?
  ) -> Int32 {
    let ended = console_child_descriptor(child)
    defer { if ended >= 0 { close(ended) } }
    while true {
      let outputs = capture.map(\.descriptors) ?? []
      let feeding = feed?.output
      switch wait(
        for: outputs + (ended >= 0 ? [ended] : []), output: feeding, milliseconds: ended >= 0 ? nil : 20)
      {
      case .ready(ended), .timeout:
        guard let status = Self.status(of: child) else { continue }
        capture?.readRest(showingOn: screen)
        forgetInterrupts(within: status == 0 ? 0 : 20)
        return status
      case .ready(feeding): feed?.write()
      case .ready: capture?.read(showingOn: screen)
      case .signal(let signal) where signal == SIGTERM || signal == SIGHUP:
        kill(child, signal)
        kill(child, SIGCONT)
        if modes != nil {
          // It puts back what it found, before we do, and this may be the last that we do.
          var end = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
          poll(&end, 1, 1000)
          Self.set(modes)
          if tcgetpgrp(STDIN_FILENO) == getpgrp() { screen.reclaim(isAlternate: false) }
        }
        end(signal)
      // It has come to the child too, which takes it only when it is not stopped.
      case .signal(SIGINT): kill(child, SIGCONT)
      case .signal(SIGTSTP): console_stop()
      case .signal, .order: break
      }
    }
  }

  /// The Ctrl-C that ended the child was ours too, and may reach us later than its end.
  private func forgetInterrupts(within milliseconds: Int) {
    while true {
      switch wait(for: [], milliseconds: milliseconds) {
      case .signal(SIGINT): break
      case .signal(let signal): receive(signal)
      // Its wake may be left from an order that was taken already; one that waits is looked for after this.
      case .order: break
      case .ready, .timeout: return
      }
    }
  }

  /// Of the terminal that is read from; nil where it is none.
  private static var modes: termios? {
    var modes = termios()
    return tcgetattr(STDIN_FILENO, &modes) == 0 ? modes : nil
  }

  private static func set(_ modes: termios?) {
    // One in the background that sets modes is stopped.
    guard var modes, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  private static func status(of child: pid_t) -> Int32? {
    var status: Int32 = 0
    let waited = waitpid(child, &status, WNOHANG)
    if waited == 0 { return nil }
    if waited < 0 { return errno == EINTR ? nil : 1 }
    return exitStatus(ofWait: status)
  }

  /// As a shell counts what `waitpid` gave.
  static func exitStatus(ofWait status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Where a shell would find the program; nil with `errno` set.
  static func path(of program: String) -> String? {
    do throws(Programs.Failure) {
      return try Programs.find(program, along: getenv("PATH").map { String(cString: $0) })
    } catch {
      errno = error == .notFound ? ENOENT : EACCES
      return nil
    }
  }

  /// The person's, without our secrets.
  static func environment(of command: ChildCommand) -> [String: String] {
    ProcessInfo.processInfo.environment
      .filter { name, _ in name != "PARLEY_TOKEN" && name != "SSLKEYLOGFILE" }
      .merging(command.variables) { _, ours in ours }
  }

  private static func spawn(
    _ child: inout pid_t, _ path: String, _ command: ChildCommand, input: Int32, output: Int32
  ) -> Int32 {
    // Our private umask is not for the files that the person's own programs make; posix_spawn cannot set another.
    let mask = String(console_original_umask(), radix: 8)
    let wrapped = ["sh", "-c", "umask \(mask); exec \"$@\"", "sh", path] + command.arguments.dropFirst()
    let environment = environment(of: command).map { "\($0)=\($1)" }
    var words = wrapped.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    return console_spawn(&child, "/bin/sh", &words, &variables, input, output)
  }
}

/// A child's output on its way through: shown, and the end of it kept.
private struct Capture {
  let descriptor: Int32
  let limit: Int
  private(set) var kept: [UInt8] = []
  private(set) var descriptors: [Int32]
  private var filter = Filter(.block)

  init(descriptor: Int32, limit: Int) {
    self.descriptor = descriptor
    self.limit = limit
    descriptors = [descriptor]
  }

  mutating func read(showingOn screen: Screen) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = Foundation.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else {
      descriptors = []
      return
    }
    kept += buffer[..<count]
    if kept.count > 2 * limit { kept.removeFirst(kept.count - limit) }
    screen.write([Span(filter.feed(bytes: Array(buffer[..<count])))], to: .output)
  }

  /// What is in the pipe when the child ended. A grandchild may hold the other end open for ever.
  mutating func readRest(showingOn screen: Screen) {
    while !descriptors.isEmpty {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 0) > 0 else { break }
      read(showingOn: screen)
    }
    screen.write([Span(filter.finish())], to: .output)
    if kept.count > limit { kept.removeFirst(kept.count - limit) }
  }
}

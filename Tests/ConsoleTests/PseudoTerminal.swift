import CProcess
import CTerminal
import Foundation
import Testing

@testable import Console

/// A program on a terminal of its own, with what it shows and, for the probe, what it read.
final class PseudoTerminal {
  private(set) var screen: ScreenModel
  private(set) var shown: [UInt8] = []
  /// Those that the terminal had before the program was there.
  let modesBefore: [UInt8]
  private var master: Int32
  private let child: pid_t
  private let log: URL
  private let folder: URL
  private(set) var hasEnded = false

  /// Waits for this long before a test fails; nothing waits when all is well.
  private static let patience: Int32 = 60_000

  init(rows: Int = 24, columns: Int = 80, arguments: [String]? = nil, _ environment: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "parley-console-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    log = folder.appending(path: "log")
    try Data().write(to: log)
    screen = ScreenModel(rows: rows, columns: columns)
    var variables = [
      "TERM": "xterm", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": folder.path, "PROBE_LOG": log.path,
      "PROBE": Self.probe,
    ]
    variables.merge(environment) { $1 }
    var words = (arguments ?? [Self.probe]).map { strdup($0) } + [nil]
    var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in words + settings { free(pointer) } }
    var child: pid_t = 0
    var modes = termios()
    master = process_start_on_terminal(&words, &settings, nil, 0o022, Int32(rows), Int32(columns), &child, &modes)
    self.child = child
    modesBefore = withUnsafeBytes(of: modes) { Array($0) }
    try #require(master >= 0)
  }

  deinit {
    if !hasEnded {
      kill(child, SIGKILL)
      var status: Int32 = 0
      waitpid(child, &status, 0)
    }
    if master >= 0 { close(master) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Closes the terminal and lets the program live.
  func abandon() { hasEnded = true }

  /// Closes the terminal, as a window that is closed does; the exit status as a shell counts it.
  func hangUp() -> Int32 {
    close(master)
    master = -1
    var status: Int32 = 0
    waitpid(child, &status, 0)
    hasEnded = true
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
  }

  private static let probe = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "console-probe").path

  func type(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(master, $0.baseAddress, min($0.count, 512)) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
      while read(within: 0) {}
    }
  }

  /// Waits until the program has read all that was typed.
  func waitUntilRead() throws {
    var number: Int32 = 0
    try #require(ioctl(master, 0x8004_5430, &number) == 0)  // TIOCGPTN, a macro that is not imported
    let slave = open("/dev/pts/\(number)", O_RDONLY | O_NOCTTY | O_NONBLOCK)
    try #require(slave >= 0)
    defer { close(slave) }
    // A look at the terminal first brings there what is still on its way.
    var look = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
    for _ in 0..<4000 where poll(&look, 1, 0) > 0 { usleep(5000) }  // timed: between looks
    try #require(poll(&look, 1, 0) == 0)
  }

  func send(_ signal: Int32) { kill(child, signal) }

  func resize(rows: Int, columns: Int) {
    screen = ScreenModel(rows: rows, columns: columns)
    process_resize_terminal(master, Int32(rows), Int32(columns))
  }

  /// The probe's log: what it read, one JSON value after the other.
  var read: [String] {
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { String($0).replacing("\\/", with: "/") }
  }

  var modes: [UInt8] {
    var modes = termios()
    guard tcgetattr(master, &modes) == 0 else { return [] }
    return withUnsafeBytes(of: modes) { Array($0) }
  }

  var isEchoing: Bool {
    var modes = termios()
    return tcgetattr(master, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Takes what the program shows until something is true.
  func wait(_ sourceLocation: SourceLocation = #_sourceLocation, until isTrue: (PseudoTerminal) -> Bool) throws {
    while !isTrue(self) {
      guard read(within: Self.patience) else {
        Issue.record("waited in vain; read \(read), screen:\n\(screen.text)", sourceLocation: sourceLocation)
        throw InVain()
      }
    }
  }

  /// Takes what the program shows until something is true; false when it ended before.
  func shows(until isTrue: (PseudoTerminal) -> Bool) -> Bool {
    while !isTrue(self) {
      guard read(within: Self.patience) else { return false }
    }
    return true
  }

  struct InVain: Error {}

  func waitForPrompt(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
    try wait(sourceLocation) { $0.screen.lines.last == "probe>" }
  }

  /// The exit status as a shell counts it.
  func waitForEnd() -> Int32 {
    while read(within: Self.patience) {}
    var polled = pollfd(fd: master, events: 0, revents: 0)
    if poll(&polled, 1, 0) == 0 {
      Issue.record("it did not end; screen:\n\(screen.text)")
      kill(child, SIGKILL)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    hasEnded = true
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
  }

  private func read(within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = Foundation.read(master, &bytes, bytes.count)
    guard count > 0 else { return false }
    shown += bytes[..<count]
    screen.feed(bytes[..<count])
    return true
  }
}

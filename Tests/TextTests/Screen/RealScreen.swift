import Foundation
import TestSupport

@testable import Text

#if canImport(Glibc)
  import Glibc
#endif

/// What bytes do to the screen of a terminal that others made: tmux, with a server of its own.
struct RealScreen {
  struct Drawing: Sendable {
    var bytes: [UInt8]
    var columns: Int
    var rows: Int
  }

  /// What is looked at.
  enum Look: Sendable {
    /// All lines, with those that scrolled off, and those that were too long for a row whole.
    case lines
    /// The rows of the screen.
    case rows
  }

  static let isAvailable = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/tmux") }

  private static let settings = """
    set -g status off
    set -g history-limit 60000
    set -g scroll-on-clear off
    set -g escape-time 0
    set -g allow-rename off
    set -g default-terminal xterm-256color
    new-session -d -s keeper -x 80 -y 24 "exec cat"
    """

  /// The title tells that all was read; a sequence that is not whole is broken off first.
  private static let show = #"stty raw -echo && cat "$1" && printf '\030\033]2;read\033\\' && exec cat"#

  /// The lines that each drawing leaves, without blanks at their ends and empty ones at the end.
  static func show(_ drawings: [Drawing], _ look: Look) async throws -> [[String]] {
    try await withTemporaryDirectory { folder in
      let settings = folder.appending(path: "conf")
      try Data(Self.settings.utf8).write(to: settings)
      let tmux = try await Server(in: folder, settings)
      defer { tmux.end() }
      var words: [String] = []
      for (number, drawing) in drawings.enumerated() {
        let file = folder.appending(path: "\(number)")
        try Data(drawing.bytes).write(to: file)
        words += ["new-session", "-d", "-s", "d\(number)", "-x", "\(drawing.columns)", "-y", "\(drawing.rows)"]
        words += ["sh", "-c", Self.show, "sh", file.path, ";"]
      }
      try tmux.ask(words)
      let titles = ["list-panes", "-a", "-F", "#{pane_title}"]
      let areRead = try await eventually {
        try tmux.ask(titles).split(separator: "\n").count(where: { $0 == "read" }) == drawings.count
      }
      guard areRead else { throw CocoaError(.fileReadUnknown) }
      let how = look == .lines ? ["-J", "-S", "-"] : []
      return try drawings.indices.map { number in
        lines(of: try tmux.ask(["capture-pane", "-p", "-e"] + how + ["-t", "=d\(number):"]))
      }
    }
  }

  private static func lines(of text: String) -> [String] {
    var drawsLines = false
    var lines = text.replacing(/\u{1B}\[[0-9;:]*m/, with: "").split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        // It has the letters for the characters that draw lines, between the controls that make them that.
        var shown = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
          switch scalar.value {
          case 0x0E: drawsLines = true
          case 0x0F: drawsLines = false
          case let value: shown.append(drawsLines ? Unicode.Scalar(LineDrawing.character(value)) ?? scalar : scalar)
          }
        }
        while shown.last == " " { shown.removeLast() }
        return String(shown)
      }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// It ends with this process at the latest.
  private struct Server {
    private let socket: String
    private let process: Process
    private let input = Pipe()

    init(in folder: URL, _ settings: URL) async throws {
      socket = folder.appending(path: "s").path
      // Not as a daemon, which would keep what tells the end of a process.
      let keeper = #""$@" </dev/null & child=$!; cat >/dev/null; kill -KILL "$child" 2>/dev/null; wait"#
      process = Server.process(["sh", "-c", keeper, "sh", "tmux", "-u", "-S", socket, "-f", settings.path, "-D"])
      process.standardInput = input
      try Server.start(process)
      guard await eventually({ (try? ask(["has-session", "-t", "keeper"])) != nil }) else {
        throw CocoaError(.executableLoad)
      }
    }

    func end() {
      _ = try? ask(["kill-server"])  // one that is gone has ended too
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    @discardableResult func ask(_ words: [String]) throws -> String {
      // A server that another test starts at the same time would hold a pipe open.
      let file = "\(socket).\(UUID().uuidString)"
      try Data().write(to: URL(filePath: file))
      let client = Server.process(["tmux", "-u", "-S", socket] + words)
      client.standardOutput = FileHandle(forWritingAtPath: file)
      try Server.start(client)
      client.waitUntilExit()
      guard client.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
      return try String(contentsOfFile: file, encoding: .utf8)
    }

    private static func process(_ words: [String]) -> Process {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = words
      process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH", default: ""], "LC_ALL": "C.UTF-8"]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      return process
    }

    /// Children of a thread of dispatch inherit that gentler signals are blocked, and tmux waits for some.
    private static func start(_ process: Process) throws {
      var (none, before) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try process.run()
    }
  }
}

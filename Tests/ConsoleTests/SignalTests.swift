import Foundation
import TestSupport
import Testing

@testable import Console

/// Signals and the terminal's modes, in a real process on a real terminal.
@Suite(.ownThread) struct SignalTests {
  @Test(arguments: [SIGTERM, SIGHUP])
  func `an ending signal at the prompt gives the terminal back`(_ signal: Int32) throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("half typed")
    try terminal.wait { $0.screen.lines == ["probe> half typed"] }
    #expect(terminal.modes != terminal.modesBefore)
    terminal.send(signal)
    #expect(terminal.waitForEnd() == 128 + signal)
    #expect(terminal.read == [#"{"signal":\#(signal)}"#, #"{"draft":"half typed"}"#])
    #expect(terminal.modes == terminal.modesBefore)
    #expect(terminal.screen.modes.isDisjoint(with: ["?2004"]))
    #expect(terminal.screen.row == 1)
  }

  @Test(arguments: [SIGUSR1, SIGALRM, SIGXCPU])
  func `a signal that ends any program gives the terminal back too`(_ signal: Int32) throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    #expect(terminal.modes != terminal.modesBefore)
    terminal.send(signal)
    #expect(terminal.waitForEnd() == 128 + signal)
    #expect(terminal.modes == terminal.modesBefore)
    #expect(terminal.screen.modes.isDisjoint(with: ["?2004"]))
  }

  @Test func `an ending signal during an answer reaches the action`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("wait\r")
    try terminal.wait { $0.screen.text.contains("waiting") }
    #expect(!terminal.isEchoing)
    terminal.send(SIGTERM)
    #expect(terminal.waitForEnd() == 143)
    #expect(terminal.read == [#""wait""#, #""end(signal: 15)""#, #"{"signal":15}"#])
    #expect(terminal.modes == terminal.modesBefore)
  }

  @Test func `a window that is closed during an answer leaves the action its time`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("linger\r")
    try terminal.wait { $0.screen.text.contains("lingering") }
    #expect(terminal.hangUp() == 129)
    #expect(terminal.read == [#""linger""#, #""end(signal: 1)""#, #""kept""#, #"{"signal":1}"#])
  }

  @Test func `a window that is closed during an answer leaves what was typed meanwhile`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("linger\r")
    try terminal.wait { $0.screen.text.contains("lingering") }
    terminal.type("a line\rhalf of antoh\u{7F}\u{7F}\u{7F}other")
    try terminal.waitUntilRead()
    #expect(terminal.hangUp() == 129)
    #expect(
      terminal.read == [
        #""linger""#, #""end(signal: 1)""#, #""kept""#, #"{"signal":1}"#, #"{"draft":"a line\nhalf of another"}"#,
      ])
  }

  @Test func `Ctrl-C stops an answer, and what was typed ahead is the next line`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("wait\r")
    try terminal.wait { $0.screen.text.contains("waiting") }
    terminal.type("typed ahead\n日本")
    terminal.type("\u{3}")
    try terminal.wait { $0.screen.text.hasSuffix("waiting\nprobe> typed ahead\n… 日本") }
    terminal.type("\r")
    try terminal.wait { $0.read == [#""wait""#, #""interrupt""#, #""typed ahead\n日本""#] }
  }

  @Test func `what was typed ahead answers no question that could not be seen yet`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("wait, then ask\r")
    try terminal.wait { $0.screen.text.contains("waiting") }
    terminal.type("y\rnext")
    terminal.type("\u{3}")
    try terminal.wait { $0.screen.text.hasSuffix("allow?") }
    terminal.type("no\r")
    try terminal.wait { $0.screen.text.hasSuffix("probe> next") }
    #expect(terminal.read == [#""wait, then ask""#, #""interrupt""#, #""no""#, #""y""#])
  }

  @Test func `one Ctrl-C after the other leaves when the first ones did not help`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("wait stubbornly\r")
    try terminal.wait { $0.screen.text.contains("waiting") }
    // Each must come within a second of the one before, which a busy machine does not always allow.
    var refused = 0
    repeat {
      terminal.type("\u{3}")
      guard terminal.shows(until: { $0.refusals > refused }) else { break }
      refused += 1
    } while refused < 100
    #expect(refused > 0)
    #expect(terminal.waitForEnd() == 130)
    #expect(terminal.modes == terminal.modesBefore)
  }

  @Test func `Ctrl-C on one answer and on the next ends both and nothing else`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    for answers in 1...3 {
      terminal.type("wait\r")
      try terminal.wait { $0.screen.text.hasSuffix("waiting") }
      terminal.type("\u{3}")
      try terminal.wait { $0.read.count == 2 * answers && $0.screen.lines.last == "probe>" }
    }
    #expect(terminal.read == Array(repeating: [#""wait""#, #""interrupt""#], count: 3).flatMap { $0 })
  }

  @Test func `an interrupt while nothing could be stopped is not kept beyond the prompt`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    let done = FileManager.default.temporaryDirectory.appending(path: "done-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: done) }
    terminal.type("work \(done.path)\r")
    try terminal.wait { $0.screen.text.contains("working") }
    terminal.send(SIGINT)
    try Data().write(to: done)
    try terminal.waitForPrompt()
    terminal.type("wait\r")
    try terminal.wait { $0.screen.text.contains("waiting") }
    terminal.type("\u{3}")
    try terminal.wait { $0.read.count >= 3 && $0.screen.lines.last == "probe>" }
    terminal.type("more\r")
    try terminal.wait { $0.read.last == #""more""# }
    // The probe's main thread takes signals too, and may be so late with it that the prompt is there.
    let read = terminal.read.dropFirst().drop { $0 == #"{"interrupted":false}"# }
    #expect(read == [#""wait""#, #""interrupt""#, #""more""#])
  }

  @Test func `an interrupt before the question that comes up is its answer`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    let done = FileManager.default.temporaryDirectory.appending(path: "done-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: done) }
    terminal.type("ask after \(done.path)\r")
    try terminal.wait { $0.screen.text.contains("working") }
    terminal.send(SIGINT)
    try Data().write(to: done)
    try terminal.waitForPrompt()
    #expect(terminal.read.last == #"{"interrupted":false}"#)
  }

  @Test(arguments: ["xterm", "dumb"])
  func `lines that were typed ahead of a question are left for the next prompt`(_ kind: String) throws {
    let terminal = try PseudoTerminal(["TERM": kind])
    try terminal.waitForPrompt()
    let done = FileManager.default.temporaryDirectory.appending(path: "typed-ahead-\(UUID())")
    defer { try? FileManager.default.removeItem(at: done) }
    terminal.type("ask after \(done.path)\ry\r")
    try terminal.wait { $0.screen.text.contains("working") }
    terminal.type("yes\r")
    // In its own line mode the terminal shows what it has.
    if kind == "dumb" { try terminal.wait { $0.screen.text.contains("yes") } } else { try terminal.waitUntilRead() }
    try Data().write(to: done)
    try terminal.wait { $0.screen.text.hasSuffix("allow?") }
    terminal.type("no\r")
    try terminal.wait { $0.read.suffix(3) == [#""no""#, #""y""#, #""yes""#] }
  }

  @Test func `a crash gives the terminal back`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("crash\r")
    #expect(terminal.waitForEnd() > 128)
    #expect(terminal.modes == terminal.modesBefore)
    #expect(!terminal.screen.modes.contains("?2004"))
  }

  @Test(arguments: ["half typed", "wait\r"])
  func `Ctrl-Z gives the terminal to the shell, and all is there again after`(
    _ typed: String
  ) throws {
    // A shell with job control: the stopped process would otherwise have nobody to continue it.
    let script = #"set -m; "$PROBE"; stty -a | grep -o ' -*icanon'; fg >/dev/null; echo "left with $?""#
    let terminal = try PseudoTerminal(arguments: ["/bin/bash", "-c", script])
    try terminal.waitForPrompt()
    terminal.type(typed)
    try terminal.wait { $0.screen.text.contains(typed == "wait\r" ? "waiting" : "half typed") }
    terminal.type(typed == "wait\r" ? "ahead" : "")
    terminal.type("\u{1A}")
    try terminal.wait { $0.screen.text.contains(" icanon") }
    if typed == "wait\r" {
      try terminal.wait { !$0.isEchoing }
      terminal.type("\u{3}")
      try terminal.wait { $0.screen.text.hasSuffix("probe> ahead") }
      terminal.type("\r")
      try terminal.wait { $0.read.last == #""ahead""# }
    } else {
      try terminal.wait { $0.screen.text.hasSuffix("icanon\nprobe> half typed") }
      terminal.type(" more\r")
      try terminal.wait { $0.read == [#""half typed more""#] }
    }
    terminal.type("\u{4}")
    try terminal.wait { $0.screen.text.contains("left with 0") }
  }

  @Test func `a new size keeps the text`() throws {
    let terminal = try PseudoTerminal(columns: 40)
    try terminal.waitForPrompt()
    terminal.type("a text that is longer than it")
    try terminal.wait { $0.screen.lines == ["probe> a text that is longer than it"] }
    terminal.resize(rows: 24, columns: 20)
    try terminal.wait { $0.screen.lines == ["probe> a text that i", "s longer than it"] }
    terminal.type(" was\r")
    try terminal.wait { $0.read == [#""a text that is longer than it was""#] }
  }

  @Test func `a terminal that goes away is a hang-up`() throws {
    let folder = FileManager.default.temporaryDirectory
    let log = folder.appending(path: "log-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: log) }
    try Data().write(to: log)
    // The terminal's master is closed while the process lives on; another terminal's program looks at its end.
    let fifo = folder.appending(path: "fifo-\(UUID().uuidString)").path
    try #require(mkfifo(fifo, 0o600) == 0)
    defer { unlink(fifo) }
    var terminal: PseudoTerminal? = try PseudoTerminal(
      arguments: ["/bin/bash", "-c", #"trap '' HUP; "$PROBE"; echo $? > "$FIFO""#],
      ["PROBE_LOG": log.path, "FIFO": fifo])
    try terminal?.waitForPrompt()
    terminal?.abandon()
    terminal = nil
    let end = try #require(FileHandle(forReadingAtPath: fifo))
    #expect(try end.readToEnd() == Data("129\n".utf8))
    #expect(try String(contentsOf: log, encoding: .utf8) == "{\"signal\":1}\n")
  }

  @Test func `a child has the terminal to itself, and its end is told`() throws {
    // Not by `umask`, which changes that of all tests for a moment.
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let mask = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") }).suffix(4)
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("run stty -a | grep -o ' -*icanon'; umask; printf no-newline; exit 7\r")
    try terminal.wait { $0.screen.text.hasSuffix("no-newline\nprobe>") }
    #expect(terminal.screen.lines.suffix(4).dropFirst() == [String(mask), "no-newline", "probe>"])
    #expect(terminal.screen.text.contains("\n icanon\n"))
    #expect(terminal.read[1] == #""7 ""#)
    // Not `sleep`: a shell that catches the interrupt on its way to another program would lose it.
    terminal.type("run echo begun; while :; do :; done\r")
    try terminal.wait { $0.screen.text.contains("\nbegun") }
    terminal.type("\u{3}")
    try terminal.wait { $0.read.last == #""130 ""# }
    terminal.type("capture printf 'a\\033[31mb\\n'; echo err >&2; kill $$\r")
    // The probe's main thread takes signals too, and may be so late with the one above that the prompt is there.
    try terminal.wait { $0.read.last?.hasPrefix("\"143 ") == true && $0.screen.text.hasSuffix("err\nprobe>") }
    #expect(terminal.read.last == #""143 a\u001b[31mb\nerr\n""#)
    #expect(terminal.screen.text.contains("\na^[[31mb\nerr\nprobe>"))
    terminal.type("missing\r")
    try terminal.wait { $0.read.last?.contains("notStarted") == true }
  }

  @Test func `a terminal that can do nothing is read in its own line mode`() throws {
    let terminal = try PseudoTerminal(["TERM": "dumb"])
    try terminal.wait { $0.screen.lines == ["probe>"] }
    terminal.type("plain\n")
    try terminal.wait { $0.read == [#""plain""#] }
    try terminal.wait { $0.screen.lines == ["probe> plain", "probe>"] }
    #expect(!terminal.shown.contains(0x1B))
    terminal.type("\u{4}")
    #expect(terminal.waitForEnd() == 0)
  }
}

extension PseudoTerminal {
  /// How often the stubborn answer refused to stop.
  fileprivate var refusals: Int { String(decoding: shown, as: UTF8.self).components(separatedBy: "no").count - 1 }
}

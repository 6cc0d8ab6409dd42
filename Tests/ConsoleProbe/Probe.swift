import Console
import Foundation
import Shell
import Text

/// A small shell that the tests drive on a terminal of their own. What it read goes to the file PROBE_LOG, a JSON value to
/// a line; some lines make it do things.
@main
enum Probe {
  static let lines = ["ship the old build", "first line\nsecond line", "Grüße aus 東京"]
  static let environment = ProcessInfo.processInfo.environment

  static func main() async {
    hardenProcess()
    if environment["PROBE_ASK"] != nil { await ask() }
    let isInteractive = environment["PROBE_PLAIN"] == nil
    let terminal = ConsoleTerminal(
      ConsoleOptions(
        isInteractive: isInteractive, colour: environment["PROBE_COLOUR"] != nil,
        redraws: environment["ACCESSIBLE"] == nil, edits: environment["TERM"] != "dumb"))
    let source: any LineSource =
      isInteractive ? LineEditor(terminal) : StreamLines(terminal: terminal)
    var initial = environment["PROBE_INITIAL"] ?? ""
    var lines = environment["PROBE_EARLIER"].map { [$0] } ?? Probe.lines
    while true {
      let request = LineRequest(
        prompt: [Span("probe", .accent), Span("> ")], initial: initial, recall: Lines(lines: lines), suggests: true,
        complete: complete, editor: environment["PROBE_EDITOR"] ?? "vi",
        editing: environment["PROBE_EDITING"] ?? "emacs")
      initial = ""
      let result = await source.next(request)
      log(result)
      if environment["PROBE_KEEPS"] != nil, case .line(let line) = result { lines.insert(line, at: 0) }
      switch result {
      case .line("secret"): log(await source.next(secret))
      case .line("unseen"):
        log(
          await source.next(LineRequest(prompt: [Span("sure? ")], isSecret: true, typedAhead: .left, isQuestion: true)))
      case .line("name"):
        log(await source.next(LineRequest(prompt: [Span("name: ")], isQuestion: true, isOneLine: true)))
      case .line("wait, then ask"):
        await act(on: "wait", terminal)
        log(await source.next(LineRequest(prompt: [Span("allow? ")], typedAhead: .left)))
      case .line(let line) where line.hasPrefix("ask after "):
        await act(on: line.replacing("ask after", with: "work"), terminal)
        log(await source.next(LineRequest(prompt: [Span("allow? ")], isQuestion: true)))
      case .line(let line):
        await act(on: line, terminal)
        if line == "wait" { initial = environment["PROBE_PUTS_BACK"] ?? "" }
      case .interrupted, .pastedLine, .repairedLine, .notText: break
      case .end: exit(0)
      case .signal(let signal, _): exit(128 + signal)
      }
    }
  }

  private static let secret = LineRequest(prompt: [Span("Password: ")], recall: Lines(lines: lines), isSecret: true)

  /// A run for one command that asks a question, and then for a secret.
  private static func ask() async {
    let terminal = ConsoleTerminal(ConsoleOptions(isInteractive: false, colour: false))
    let person = LineEditor(terminal)
    log(await person.next(LineRequest(prompt: [Span("probe> ")])))
    terminal.write([Span("between\n")], to: .output)
    log(await person.next(secret))
    exit(0)
  }

  private static func act(on line: String, _ terminal: ConsoleTerminal) async {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first {
    case "wait":
      let (interruptions, continuation) = AsyncStream.makeStream(of: Interruption.self)
      terminal.whenInterrupted { continuation.yield($0) }
      terminal.write([Span("waiting")], to: .output)
      var wanted = words.last == "stubbornly" ? Int.max : 1
      for await interruption in interruptions {
        log("\(interruption)")
        wanted -= 1
        if wanted == 0 || interruption != .interrupt { break }
        terminal.write([Span("no")], to: .output)
      }
      terminal.whenInterrupted(nil)
      terminal.write([Span("\n")], to: .output)
    case "linger":
      let (interruptions, continuation) = AsyncStream.makeStream(of: Interruption.self)
      terminal.whenInterrupted { continuation.yield($0) }
      terminal.write([Span("lingering")], to: .output)
      for await interruption in interruptions {
        log("\(interruption)")
        // Each finds that the terminal is gone.
        for _ in 0..<3 { terminal.write([Span("more")], to: .output) }
        // The console's thread looks at every signal before this is done.
        _ = try? await terminal.run(ChildCommand(["true"]), captureLimit: nil)
        log("kept")
        break
      }
      terminal.whenInterrupted(nil)
    case "status": terminal.status([Span("passing")])
    case "print": terminal.write([Span("\(words.last ?? "")\n", .error)], to: .output)
    case "work":
      terminal.write([Span("working\n")], to: .output)
      while !FileManager.default.fileExists(atPath: words.last ?? "") { usleep(5000) }  // timed: between looks
    case "later":
      let thread = Thread {
        while !FileManager.default.fileExists(atPath: words.last ?? "") { usleep(5000) }  // timed: between looks
        terminal.write([Span("news from elsewhere\n")], to: .notices)
      }
      thread.start()
    case "run", "capture":
      do throws(ChildError) {
        let limit = words.first == "run" ? nil : 1000
        let end = try await terminal.run(ChildCommand(["sh", "-c", words.last ?? ""]), captureLimit: limit)
        log("\(end.status) \(String(decoding: end.output, as: UTF8.self))")
      } catch {
        log("\(error)")
      }
    case "crash": fatalError("on purpose")
    case "missing":
      do throws(ChildError) {
        _ = try await terminal.run(ChildCommand(["/nowhere/program"]), captureLimit: nil)
      } catch {
        log("\(error)")
      }
    default: break
    }
  }

  private static let complete: @Sendable (String, Int) -> Completion = { line, cursor in
    let typed = String(String.UnicodeScalarView(line.unicodeScalars.prefix(cursor)))
    let candidates = [
      Candidate("/connect", summary: "use a server"), Candidate("/continue", summary: "go on with the last answer"),
      Candidate("/copy", summary: "to the clipboard"), Candidate("/quit", summary: "leave"),
    ].filter { $0.text.hasPrefix(typed) }
    return typed.isEmpty ? .none : Completion(replaced: 0..<cursor, candidates: candidates)
  }

  private static func log(_ result: LineResult) {
    switch result {
    case .line(let line), .pastedLine(let line): log(line)
    case .repairedLine, .notText: break
    case .interrupted(let hadText): log(["interrupted": hadText])
    case .end: log(["end": true])
    case .signal(let signal, let draft):
      log(["signal": signal])
      if !draft.isEmpty { log(["draft": draft]) }
    }
  }

  private static func log(_ value: some Encodable) {
    guard let path = environment["PROBE_LOG"], let json = try? JSONEncoder().encode(value),
      let file = FileHandle(forWritingAtPath: path)
    else { return }
    file.seekToEndOfFile()
    file.write(json + Data("\n".utf8))
    try? file.close()
  }
}

struct Lines: Recall {
  let lines: [String]

  func line(_ back: Int) -> String? { lines.indices.contains(back) ? lines[back] : nil }
}

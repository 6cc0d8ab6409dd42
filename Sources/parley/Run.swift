import Backends
import Console
import Dispatch
import Foundation
import Invocation
import Shell
import Store
import Text
import Transport

/// One run of the program: its world, its shell, its lines.
struct Run: Sendable {
  private let options: Options
  private let environment: [String: String]

  init(_ options: Options, _ environment: [String: String]) {
    self.options = options
    self.environment = environment
  }

  /// Runs to the end on other threads than the caller's, which waits; the exit status.
  func wait() -> Int32 {
    let done = DispatchSemaphore(value: 0)
    let status = ExitResult()
    // The program's only task of its own; this call waits for its end.
    Task {
      status.value = await run()
      done.signal()
    }
    done.wait()
    return status.value
  }

  private func run() async -> Int32 {
    let standardInput = StandardInput()
    let isInteractive =
      options.words.isEmpty && options.lines.isEmpty && options.file == nil && standardInput.kind == .terminal
      && isTerminal(.output)
    do throws(Refusal) {
      let paths = try Paths.real(environment)
      let preferences = try Preferences.made(paths, options)
      let terminal = ConsoleTerminal(.init(options, preferences, environment, isInteractive: isInteractive))
      let servers = Servers(paths.servers)
      var shell = Shell(
        world: .real(terminal, paths, Keys(environment, options, servers), environment),
        options: .init(options, isInteractive: isInteractive),
        preferences: preferences, servers: servers, person: LineEditor(terminal))
      shell.sayWarnings()
      await shell.begin()
      if shell.status == 0 || isInteractive { await runLines(&shell, terminal, standardInput) }
      await shell.end()
      return shell.status
    } catch {
      let terminal = ConsoleTerminal(ConsoleOptions(isInteractive: false))
      terminal.write(.text("error: ", .error) + .text(error.text + "\n"), to: .notices)
      if let hint = error.hint { terminal.write(.text("hint: ", .hint) + .text(hint + "\n"), to: .notices) }
      return error.status.rawValue
    }
  }

  /// Runs what the command line names, in the order of the shell contract's section 1.
  private func runLines(_ shell: inout Shell, _ terminal: ConsoleTerminal, _ input: StandardInput) async {
    if shell.options.isInteractive {
      await shell.runStartUpCommands()
      await shell.run(LineEditor(terminal))
    } else if !options.lines.isEmpty || options.file != nil {
      await shell.run(ScriptLines(options.lines))
      if let file = options.file, shell.goesOn { await runScript(file, &shell, terminal) }
    } else if options.words.first?.hasPrefix("/") == true {
      if shell.isMessage(options.words) {
        await ask(options.words, &shell, input)
      } else {
        _ = await shell.handle(words: options.words)
      }
    } else {
      await ask(options.words, &shell, input)
    }
  }

  private func runScript(_ file: String, _ shell: inout Shell, _ terminal: ConsoleTerminal) async {
    if file == "-" {
      await shell.run(StreamLines(terminal: terminal), script: "standard input")
    } else {
      await shell.run(file: file)
    }
  }

  /// One message of the words and standard input.
  private func ask(_ words: [String], _ shell: inout Shell, _ input: StandardInput) async {
    let waits = words.last == "-"
    let spoken = waits ? words.dropLast() : words
    let text = shell.messageText(spoken)
    guard let piped = read(input, waits: waits, hasWords: !spoken.isEmpty, &shell) else {
      text.isEmpty ? shell.complainAboutNothingToSend() : await shell.ask(text)
      return
    }
    switch (text.isEmpty, piped.allSatisfy(\.isWhitespace)) {
    case (true, true): shell.complainAboutNothingToSend()
    case (true, false): await shell.ask(piped.hasSuffix("\n") ? String(piped.dropLast()) : piped)
    case (false, true): await shell.ask(text)
    case (false, false): await shell.ask(text + "\n\n" + Fence.around(piped))
    }
  }

  /// nil when standard input is left alone.
  private func read(_ input: StandardInput, waits: Bool, hasWords: Bool, _ shell: inout Shell) -> String? {
    if options.ignoresStandardInput { return nil }
    switch input.kind {
    case .nothing: return nil
    case .terminal: return waits || !hasWords ? input.readAll() : nil
    case .file: return input.readAll()
    case .pipe:
      guard hasWords, !waits else { return input.readAll() }
      if input.isReady(within: 2) { return input.readAll() }
      shell.noteSilentPipe()
      return nil
    }
  }
}

/// Written once by the run's task before the waiting thread reads it.
final class ExitResult: @unchecked Sendable {  // the semaphore orders the write before the read
  var value: Int32 = 1
}

/// Why a run cannot begin.
struct Refusal: Error {
  var text: SafeText
  var hint: SafeText?
  var status: ExitStatus
}

import Backends
import Console
import Dispatch
import Foundation
import Invocation
import Shell
import Store
import Text
import Transport
import Waiting

/// One run of the program: its world, its shell, its lines.
struct Run: Sendable {
  private let options: Options
  /// Without the keys in it: nothing that this run starts has any business with them.
  private let environment: [String: String]
  private let keys: @Sendable (Servers) -> Keys

  init(_ options: Options, _ environment: [String: String]) {
    self.options = options
    self.environment = environment.filter { !Keys.variables.contains($0.key) }
    keys = { Keys(environment, options, $0) }
  }

  /// Runs to the end on other threads than the caller's, which waits; the exit status.
  func wait() -> Int32 {
    let done = DispatchSemaphore(value: 0)
    let status = Locked<Int32>(1)
    // The program's only task of its own; this call waits for its end.
    Task {
      let ended = await run()
      status.withLock { $0 = ended }
      done.signal()
    }
    done.wait()
    return status.withLock { $0 }
  }

  private func run() async -> Int32 {
    let standardInput = StandardInput()
    let hasTerminal = standardInput.kind == .terminal && isTerminal(.output)
    let isInteractive = options.words.isEmpty && options.lines.isEmpty && options.file == nil && hasTerminal
    do throws(Refusal) {
      let paths = try Paths.real(environment)
      let preferences = try Preferences.made(paths, options)
      let terminal = ConsoleTerminal(.init(options, preferences, environment, isInteractive: isInteractive))
      let servers = Servers(paths.servers, writes: !options.private)
      let keys = keys(servers)
      if let variable = keys.unusable, options.mayAskServer { throw Refusal(unusable: variable) }
      var shell = Shell(
        world: .real(
          terminal, paths, keys,
          KnownServers(paths.knownServers, writes: !options.private),
          Credentials(
            paths.credentials, preferences.credentialChoice, environment: environment, writes: !options.private),
          BrowseKeeping(BrowseCache(paths.cache), writes: !options.private),
          WireNotes(paths.wireNotes, writes: !options.private), environment,
          isVerbose: options.verbose, keepsThings: !options.private),
        options: .init(options, isInteractive: isInteractive, hasTerminal: hasTerminal),
        preferences: preferences, servers: servers,
        toolServers: ToolServers(paths.toolServers, writes: !options.private),
        permissions: Permissions(paths.permissions, writes: !options.private), person: LineEditor(terminal))
      shell.sayWarnings()
      await shell.begin()
      if shell.status == 0 || isInteractive && !shell.isRefused {
        await shell.play(options, standardInput, stream: { StreamLines(terminal: terminal) })
      }
      await shell.end()
      return shell.status
    } catch {
      let terminal = ConsoleTerminal(ConsoleOptions(isInteractive: false))
      terminal.write(.text("error: ", .error) + .text(error.text + "\n"), to: .notices)
      if let hint = error.hint { terminal.write(.text("hint: ", .hint) + .text(hint + "\n"), to: .notices) }
      return error.status.rawValue
    }
  }
}

extension StandardInput: MessageInput {
  var source: MessageInputKind {
    switch kind {
    case .terminal: .terminal
    case .nothing: .nothing
    case .file: .file
    case .pipe: .pipe
    }
  }
}

/// Why a run cannot begin.
struct Refusal: Error {
  var text: SafeText
  var hint: SafeText?
  var status: ExitStatus
}

extension Options {
  /// Whether a server may be asked: help, settings and the history need none.
  fileprivate var mayAskServer: Bool {
    guard let word = words.first, word.hasPrefix("/"), let name = Commands.names[String(word.dropFirst())] else {
      return true
    }
    return Commands.named(name).map { ![.shell, .history].contains($0.topic) } ?? true
  }
}

extension Refusal {
  /// A key of the environment that cannot stand in a request.
  fileprivate init(unusable variable: String) {
    self.init(
      text:
        "the key in \(variable) cannot be sent: it has a blank or another character that no key has, or is too long",
      hint: "unset \(variable) goes on without it", status: .usage)
  }
}

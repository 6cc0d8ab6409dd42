import Backends
import Console
import Dispatch
import Foundation
import Invocation
import Serving
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
    do throws(Refusal) { return options.serves ? try await serve() : try await play() } catch {
      let terminal = ConsoleTerminal(ConsoleOptions(isInteractive: false))
      terminal.write(.text("error: ", .error) + .text(error.text + "\n"), to: .notices)
      if let hint = error.hint { terminal.write(.text("hint: ", .hint) + .text(hint + "\n"), to: .notices) }
      return error.status.rawValue
    }
  }

  /// Does what the command line says, and reads what a person types.
  private func play() async throws(Refusal) -> Int32 {
    let standardInput = StandardInput()
    let hasTerminal = standardInput.kind == .terminal && isTerminal(.output)
    let isInteractive = options.words.isEmpty && options.lines.isEmpty && options.file == nil && hasTerminal
    let paths = try Paths.real(environment)
    let preferences = try Preferences.made(paths, options)
    let terminal = ConsoleTerminal(.init(options, preferences, environment, isInteractive: isInteractive))
    if let variable = keys(Servers(paths.servers, writes: false)).unusable, options.mayAskServer {
      throw Refusal(unusable: variable)
    }
    var shell = shell(
      paths, preferences, .init(options, isInteractive: isInteractive, hasTerminal: hasTerminal), terminal,
      LineEditor(terminal))
    shell.sayWarnings()
    await shell.begin()
    if shell.status == 0 || isInteractive && !shell.isRefused {
      await shell.play(options, standardInput, stream: { StreamLines(terminal: terminal) })
    }
    await shell.end()
    return shell.status
  }

  /// Serves an editor until it hangs up.
  private func serve() async throws(Refusal) -> Int32 {
    guard let streams = streamsOfProgram() else { throw .servesNoPerson }
    let paths = try Paths.real(environment)
    let preferences = try Preferences.made(paths, options)
    if let variable = keys(Servers(paths.servers, writes: false)).unusable { throw Refusal(unusable: variable) }
    let terminal = ConsoleTerminal(.init(options, preferences, environment, isInteractive: false))
    let runOptions = RunOptions(serving: options)
    let making = ShellMaking(
      terminal: terminal, version: Options.version, isFolder: { Files.isFolder($0) }, now: History.systemTime
    ) { place, front, person, observer in
      // They could be read a moment ago; where not, those of then are no worse.
      let preferences = (try? Preferences.made(paths, options)) ?? preferences
      return shell(paths, preferences, runOptions, front, person, observer, place)
    }
    // What is read is as long as a file that somebody embeds.
    let server = AgentServer(
      DescriptorChannel(input: streams.input, output: streams.output, lineLimit: 64 << 20), making)
    terminal.whenInterrupted { server.stop($0) }
    await server.run()
    return terminal.endingSignal.map { 128 + $0 } ?? 0
  }

  private func shell(
    _ paths: Paths, _ preferences: Preferences, _ runOptions: RunOptions, _ terminal: any Terminal,
    _ person: any LineSource, _ observer: (any TurnObserver)? = nil, _ place: SessionPlace = SessionPlace()
  ) -> Shell {
    let servers = Servers(paths.servers, writes: !options.private)
    return Shell(
      world: .real(
        terminal, paths, keys(servers),
        KnownServers(paths.knownServers, writes: !options.private),
        Credentials(
          paths.credentials, preferences.credentialChoice, environment: environment, writes: !options.private),
        BrowseKeeping(BrowseCache(paths.cache), writes: !options.private),
        WireNotes(paths.wireNotes, writes: !options.private), environment,
        isVerbose: options.verbose, keepsThings: !options.private, place: place),
      options: runOptions, preferences: preferences, servers: servers,
      toolServers: ToolServers(paths.toolServers, writes: !options.private),
      permissions: Permissions(paths.permissions, writes: !options.private), person: person, observer: observer)
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
  /// On a terminal there is no editor.
  fileprivate static let servesNoPerson = Refusal(
    text: "--acp speaks the Agent Client Protocol with an editor, and not with a terminal",
    hint: "parley /help editors shows what to tell the editor", status: .usage)

  /// A key of the environment that cannot stand in a request.
  fileprivate init(unusable variable: String) {
    self.init(
      text:
        "the key in \(variable) cannot be sent: it has a blank or another character that no key has, or is too long",
      hint: "unset \(variable) goes on without it", status: .usage)
  }
}

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
    // libdispatch reads the state of its threads from /proc each second, and crashes with SIGILL if it cannot.
    guard access("/proc/self/stat", R_OK) == 0 else { return refuse(.lacksProc) }
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
    do throws(Refusal) { return options.serves ? try await serve() : try await play() } catch { return refuse(error) }
  }

  private func refuse(_ refusal: Refusal) -> Int32 {
    let terminal = ConsoleTerminal(ConsoleOptions(isInteractive: false))
    terminal.write(.text("error: ", .error) + .text(refusal.text + "\n"), to: .notices)
    if let hint = refusal.hint { terminal.write(.text("hint: ", .hint) + .text(hint + "\n"), to: .notices) }
    return refusal.status.rawValue
  }

  /// Does what the command line says, and reads what a person types.
  private func play() async throws(Refusal) -> Int32 {
    let standardInput = StandardInput()
    let hasTerminal = standardInput.kind == .terminal && isTerminal(.output)
    let isInteractive = options.words.isEmpty && options.lines.isEmpty && options.file == nil && hasTerminal
    let paths = try Paths.real(environment)
    let preferences = try Preferences.made(paths, options)
    let look: @Sendable (Preferences) -> ConsoleOptions = { [options, environment] preferences in
      ConsoleOptions(options, preferences, environment, isInteractive: isInteractive)
    }
    let terminal = ConsoleTerminal(look(preferences), look: look)
    let surrounding = try surrounding(paths, preferences, mustHaveKey: options.mayAskServer)
    var shell = shell(
      surrounding.world(terminal, keepsTerminals: isInteractive),
      .init(options, isInteractive: isInteractive, hasTerminal: hasTerminal), preferences,
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
    let terminal = ConsoleTerminal(.init(options, preferences, environment, isInteractive: false))
    let surrounding = try surrounding(paths, preferences, mustHaveKey: true)
    let runOptions = RunOptions(serving: options)
    let making = ShellMaking(
      terminal: terminal, version: Options.version, isFolder: { Files.isFolder($0) }, now: History.systemTime,
      pause: Surrounding.pause
    ) { place, editor, person in
      // They could be read a moment ago; where not, those of then are no worse.
      let preferences = (try? Preferences.made(paths, options)) ?? preferences
      return shell(surrounding.world(editor, at: place, isOnly: false), runOptions, preferences, person, editor)
    }
    // What is read is as long as a file that somebody embeds.
    let server = AgentServer(
      DescriptorChannel(input: streams.input, output: streams.output, lineLimit: 64 << 20), making)
    terminal.whenInterrupted { server.stop($0) }
    let end = await server.run()
    await surrounding.finish()
    switch end {
    case .hangUp: return 0
    case .stopped(.interrupt): return ExitStatus.interrupted.rawValue
    case .stopped(.end(let signal)): return 128 + signal
    case .tooLong(let limit):
      throw Refusal(text: "a message of the editor is longer than \(limit >> 20) MiB", hint: nil, status: .failure)
    }
  }

  /// - Parameter mustHaveKey: whether a key of the environment that cannot be sent is in the way.
  private func surrounding(
    _ paths: Paths, _ preferences: Preferences, mustHaveKey: Bool
  ) throws(Refusal) -> Surrounding {
    let keys = keys(Servers(paths.servers, writes: !options.private))
    if let variable = keys.unusable, mustHaveKey { throw Refusal(unusable: variable) }
    return Surrounding(
      paths, environment, keys, preferences.credentialChoice, isVerbose: options.verbose,
      keepsThings: !options.private)
  }

  private func shell(
    _ world: World, _ runOptions: RunOptions, _ preferences: Preferences, _ person: any LineSource,
    _ observer: (any TurnObserver)? = nil
  ) -> Shell {
    let paths = world.paths
    return Shell(
      world: world, options: runOptions, preferences: preferences,
      servers: Servers(paths.servers, writes: !options.private),
      toolServers: ToolServers(paths.toolServers, writes: !options.private),
      permissions: Permissions(paths.permissions, writes: !options.private),
      snippets: Snippets(paths.snippets, writes: !options.private), person: person, observer: observer)
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
  /// /proc is missing, for example in a chroot. Only `--version` and `--help` work there.
  fileprivate static let lacksProc = Refusal(
    text: "cannot run without /proc: it is not mounted", hint: "mount -t proc proc /proc", status: .failure)

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

import Chat
import Confined
import Transport
import Wire

/// The commands that run for an agent, and the output of those that it has given back: it may still be shown.
struct ACPTerminals: Sendable {
  /// The most commands of one agent at the same time (docs/rules.md A7).
  static let limit = 16
  private static let keptLimit = 32
  private static let shownLimit = 16 << 10

  private(set) var running: [String: CommandRun] = [:]
  private var kept: [(id: String, text: String)] = []
  private var last = 0

  mutating func add(_ run: CommandRun) -> String {
    last += 1
    let id = "terminal-\(last)"
    running[id] = run
    return id
  }

  mutating func release(_ id: String, text: String) {
    running[id] = nil
    kept.append((id, String(text.suffix(ACPTerminals.shownLimit))))
    if kept.count > ACPTerminals.keptLimit { kept.removeFirst() }
  }

  /// nil for one that is not known.
  func text(of id: String) -> String? { running[id]?.output().text ?? kept.last { $0.id == id }?.text }
}

/// Commands that an agent has this program run (docs/acp.md 6). Each is asked about, unless exactly it was allowed.
extension ACPAgent {
  func createTerminal(_ params: JSON) async throws(RPCFailure) -> JSON {
    guard let command = params["command"]?.string, !command.isEmpty else { throw .invalid("no command") }
    let arguments = try arguments(params)
    let (turn, ours) = known.withLock { ($0.turn, $0.start) }
    let start = try startFolder(params)
    let asked = AgentCommand(
      words: [command] + arguments, isShellLine: arguments.isEmpty && isLine(command), folder: start.path,
      variables: variables(params))
    let isAllowed =
      asked.variables.isEmpty && start == ours && known.withLock { $0.allowed.take(running: asked) }
    if !isAllowed { try await leave(.run(asked), params) }
    // The person may have thought for long.
    guard start.isInPlace else { throw .refused("the folder is another one now") }
    guard known.withLock({ $0.terminals.running.count }) < ACPTerminals.limit else {
      throw .refused("too many commands run")
    }
    let run: CommandRun
    do throws(ChildProgram.Failure) {
      let variables = asked.variables.map { ($0.name, $0.value) }
      run = try await surroundings.children.run(
        asked.isShellLine ? ["sh", "-c", command] : asked.words, in: start.path, adding: variables,
        outputLimit: min(max(0, params["outputByteLimit"]?.int ?? CommandRun.usualLimit), CommandRun.greatestLimit),
        environment: surroundings.environment)
    } catch { throw .refused("cannot start \(command): \(error.reason)") }
    let id = known.withLock { known -> String? in
      // Whoever stops the turn from here on finds it among those that run.
      turn.map { $0.stop == .none } ?? true ? known.terminals.add(run) : nil
    }
    guard let id else {
      await run.kill()
      throw RPCFailure(code: ACPCode.cancelled, message: "Request cancelled")
    }
    return ["terminalId": .string(id)]
  }

  private func arguments(_ params: JSON) throws(RPCFailure) -> [String] {
    var arguments: [String] = []
    switch params["args"] {
    case nil, .null?: break
    case .array(let words)?:
      for word in words {
        guard let text = word.string else { throw .invalid("an argument that is no text") }
        arguments.append(text)
      }
    default: throw .invalid("args is to be a list")
    }
    return arguments
  }

  /// Where it starts: where that really is, and no folder of ours.
  private func startFolder(_ params: JSON) throws(RPCFailure) -> StartFolder {
    do throws(ConfinedFailure) {
      if let wanted = params["cwd"]?.string, !wanted.isEmpty {
        return try StartFolder(wanted, ownFolders: surroundings.ownFolders)
      }
      guard let start = known.withLock({ $0.start }) else { throw .missing }
      guard start.isInPlace else { throw .moved }
      return start
    } catch { throw RPCFailure(error) }
  }

  /// Many agents put a whole line of a shell where the program belongs.
  private func isLine(_ command: String) -> Bool {
    let signs = Set(" \t\n|&;<>()$`\"'*?[]#~=%!{}\\")
    return command.contains(where: signs.contains) && !isFile(command)
  }

  private func isFile(_ command: String) -> Bool {
    surroundings.isFile(command.contains("/") && !command.hasPrefix("/") ? folder + "/" + command : command)
  }

  private func variables(_ params: JSON) -> [AgentCommand.Variable] {
    (params["env"]?.array ?? []).compactMap { entry in
      guard let name = entry.text("name"), let value = entry["value"]?.string else { return nil }
      return AgentCommand.Variable(name: name, value: value)
    }
  }

  func terminal(_ params: JSON) throws(RPCFailure) -> CommandRun {
    let found = params["terminalId"]?.string.flatMap { id in known.withLock { $0.terminals.running[id] } }
    guard let found else { throw RPCFailure(code: ACPCode.notFound, message: "Resource not found") }
    return found
  }

  /// Its output may still be shown.
  func releaseTerminal(_ params: JSON) async throws(RPCFailure) -> JSON {
    let run = try terminal(params)
    await run.kill()
    let text = run.output().text
    known.withLock { known in
      if let id = params["terminalId"]?.string { known.terminals.release(id, text: text) }
    }
    return [:]
  }

  /// Ends what still runs.
  func endTerminals() async {
    let runs = known.withLock { known in
      defer { known.terminals = ACPTerminals() }
      return Array(known.terminals.running.values)
    }
    await withDiscardingTaskGroup { group in
      for run in runs { group.addTask { await run.kill() } }
    }
  }
}

extension CommandRun {
  /// The result of `terminal/output`.
  var state: JSON {
    let output = output()
    var json: JSON = ["output": .string(output.text), "truncated": .bool(output.isTruncated)]
    if let end = output.end { json["exitStatus"] = end.json }
    return json
  }

  /// The result of `terminal/wait_for_exit`.
  func exit() async throws(RPCFailure) -> JSON {
    guard let end = await ended() else { throw RPCFailure(code: ACPCode.cancelled, message: "Request cancelled") }
    return end.json
  }
}

extension CommandEnd {
  fileprivate var json: JSON {
    ["exitCode": exitCode.map { .int(Int($0)) } ?? .null, "signal": signal.map(JSON.string) ?? .null]
  }
}

package import Chat
package import Transport
import Waiting
package import Wire

/// A program on this machine that is spoken with in JSON-RPC, a message a line (docs/mcp.md 6).
package final class StdioChannel: RPCChannel, Sendable {
  private let child: ChildProcess
  private let lines: Locked<LineBuffer>

  /// Starts the program.
  /// - Parameters:
  ///   - command: the program and what it is called with.
  ///   - passing: names of variables of `environment` that it gets besides the usual ones.
  ///   - environment: ours.
  ///   - folder: where it starts; nil is where we are.
  ///   - lineLimit: the most bytes of one message.
  package init(
    command: [String], passing: [String], environment: [String: String], children: Children, in folder: String? = nil,
    lineLimit: Int = JSONLines.lineLimit
  ) async throws(ToolError) {
    lines = Locked(LineBuffer(limit: lineLimit))
    do throws(ChildProgram.Failure) {
      child = try await children.start(ChildProgram(command, environment: environment, passing: passing, in: folder))
    } catch {
      throw .notStarted(program: command.first ?? "", reason: error.reason)
    }
  }

  package func send(_ message: JSONRPCMessage) async throws(RPCError) {
    guard await child.write(JSONLines.line(message)) else { throw .closed }
  }

  package func receive() async throws(RPCError) -> JSONLines.Line? {
    while true {
      if let line = try lines.withLock({ lines throws(RPCError) in try lines.next() }) { return line }
      guard let bytes = await child.read() else { return nil }
      lines.withLock { $0.feed(bytes) }
    }
  }

  package func close() async { await child.stop() }

  /// What the program is called.
  package var name: String { child.name }

  /// The end of what the program wrote to its standard error. Not to be trusted.
  package var log: String { child.log }

  /// What became of the program, once nothing of it is left; it is ended when it still runs.
  package func exit() async -> ToolError {
    let exit = await child.stop()
    return .exited(program: child.name, status: exit.status, lastWords: exit.lastWords)
  }
}

/// The lines that have come and were not taken.
private struct LineBuffer: Sendable {
  private let limit: Int
  private var framing: JSONLines
  private var lines: [JSONLines.Line] = []
  private var taken = 0
  private var isTooLong = false

  init(limit: Int) {
    self.limit = limit
    framing = JSONLines(limit: limit)
  }

  mutating func feed(_ bytes: [UInt8]) {
    (lines, taken) = ([], 0)
    do throws(JSONLines.Failure) {
      try framing.feed(bytes) { lines.append($0) }
    } catch {
      isTooLong = true
    }
  }

  /// nil when all have been taken.
  mutating func next() throws(RPCError) -> JSONLines.Line? {
    guard taken < lines.count else {
      if isTooLong { throw .tooLong(limit: limit) }
      return nil
    }
    defer { taken += 1 }
    return lines[taken]
  }
}

extension ChildProgram.Failure {
  /// In a word or two, for the inside of a sentence.
  var reason: String {
    switch self {
    case .notFound: "not found"
    case .notExecutable: "not executable"
    case .noFolder(let folder): "no folder \(folder)"
    case .problem(let words): words.lowercasedStart
    case .ending: "parley is ending"
    }
  }
}

extension String {
  /// As words of the system stand inside a sentence.
  fileprivate var lowercasedStart: String { prefix(1).lowercased() + dropFirst() }
}

import Chat
import Transport
import Waiting
import Wire

/// What a connection knows at the moment: the way to its server, and the server's tools.
actor MCPSession {
  private typealias Outcome = Result<any MCPLine, ToolError>

  /// Begins to speak with the server, given what was found out about it before.
  typealias Opening =
    @Sendable (CallBoard, MCPVerdict?) async throws(MCPFault) -> (line: any MCPLine, verdict: MCPVerdict)

  /// Seconds that all farewells may take together when everything ends.
  private static let farewellLimit = 3.0

  nonisolated let board: CallBoard
  nonisolated let clock: TimeSource
  nonisolated let timeouts: Timeouts
  private let address: String
  private let memory: WireMemory
  private let opening: Opening
  private nonisolated let changes = ChangeCount()

  private var current: (number: Int, line: any MCPLine)?
  private var lastNumber = 0
  private let connecting = SingleFlight<Outcome>()
  /// This session's, by number: each removes itself.
  private var farewells: [Int: Task<Void, Never>] = [:]
  private var listed: Listed?
  /// Whether nothing is begun any more.
  private(set) var isClosing = false

  /// The tools as they were listed.
  struct Listed: Sendable {
    var tools: [ListedTool]
    /// The moment from which on the server is asked again.
    var expires: Double?
    /// How often the server had said that its list changed.
    var changes: Int
  }

  init(address: String, memory: WireMemory, timeouts: Timeouts, clock: TimeSource, opening: @escaping Opening) {
    self.address = address
    self.memory = memory
    self.timeouts = timeouts
    self.clock = clock
    self.opening = opening
    board = CallBoard(listChanged: { [changes] in changes.add() })
  }

  /// The way to the server, made when there is none.
  func line() async throws(ToolError) -> (number: Int, line: any MCPLine) {
    while true {
      if let current, !isClosing { return current }
      if Task.isCancelled || isClosing { throw .cancelled }
      guard let outcome = await connecting.outcome(of: { await self.connect() }) else { throw .cancelled }
      _ = try outcome.get()
    }
  }

  private func connect() async -> Outcome {
    do throws(ToolError) {
      let line = try await opened()
      lastNumber += 1
      current = (lastNumber, line)
      return .success(line)
    } catch {
      return .failure(error)
    }
  }

  private func opened() async throws(ToolError) -> any MCPLine {
    var known = memory.recall(address)
    while true {
      do throws(MCPFault) {
        let (line, verdict) = try await opening(board, known)
        memory.keep(address, verdict)
        return line
      } catch {
        switch error {
        // What was known does not hold any more.
        case .otherEra, .sessionGone:
          guard known != nil else { throw error.tool }
          known = nil
          memory.keep(address, nil)
        default: throw error.tool
        }
      }
    }
  }

  /// Gives up a way that was found closed, unless another took its place. The era too, when it is to be found anew.
  func drop(_ number: Int, forgettingEra: Bool = false) {
    guard let current, current.number == number else { return }
    self.current = nil
    listed = nil
    if forgettingEra { memory.keep(address, nil) }
    let line = current.line
    farewell { await line.close() }
  }

  /// Does what nobody waits for, but `close`.
  func farewell(_ body: @escaping @Sendable () async -> Void) {
    lastNumber += 1
    let number = lastNumber
    farewells[number] = Task {
      await body()
      farewells[number] = nil
    }
  }

  /// Ends it all.
  func close() async {
    isClosing = true
    // It may come about all the same, and is closed then.
    await connecting.cancel()
    let hurrying = Task { await self.hurry() }
    for farewell in farewells.values { await farewell.value }
    hurrying.cancel()
    guard let line = current?.line else { return }
    current = nil
    await line.close()
  }

  /// Ends the farewells that take too long: a program that reads nothing is not told that nobody waits for it.
  private func hurry() async {
    await clock.sleep(MCPSession.farewellLimit)
    guard !Task.isCancelled else { return }
    for farewell in farewells.values { farewell.cancel() }
  }

  // The list of tools

  /// The tools as they are known, when they still count.
  func known() -> [ListedTool]? {
    guard let listed, listed.changes == changes.count, listed.expires.map({ clock.now() < $0 }) ?? true else {
      return nil
    }
    return listed.tools
  }

  nonisolated var changesSoFar: Int { changes.count }

  func keep(_ tools: [ListedTool], lifetime: Double?, changes: Int) {
    listed = Listed(tools: tools, expires: lifetime.map { clock.now() + $0 }, changes: changes)
  }

  /// How a tool was listed last, however long ago.
  func lastKnown(_ tool: String) -> ListedTool? { listed?.tools.first { $0.tool.name == tool } }
}

extension MCPFault {
  /// For whoever asked.
  var tool: ToolError {
    switch self {
    case .sessionGone(let error), .otherEra(let error), .failed(let error): error
    case .cut: .lost
    case .refused(let failure): .refused(code: failure.code, message: failure.message)
    }
  }
}

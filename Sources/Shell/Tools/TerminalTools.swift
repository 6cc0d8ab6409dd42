import Chat
import Waiting
import Wire

/// The person's terminals as a server of tools (docs/terminals.md 11). Whoever calls it has the person's leave.
final class TerminalTools: ToolConnection, Sendable {
  let server = ToolServer.terminals
  private let places: [TerminalPlace]
  private let bounds: Bounds
  /// Milliseconds since 1970.
  private let now: @Sendable () -> Int
  private let pause: @Sendable (_ seconds: Double) async -> Void
  /// Where commands run: another would be typed into one.
  private let taken = Locked<Set<String>>([])
  /// Those that the person was asked about, by their ids, until a command runs there.
  private let asked = Locked<[String: TerminalInfo]>([:])

  struct Bounds: Sendable {
    /// Seconds without output after which a command is left, and those that one lasts in all.
    var quiet = 30.0
    var whole = 600.0
    /// Characters of a result.
    var result = 20_000
  }

  /// Seconds for a server to say which it has, and for a key to be typed.
  private static let (patience, keyPatience) = (5.0, 3.0)

  /// - Parameter pause: returns after so many seconds, or when its task is cancelled.
  init(
    _ places: [TerminalPlace], _ bounds: Bounds, now: @escaping @Sendable () -> Int,
    pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) {
    self.places = places
    self.bounds = bounds
    self.now = now
    self.pause = pause
  }

  convenience init(_ places: [TerminalPlace], _ desk: Desk) {
    let preferences = desk.preferences
    let bounds = Bounds(
      quiet: preferences.number("timeout.terminal") ?? 30, whole: max(600, preferences.timeouts.tool),
      result: preferences.toolResultLimit)
    self.init(places, bounds, now: desk.world.now, pause: desk.world.pause)
  }

  func tools() async throws(ToolError) -> [Tool] { TerminalTool.all }

  func call(_ tool: String, _ arguments: JSON) -> ToolRun {
    // Of calls that are made together the first is served, whichever begins first: the next may depend on it.
    let claim = TerminalTool(rawValue: tool) == .run ? TerminalClaim(arguments.text("terminal"), taken) : nil
    return OwnCall { [self] tell async throws(ToolError) in
      defer { claim?.release() }
      do throws(ShellError) {
        switch TerminalTool(rawValue: tool) {
        case .list: return try await list()
        case .show: return try await show(arguments)
        case .run:
          guard claim?.isHeld == true else {
            throw .terminal(.failed("another command of yours runs there: one at a time"))
          }
          return try await run(arguments, tell)
        case nil: throw .unknown(.tool, tool, nearest: [])
        }
      } catch {
        if case .interrupted = error { throw .cancelled }
        return TerminalResults.failure(error)
      }
    }.run
  }

  func preview(of tool: String, _ arguments: JSON) async -> CallPreview {
    guard TerminalTool(rawValue: tool) == .run else { return CallPreview() }
    let word = arguments.text("terminal")
    do throws(ShellError) {
      let found = try await within(TerminalTools.patience, pause: pause) { [self] () async throws(ShellError) in
        try await terminal(called: word)
      }
      guard let found else { throw .terminal(.failed("no answer within \(Int(TerminalTools.patience)) s")) }
      asked.withLock { $0[word] = found.info }
      let place = found.place.entry.map { "server \($0.server.name)" } ?? "this machine"
      return CallPreview(subject: [place] + [found.info.folder, found.info.program].compactMap { $0 })
    } catch { return CallPreview(failure: TerminalResults.failure(error)) }
  }

  private func list() async throws(ShellError) -> ToolResult {
    let lists = await places.lists(within: TerminalTools.patience, pause: pause)
    if Task.isCancelled { throw .interrupted }
    var result = TerminalResults.Listing(now: now())
    for (place, list) in zip(places, lists) {
      switch list {
      case .success(let all): for terminal in all { result.add(terminal, called: place.word(for: terminal.id)) }
      // Who has others needs none here.
      case .failure(.notInstalled) where places.count > 1: break
      case .failure(let error): result.leaveOut(place, Complaint(place.failure(error)).text)
      case nil: result.leaveOut(place, "no answer within \(Int(TerminalTools.patience)) s")
      }
    }
    return result.result
  }

  private func show(_ arguments: JSON) async throws(ShellError) -> ToolResult {
    let count = arguments.number("lines") ?? Double(TerminalTool.usualLines)
    guard let limit = Int(exactly: count), 1...TerminalTool.mostLines ~= limit else {
      throw .terminal(.failed("lines is a whole number from 1 to \(TerminalTool.mostLines)"))
    }
    let (place, info) = try await terminal(called: arguments.text("terminal"))
    do throws(TerminalError) {
      var text = LastPart(limit: bounds.result - TerminalResults.room)
      text.add(try await place.terminals.lines(of: info.id, atMost: limit))
      return ToolResult(content: [.text(text.shown)])
    } catch { throw place.failure(error) }
  }

  private func run(
    _ arguments: JSON, _ tell: @escaping @Sendable (ToolEvent) -> Void
  ) async throws(ShellError) -> ToolResult {
    let command = arguments.text("command")
    guard !command.allSatisfy(\.isWhitespace) else { throw .terminal(.failed("the command is empty")) }
    // A model may say any number; none is waited for longer than a command lasts.
    let quiet = min(arguments.number("quiet") ?? bounds.quiet, bounds.whole)
    guard quiet >= 0.1 else { throw .terminal(.failed("quiet is a number of seconds, at least 0.1")) }
    let word = arguments.text("terminal")
    let (place, info) = try await terminal(called: word)
    if let asked = asked.withLock({ $0.removeValue(forKey: word) }), !asked.isSame(as: info) {
      throw .terminal(.failed("\(word) is another terminal by now than the one that the person was asked about"))
    }
    let id = info.id
    let output = Locked(LastPart(limit: bounds.result - TerminalResults.room))
    let end = try await end(of: place.terminals.run(command, in: id, quiet: quiet), at: place) { text in
      output.withLock { $0.add(text) }
      if let line = text.split(whereSeparator: \.isNewline).last {
        tell(.progress(ToolProgress(done: 0, message: String(line))))
      }
    }
    return TerminalResults.result(end, output.withLock { $0 }, after: bounds.whole, at: place, id)
  }

  /// How a command ended; nil when it lasts too long, and is left running.
  private func end(
    of run: TerminalRun, at place: TerminalPlace, say: @escaping @Sendable (String) -> Void
  ) async throws(ShellError) -> TerminalRun.End? {
    do throws(TerminalError) {
      let end = try await within(bounds.whole, pause: pause) { () async throws(TerminalError) -> TerminalRun.End in
        while let event = try await run.next() {
          switch event {
          case .output(let text): say(text)
          case .ended(let end): return end
          }
        }
        throw .cancelled
      }
      if end == nil, Task.isCancelled { throw .cancelled }
      return end
    } catch {
      if error == .cancelled {
        // This task is cancelled, and what types the key must not be.
        await Task { [pause] in _ = await within(TerminalTools.keyPatience, pause: pause) { await run.interrupt() } }
          .value
      }
      throw place.failure(error)
    }
  }

  /// The one of exactly this name, for that is what was allowed.
  private func terminal(called word: String) async throws(ShellError) -> (place: TerminalPlace, info: TerminalInfo) {
    let server = word.firstIndex(of: "/").map { String(word[..<$0]) }
    let away = places.first { $0.entry != nil && $0.entry?.server.name == server }
    guard let place = away ?? places.first(where: { $0.entry == nil }) else {
      throw .unknown(.terminal, word, nearest: [])
    }
    let all: [TerminalInfo]
    do throws(TerminalError) { all = try await place.terminals.list() } catch { throw place.failure(error) }
    if let found = all.first(where: { place.word(for: $0.id) == word }) { return (place, found) }
    throw .unknown(.terminal, word, nearest: Nearest.words(to: word, among: all.map { place.word(for: $0.id) }))
  }
}

/// What it has besides tools.
extension TerminalTools {
  func about() async throws(ToolError) -> ToolServerFacts {
    ToolServerFacts(
      name: "parley", title: "the terminals that /terminals lists", protocolVersion: "", transport: "",
      offersTools: true, offersPrompts: false, offersResources: false)
  }

  func prompts() async throws(ToolError) -> [ToolPrompt] { throw .notOffered("prompts") }
  func prompt(_ name: String, _ arguments: [String: String]) async throws(ToolError) -> [PromptMessage] {
    throw .notOffered("prompts")
  }
  func resources() async throws(ToolError) -> [ToolResource] { throw .notOffered("resources") }
  func read(_ uri: String) async throws(ToolError) -> [ResourceContent] { throw .notOffered("resources") }

  var account: (any ToolAccount)? { nil }

  func close() async {}
}

/// A terminal that a call has for itself, from when it is made until it is over, or is not to be any more.
private final class TerminalClaim: Sendable {
  let isHeld: Bool
  private let word: String
  private let taken: Locked<Set<String>>
  private let isOver = Locked(false)

  init(_ word: String, _ taken: Locked<Set<String>>) {
    self.word = word
    self.taken = taken
    isHeld = taken.withLock { $0.insert(word).inserted }
  }

  deinit { release() }

  func release() {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    if isFirst, isHeld { taken.withLock { _ = $0.remove(word) } }
  }
}

extension TerminalInfo {
  /// Whether it is the terminal that it was, as far as its server tells, and no other of that name.
  fileprivate func isSame(as other: TerminalInfo) -> Bool { pid == other.pid && createdAt == other.createdAt }
}

extension JSON {
  /// An argument as text; empty where it is none.
  fileprivate func text(_ key: String) -> String { self[key]?.string ?? "" }

  /// Models write numbers as text too. What is neither is not a number; nil where there is nothing.
  fileprivate func number(_ key: String) -> Double? {
    guard let value = self[key], !value.isNull else { return nil }
    return value.double ?? value.string.flatMap(Double.init) ?? .nan
  }
}

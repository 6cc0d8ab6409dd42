import Chat
import Wire

/// A terminal that is looked at from behind: what it says comes in lines, without the marks of commands
/// (docs/terminals.md 3, 10).
actor WatchedLine: TerminalLine {
  private let line: any TerminalLine
  private var output = TerminalOutput()

  nonisolated var goesOn: Bool { line.goesOn }

  init(_ line: any TerminalLine) { self.line = line }

  func next() async throws(TerminalError) -> TerminalNotice? {
    while let notice = try await line.next() {
      guard case .output(let bytes) = notice else { return notice }
      // What is not finished goes on.
      let lines = output.feed(bytes).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let own = CommandMarks.without(Array(lines))
      if !own.isEmpty { return .lines(own.map(String.init)) }
    }
    return nil
  }

  func type(_ keys: [UInt8]) async { await line.type(keys) }

  func resize(columns: Int, rows: Int) async { await line.resize(columns: columns, rows: rows) }

  func past(atMost limit: Int) async -> String? { await line.past(atMost: limit) }

  func leave() async { await line.leave() }
}

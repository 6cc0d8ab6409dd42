import Chat
import Waiting
import Wire

/// A terminal that is looked at from behind the prompt.
final class WatchedTerminal: Sendable {
  /// What came of it since that was last asked.
  struct News: Sendable {
    /// Lines that it wrote.
    var lines = 0
    /// The last of them that has something in it, not to be trusted.
    var lastLine: String?
    /// Set once, when nothing more comes.
    var end: Result<Int?, TerminalError>?
  }

  fileprivate struct State {
    var connection = TerminalConnection.connected
    var output = TerminalOutput()
    var news = News()
    var hasEnded = false
  }

  let word: String
  let place: TerminalPlace
  private let line: any TerminalLine
  private let state: Locked<State>
  private let reading: Task<Void, Never>

  /// - Parameters:
  ///   - line: stands already. What a server repeats first is nothing new.
  ///   - changed: is called when the connection stands otherwise.
  init(_ word: String, at place: TerminalPlace, _ line: any TerminalLine, changed: @escaping @Sendable () -> Void) {
    self.word = word
    self.place = place
    self.line = line
    let state = Locked(State())
    self.state = state
    // Ours: it ends with the terminal, or with `close`.
    reading = Task {
      do throws(TerminalError) {
        while let notice = try await line.next() {
          if state.withLock({ $0.take(notice) }) { changed() }
        }
      } catch {
        guard error != .cancelled else { return }
        state.withLock { $0.fail(error) }
        changed()
      }
    }
  }

  deinit { reading.cancel() }

  var connection: TerminalConnection { state.withLock { $0.connection } }

  /// Whether its shell has ended, and it is not watched any more.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func takeNews() -> News {
    state.withLock { state in
      defer { state.news = News() }
      return state.news
    }
  }

  /// Ends the connection; the terminal goes on.
  func close() async {
    reading.cancel()
    await line.leave()
  }
}

extension WatchedTerminal.State {
  /// Whether the connection stands otherwise now.
  fileprivate mutating func take(_ notice: TerminalNotice) -> Bool {
    let before = connection
    switch notice {
    case .output(let bytes): note(output.feed(bytes))
    case .lost, .waiting: connection = .disconnected
    case .dialing: connection = .connecting
    case .back: connection = .connected
    case .ended(let status):
      note(output.finish())
      (hasEnded, connection, news.end) = (true, .disconnected, .success(status))
    }
    return connection != before
  }

  fileprivate mutating func fail(_ error: TerminalError) { (connection, news.end) = (.error(error), .failure(error)) }

  private mutating func note(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    news.lines += lines.count
    if let last = lines.last(where: { !$0.allSatisfy(\.isWhitespace) }) { news.lastLine = String(last) }
  }
}

extension Links {
  /// Looks at a terminal from behind the prompt from now on, anew where it was.
  mutating func watch(_ word: String, at place: TerminalPlace, _ line: any TerminalLine, _ desk: Desk) async {
    await unwatch(word)
    let terminal = desk.world.terminal
    watched.append(WatchedTerminal(word, at: place, line) { terminal.promptChanged() })
  }

  mutating func unwatch(_ word: String) async {
    for terminal in watched where terminal.word == word { await terminal.close() }
    watched.removeAll { $0.word == word }
  }

  mutating func unwatchAll() async {
    for terminal in watched { await terminal.close() }
    watched = []
  }

  /// What the person has just seen is no news.
  func passOverNews(of word: String) {
    for terminal in watched where terminal.word == word && !terminal.hasEnded { _ = terminal.takeNews() }
  }

  /// What came of them since the last prompt; those that have ended are watched no more.
  mutating func takeNewsOfTerminals() -> [(terminal: WatchedTerminal, news: WatchedTerminal.News)] {
    defer { watched.removeAll { $0.hasEnded } }
    return watched.map { ($0, $0.takeNews()) }
  }
}

import Chat
import Waiting

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
    var news = News()
    /// When its connection stood last, in milliseconds since 1970.
    var stoodAt: Int
    var word: String
  }

  let place: TerminalPlace
  private let line: any TerminalLine
  private let state: Locked<State>
  private let reading: Task<Void, Never>

  /// - Parameters:
  ///   - line: stands already. What a server repeats first is nothing new.
  ///   - now: milliseconds since 1970.
  ///   - changed: is called when the connection stands otherwise.
  init(
    _ word: String, at place: TerminalPlace, _ line: any TerminalLine, now: @escaping @Sendable () -> Int,
    changed: @escaping @Sendable () -> Void
  ) {
    self.place = place
    self.line = line
    let state = Locked(State(stoodAt: now(), word: word))
    self.state = state
    // Ours: it ends with the terminal, or with `close`.
    reading = Task {
      do throws(TerminalError) {
        while let notice = try await line.next() {
          if state.withLock({ $0.take(notice, at: now()) }) { changed() }
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

  /// What it is called in commands.
  var word: String { state.withLock { $0.word } }

  /// Its server is called otherwise now.
  func rename(to word: String) { state.withLock { $0.word = word } }

  func takeNews() -> News {
    state.withLock { state in
      defer { state.news = News() }
      return state.news
    }
  }

  /// What it said last, and until when that was so; nil where that is not kept.
  func past(atMost limit: Int) async -> (text: String, at: Int)? {
    let at = state.withLock { $0.stoodAt }
    return await line.past(atMost: limit).map { ($0, at) }
  }

  /// What the person has just seen is no news.
  func passOverLines() { state.withLock { ($0.news.lines, $0.news.lastLine) = (0, nil) } }

  /// Ends the connection; the terminal goes on.
  func close() async {
    reading.cancel()
    await line.leave()
  }
}

extension WatchedTerminal.State {
  /// Whether the connection stands otherwise now.
  fileprivate mutating func take(_ notice: TerminalNotice, at now: Int) -> Bool {
    let before = connection
    if before == .connected { stoodAt = now }
    switch notice {
    case .output: break
    case .lines(let lines): note(lines)
    case .lost, .waiting: connection = .disconnected
    case .dialing: connection = .connecting
    case .back: connection = .connected
    case .ended(let status): (connection, news.end) = (.disconnected, .success(status))
    }
    return connection != before
  }

  fileprivate mutating func fail(_ error: TerminalError) { (connection, news.end) = (.error(error), .failure(error)) }

  private mutating func note(_ lines: [String]) {
    news.lines += lines.count
    if let last = lines.last(where: { !$0.allSatisfy(\.isWhitespace) }) { news.lastLine = last }
  }
}

extension Links {
  /// Looks at a terminal from behind the prompt from now on, anew where it was.
  mutating func watch(_ word: String, at place: TerminalPlace, _ line: any TerminalLine, _ desk: Desk) async {
    await unwatch(word)
    let terminal = desk.world.terminal
    watched.append(WatchedTerminal(word, at: place, line, now: desk.world.now) { terminal.promptChanged() })
  }

  mutating func unwatch(_ word: String) async { await unwatch { $0.word == word } }

  /// Those of a server that is forgotten, or signed out of.
  mutating func unwatch(at url: String) async { await unwatch { $0.place.entry?.server.url == url } }

  mutating func unwatchAll() async { await unwatch { _ in true } }

  private mutating func unwatch(where isMeant: (WatchedTerminal) -> Bool) async {
    let meant = watched.filter(isMeant)
    watched.removeAll { terminal in meant.contains { $0 === terminal } }
    for terminal in meant { await terminal.close() }
  }

  /// A server is called otherwise now.
  func renameWatched(at url: String, to name: String) {
    for terminal in watched where terminal.place.entry?.server.url == url {
      guard let slash = terminal.word.firstIndex(of: "/") else { continue }
      terminal.rename(to: name + terminal.word[slash...])
    }
  }

  func passOverNews(of word: String) {
    for terminal in watched where terminal.word == word { terminal.passOverLines() }
  }

  /// What came of them since the last prompt; those that nothing more comes of are watched no more.
  mutating func takeNewsOfTerminals() async -> [(terminal: WatchedTerminal, news: WatchedTerminal.News)] {
    let all = watched.map { ($0, $0.takeNews()) }
    let over = all.filter { $0.1.end != nil }.map(\.0)
    await unwatch { terminal in over.contains { $0 === terminal } }
    return all
  }
}

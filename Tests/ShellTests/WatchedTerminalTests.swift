import Chat
import Store
import TestSupport
import Testing
import Text
import Waiting

@testable import Shell

@Suite struct WatchedTerminalTests {
  /// Says what it was told to, then nothing until it is left.
  private final class Line: TerminalLine {
    private let notices: EventQueue<Result<TerminalNotice, TerminalError>>
    var goesOn: Bool { true }

    init() { notices = EventQueue { _ in .always } }

    func say(_ notice: TerminalNotice) { notices.put(.success(notice)) }
    func fail(_ error: TerminalError) { notices.put(.failure(error)) }

    func next() async throws(TerminalError) -> TerminalNotice? {
      for await notice in notices { return try notice.get() }
      return nil
    }
    func type(_ keys: [UInt8]) async {}
    func resize(columns: Int, rows: Int) async {}
    func leave() async { notices.finish() }
  }

  private struct Nothing: Terminals {
    func list() async throws(TerminalError) -> [TerminalInfo] { [] }
    func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
      throw .notOffered(.attaching)
    }
    func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
      TerminalRun(next: { nil }, interrupt: { false })
    }
  }

  /// A terminal that is watched, and the changes of its connection as they come.
  private func watched(_ line: Line) -> (WatchedTerminal, AsyncStream<Void>) {
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let place = TerminalPlace(entry: nil, terminals: Nothing())
    return (WatchedTerminal("work", at: place, line, now: { 0 }) { change.yield() }, changes)
  }

  @Test func `each change of the connection is told, once`() async {
    let line = Line()
    let (terminal, changes) = watched(line)
    var change = changes.makeAsyncIterator()
    #expect(terminal.connection == .connected)
    for (notice, state) in [
      (.lost, .disconnected), (.dialing, .connecting), (.waiting, .disconnected), (.dialing, .connecting),
      (.back(unsent: 0, unsure: 0), .connected),
    ] as [(TerminalNotice, TerminalConnection)] {
      line.say(notice)
      await change.next()
      #expect(terminal.connection == state)
    }
    line.fail(.holdsKeys)
    await change.next()
    #expect(terminal.connection == .error(.holdsKeys) && terminal.takeNews().end == .failure(.holdsKeys))
    #expect(terminal.takeNews().end == nil)
    await terminal.close()
  }

  @Test func `what the person has seen is no news, but for the end`() async {
    let line = Line()
    let (terminal, changes) = watched(line)
    var change = changes.makeAsyncIterator()
    line.say(.lines(["one", "", "two", " "]))
    line.say(.lost)
    await change.next()
    let news = terminal.takeNews()
    #expect(news.lines == 4 && news.lastLine == "two" && news.end == nil)
    line.say(.lines(["three"]))
    line.say(.dialing)
    await change.next()
    line.say(.ended(status: 3))
    await change.next()
    terminal.passOverLines()
    let rest = terminal.takeNews()
    #expect(rest.lines == 0 && rest.lastLine == nil && rest.end == .success(3))
    await terminal.close()
  }

  @Test func `the prompt has a few by name, and counts many`() {
    let text = { (states: [TerminalConnection]) in
      TerminalPage.watched(states.enumerated().map { ("t\($0.offset)", $0.element) }).string
    }
    #expect(text([]) == "")
    #expect(text([.connected]) == " [t0 connected]")
    #expect(text([.connecting, .error(.holdsKeys)]) == " [t0 connecting, t1 error]")
    #expect(
      text([.error(.holdsKeys), .connected, .disconnected, .connected]) == " [2 connected, 1 disconnected, 1 error]")
  }
}

import CTerminal
import Foundation
import Shell
import Testing
import Text
import Waiting

@testable import Console

@Suite struct ChildFeedTests {
  private let screen = Screen(ConsoleOptions(isInteractive: false))

  private func read(_ feed: ChildFeed, _ most: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    let count = Foundation.read(feed.input, &bytes, most)
    return Array(bytes.prefix(max(0, count)))
  }

  @Test func `a text is made no further than it is read`() throws {
    let made = Locked(0)
    let text = LongText {
      (0..<1_000_000).lazy.map { number -> StyledText in
        made.withLock { $0 += 1 }
        return .text("this is row \(number) of a text that is very long\n")
      }
    }
    var feed = try #require(ChildFeed(text, shownOn: screen))
    defer { feed.end() }
    for _ in 0..<5000 { feed.write() }
    // What a pipe holds, and the piece that did not fit.
    let first = made.withLock { $0 }
    #expect(first < 5000 && feed.output != nil)
    #expect(!feed.isRead)
    #expect(String(decoding: read(feed, 12), as: UTF8.self) == "this is row ")
    #expect(feed.isRead)
    while console_pending(feed.input) > 0 { _ = read(feed, 4096) }
    for _ in 0..<5000 { feed.write() }
    #expect(made.withLock { $0 } > first)
  }

  @Test func `all of it arrives, piece by piece`() throws {
    let lines = (0..<20_000).map { "row \($0)\n" }
    var feed = try #require(ChildFeed(LongText { lines.lazy.map { .text("\($0.dropLast())\n") } }, shownOn: screen))
    defer { feed.end() }
    var bytes: [UInt8] = []
    while feed.output != nil {
      for _ in 0..<100 { feed.write() }
      bytes += read(feed, 65536)
    }
    while true {
      let more = read(feed, 65536)
      if more.isEmpty { break }
      bytes += more
    }
    #expect(String(decoding: bytes, as: UTF8.self) == lines.joined())
    #expect(feed.isRead)
  }
}

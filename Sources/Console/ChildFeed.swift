import CTerminal
import Foundation
import Shell
import Text

/// A long text on its way to a child's standard input. It is made as fast as the child reads, and no further than it does.
struct ChildFeed {
  /// The child's end. It stays open here too: there is no `SIGPIPE` for a child that leaves early, and what it left unread
  /// can be counted.
  let input: Int32
  /// What takes more; nil once all of it has been written.
  private(set) var output: Int32?
  private let screen: Screen
  private let pieces: LongText.Iterator
  private var waiting: ArraySlice<UInt8> = []
  private var written = 0

  /// nil with `errno` set.
  init?(_ text: LongText, shownOn screen: Screen) {
    var pipe: [Int32] = [-1, -1]
    guard console_pipe(&pipe) == 0 else { return nil }
    (input, output) = (pipe[0], pipe[1])
    // Signals are looked at while the child does not read.
    _ = fcntl(pipe[1], F_SETFL, O_NONBLOCK)
    self.screen = screen
    pieces = text.makeIterator()
  }

  /// Whether the child took any of it.
  var isRead: Bool { written > Int(console_pending(input)) }

  /// Writes some more.
  mutating func write() {
    guard let output else { return }
    if waiting.isEmpty {
      guard let piece = pieces.next() else { return endOutput() }
      waiting = screen.bytes(of: piece)[...]
    }
    let count = waiting.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
    if count > 0 {
      waiting = waiting.dropFirst(count)
      written += count
    } else if count < 0, errno != EAGAIN, errno != EINTR {
      endOutput()
    }
  }

  mutating func end() {
    endOutput()
    close(input)
  }

  private mutating func endOutput() {
    if let output { close(output) }
    output = nil
  }
}

import Chat
import Text
import Waiting

/// What a terminal said before, of a server that repeats it to whoever connects.
enum PastLines {
  /// Seconds for a server to repeat it; one that has nothing to repeat says nothing.
  static let patience = 1.5

  /// The last lines of it, oldest first. Not to be trusted.
  static func text(of dial: TerminalDial, atMost limit: Int) async throws(TerminalError) -> String {
    let wire = try await dial.open(nil)
    defer { wire.close() }
    switch try await first(of: wire, dial.clock) {
    // Nobody tells how large the screen was.
    case .replay(let bytes)?, .past(let bytes)?: return text(of: bytes, size: nil, atMost: limit)
    default: return ""
    }
  }

  /// What a screen would show of it, and above.
  /// - Parameter size: of the screen that it was said to; nil where it can only be guessed.
  static func text(of bytes: [UInt8], size: TerminalSize?, atMost limit: Int) -> String {
    let size = size ?? guessedSize(of: bytes)
    var screen = DrawnScreen(columns: size.columns, rows: size.rows)
    screen.feed(bytes)
    var lines = CommandMarks.without(screen.lines.map { $0[...] })
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.suffix(limit).map { $0 + "\n" }.joined()
  }

  private static func guessedSize(of bytes: [UInt8]) -> TerminalSize {
    var guess = ScreenSizeGuess()
    guess.feed(bytes)
    return TerminalSize(columns: guess.columns, rows: guess.rows)
  }

  static func first(of wire: any TerminalWire, _ clock: TimeSource) async throws(TerminalError) -> WireNotice? {
    do throws(TerminalError) {
      return try await within(patience, pause: clock.sleep) { () async throws(TerminalError) in try await wire.next() }
        ?? nil
    } catch {
      // What the reader says when its time is up.
      if error == .cancelled, !Task.isCancelled { return nil }
      throw error
    }
  }
}

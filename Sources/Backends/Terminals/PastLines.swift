import Chat
import Waiting
import Wire

/// What a terminal said before, of a server that repeats it to whoever connects.
enum PastLines {
  /// Seconds for a server to repeat it; one that has nothing to repeat says nothing.
  static let patience = 1.5

  /// The last lines of it, oldest first. Not to be trusted.
  static func text(of dial: TerminalDial, atMost limit: Int) async throws(TerminalError) -> String {
    let wire = try await dial.open(nil)
    defer { wire.close() }
    switch try await first(of: wire, dial.clock) {
    case .replay(let bytes)?, .past(let bytes)?: return text(of: bytes, atMost: limit)
    default: return ""
    }
  }

  static func text(of bytes: [UInt8], atMost limit: Int) -> String {
    var output = TerminalOutput()
    let text = output.feed(bytes) + output.finish()
    var lines = CommandMarks.without(text.split(separator: "\n", omittingEmptySubsequences: false))
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.suffix(limit).map { $0 + "\n" }.joined()
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

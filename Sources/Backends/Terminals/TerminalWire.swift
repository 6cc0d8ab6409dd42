import Chat
import Transport

/// One connection to a terminal, in its server's own protocol. It has one reader.
protocol TerminalWire: Sendable {
  /// What comes next; nil when the server hung up without a word of the terminal's end.
  func next() async throws(TerminalError) -> WireNotice?
  func type(_ keys: [UInt8]) async throws(TerminalError)
  func resize(columns: Int, rows: Int) async throws(TerminalError)
  /// Hangs up; harmless when that has happened.
  func close()
}

enum WireNotice: Sendable, Equatable {
  case output([UInt8])
  /// The end of all that the terminal has said before this connection stood; comes once, and first.
  case replay([UInt8])
  /// What was said before, in lines and not byte for byte: nothing can be held against it.
  case past([UInt8])
  case ended(status: Int?)
}

struct TerminalSize: Sendable, Equatable {
  var columns: Int
  var rows: Int
}

/// How a terminal is connected to.
struct TerminalDial: Sendable {
  /// - Parameter size: of the screen; nil where nobody looks.
  let open: @Sendable (_ size: TerminalSize?) async throws(TerminalError) -> any TerminalWire
  /// The words that what is in the foreground there began with; nil where nobody tells.
  var foreground: @Sendable () -> [String]? = { nil }
  /// Whether the terminal goes on when nobody is connected, so that it can be come back to.
  var outlives = true
  var clock = TimeSource.system
}

import Chat

/// How the connection to a terminal stands that is watched (docs/terminals.md 10).
enum TerminalConnection: Sendable, Equatable {
  /// It was lost, and is made again in a moment; or the terminal has ended.
  case disconnected
  case connecting
  case connected
  /// It is not made again.
  case error(TerminalError)

  /// Those that there are.
  static let words = ["connected", "connecting", "disconnected", "error"]

  var word: String {
    switch self {
    case .connected: "connected"
    case .connecting: "connecting"
    case .disconnected: "disconnected"
    case .error: "error"
    }
  }
}

import Chat

/// How the connection to a terminal stands that is watched (docs/terminals.md 10).
enum TerminalConnection: Sendable, Equatable {
  /// It was lost, and is made again in a moment.
  case disconnected
  case connecting
  case connected
  /// It is not made again.
  case error(TerminalError)
}

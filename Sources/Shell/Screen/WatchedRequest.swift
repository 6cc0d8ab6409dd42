import Chat
import Text

/// A request on its way to a server, in the words of a passing line (docs/screen.md 9).
struct WatchedRequest {
  private let server: SafeText
  private let watch: TransferWatch

  /// Bytes of a body that take a moment to leave.
  private static let large = 256 << 10

  init(to server: SafeText, _ watch: TransferWatch) {
    self.server = server
    self.watch = watch
  }

  /// nil once the server has all of it.
  func words(_ traits: TerminalTraits) -> SafeText? {
    switch watch.phase {
    case .connecting: return "connecting to \(server)"
    case .sending(let sent, let total) where total >= Self.large:
      // Seconds and a sign stand on the line too.
      return "sending "
        + ProgressBar.bytes(sent, of: total, columns: traits.columns - 20, showsSigns: traits.showsSigns)
    case .sending, .sent, nil: return nil
    }
  }
}

import Chat

/// Where a bridge is, an agent on another machine behind it: `wss://HOST:PORT`, and `ws://` on this machine
/// (docs/acp.md 10).
struct BridgeAddress: Sendable, Equatable {
  /// As it is kept.
  let url: String
  /// The same for HTTP: what it is opened and judged by.
  let httpURL: String
  /// `host`, or `host:port`: whom to name in an error.
  let description: String

  /// nil for another scheme, and for what is read differently by different programs.
  init?(_ text: String) {
    guard let colon = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<colon.lowerBound].lowercased()
    guard scheme == "wss" || scheme == "ws" else { return nil }
    let rest = text[colon.upperBound...]
    let http = (scheme == "wss" ? "https://" : "http://") + rest
    guard !rest.contains("?"), !rest.contains("#"), let origin = Origin(url: http) else { return nil }
    url = "\(scheme)://\(rest)"
    httpURL = http
    description = origin.description
  }

  /// Credentials name it by either kind of scheme: those of some say `https` (docs/acp.md 10).
  init?(credentials text: String) {
    let text = text.trimmingBlanks
    if let address = BridgeAddress(text) {
      self = address
    } else if text.lowercased().hasPrefix("https://") {
      self.init("wss://" + String(text.dropFirst(8)))
    } else if text.lowercased().hasPrefix("http://") {
      self.init("ws://" + String(text.dropFirst(7)))
    } else {
      return nil
    }
  }

  /// Whether what is sent to it can be read on the way.
  var isInTheClear: Bool { Origin(url: httpURL)?.isInTheClear ?? true }
}

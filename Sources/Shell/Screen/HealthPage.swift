import Chat
import Text

/// What a server says of its own state.
enum HealthPage {
  /// `well, version 1.0.0, Claude 2.1.34, up for 3 h, 2 sessions`.
  static func line(_ health: ServerHealth) -> SafeText {
    var parts: [SafeText] = ["well"]
    if let version = health.version { parts.append("version \(version)") }
    if let version = health.programVersion { parts.append("with \(version)") }
    if let seconds = health.uptimeSeconds { parts.append("up for \(seconds < 60 ? "\(seconds) s" : span(seconds))") }
    if let count = health.activeSessions { parts.append(count == 1 ? "1 session" : "\(count) sessions") }
    return parts.joined(separator: ", ")
  }

  private static func span(_ seconds: Int) -> SafeText {
    age(of: 0, at: seconds.multipliedReportingOverflow(by: 1000).partialValue)
  }
}

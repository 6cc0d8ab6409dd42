import Foundation

/// Times as the platform writes them.
enum Timestamps {
  static var now: Int { Int(Date().timeIntervalSince1970) }

  /// Without a zone, with microseconds, as Python writes a naive datetime (docs/kamiwaza.md 7).
  static func naive(_ date: Date = Date()) -> String {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return String(date.formatted(style).dropLast()) + "456"
  }
}

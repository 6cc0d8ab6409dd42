import Glibc

/// A day as everybody reads it, such as `2026-09-21`, in universal time.
enum Day {
  /// - Parameter seconds: since 1970.
  static func text(_ seconds: Int) -> String {
    var moment = time_t(seconds)
    var parts = tm()
    guard gmtime_r(&moment, &parts) != nil else { return "\(seconds)" }
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

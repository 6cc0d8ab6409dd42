import Text
import Wire

/// Dates as people and as programs read them. Pure: the time zone is an offset.
enum Moments {
  /// `2026-11-21 12:45`, on a clock that is so many seconds ahead of UTC.
  /// - Parameter moment: milliseconds since 1970.
  static func local(_ moment: Int, offset: Int) -> SafeText {
    let time = CivilTime(seconds(moment), offset: offset)
    return "\(time.date) \(time.clock)"
  }

  /// `2026-11-21T11:45:00Z` (ISO 8601), of milliseconds since 1970.
  static func iso(_ moment: Int) -> String { CivilTime(seconds(moment)).iso }

  /// `2026-11-21` in universal time, of seconds since 1970.
  static func day(_ seconds: Int) -> String { CivilTime(seconds).date }

  private static func seconds(_ milliseconds: Int) -> Int {
    milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
  }
}

import Text

/// Dates as people and as programs read them. Pure: the time zone is an offset.
enum Moments {
  /// `2026-11-21 12:45`, on a clock that is so many seconds ahead of UTC.
  static func local(_ moment: Int, offset: Int) -> SafeText {
    let parts = civil(moment, offset: offset)
    return "\(date(parts)) \(two(parts.hour)):\(two(parts.minute))"
  }

  /// `2026-11-21T11:45:00Z` (ISO 8601).
  static func iso(_ moment: Int) -> String {
    let parts = civil(moment, offset: 0)
    return "\(date(parts))T\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))Z"
  }

  /// `2026-11-21`, of seconds since 1970.
  static func day(_ seconds: Int) -> SafeText {
    "\(date(civil(seconds.multipliedReportingOverflow(by: 1000).overflow ? .max : seconds * 1000, offset: 0)))"
  }

  private struct Parts {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
  }

  /// The Gregorian calendar from days since 1970; years begin in March, so that the odd day comes last.
  private static func civil(_ moment: Int, offset: Int) -> Parts {
    func floored(_ value: Int, _ divisor: Int) -> (quotient: Int, rest: Int) {
      let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
      return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
    // Further away than any calendar goes, and what a server sends may be anything.
    let limit = 253_402_300_799
    let seconds = min(max(floored(moment, 1000).quotient, -limit), limit) + min(max(offset, -86_400), 86_400)
    let (days, second) = floored(seconds, 86_400)
    let (era, dayOfEra) = floored(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return Parts(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month, day: dayOfYear - (153 * march + 2) / 5 + 1,
      hour: second / 3600, minute: second % 3600 / 60, second: second % 60)
  }

  private static func date(_ parts: Parts) -> String {
    let year = String(parts.year)
    return String(repeating: "0", count: max(0, 4 - year.count)) + year + "-\(two(parts.month))-\(two(parts.day))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

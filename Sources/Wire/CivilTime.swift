/// A moment on the Gregorian calendar, in universal time or on a clock that differs from it. Pure.
package struct CivilTime: Sendable, Equatable {
  package let year, month, day, hour, minute, second: Int

  /// The years that have up to four digits: what a server sends may be anything.
  private static let seconds = -62_135_596_800...253_402_300_799

  /// - Parameters:
  ///   - moment: in seconds since 1970; the nearest there is for one beyond the years 1 to 9999.
  ///   - offset: how many seconds the clock is ahead of UTC, a day at most.
  package init(_ moment: Int, offset: Int = 0) {
    func floored(_ value: Int, _ divisor: Int) -> (quotient: Int, rest: Int) {
      let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
      return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
    let range = CivilTime.seconds
    let seconds = min(max(moment, range.lowerBound), range.upperBound) + min(max(offset, -86_400), 86_400)
    let (days, second) = floored(seconds, 86_400)
    // Years begin in March, so that the odd day comes last.
    let (era, dayOfEra) = floored(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    month = march < 10 ? march + 3 : march - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * march + 2) / 5 + 1
    (hour, minute, self.second) = (second / 3600, second % 3600 / 60, second % 60)
  }

  /// Such as `2026-11-21`.
  package var date: String { "\(CivilTime.padded(year, 4))-\(two(month))-\(two(day))" }
  /// Such as `12:45`.
  package var clock: String { "\(two(hour)):\(two(minute))" }
  /// Such as `2026-11-21T11:45:00Z` (ISO 8601).
  package var iso: String { "\(date)T\(clock):\(two(second))Z" }

  /// Days since 1970-01-01.
  package static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private func two(_ number: Int) -> String { CivilTime.padded(number, 2) }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

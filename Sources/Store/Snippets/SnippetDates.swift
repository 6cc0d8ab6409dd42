import Wire

/// How a file of snippets writes moments (docs/snippets.md 4).
package enum SnippetDates: String, Sendable, CaseIterable {
  /// Text in universal time, in whole seconds: what ISO 8601 readers without fractions take.
  case iso8601
  /// The same with milliseconds, which loses nothing.
  case isoMilliseconds = "iso8601-ms"
  /// Numbers since 1970.
  case seconds, milliseconds
  /// Seconds since 2001, as Swift writes them when nobody says otherwise.
  case swift

  /// Between 1970 and 2001.
  private static let swiftEpoch = 978_307_200

  /// - Parameter moment: milliseconds since 1970.
  func json(_ moment: Int) -> JSON {
    let seconds = (moment - SnippetDates.fraction(of: moment)) / 1000
    switch self {
    case .iso8601: return .string(CivilTime(seconds).iso)
    case .isoMilliseconds:
      let digits = String(SnippetDates.fraction(of: moment) + 1000).dropFirst()
      return .string(CivilTime(seconds).iso.dropLast() + ".\(digits)Z")
    case .milliseconds: return .int(moment)
    case .seconds: return SnippetDates.number(moment)
    case .swift: return SnippetDates.number(moment - SnippetDates.swiftEpoch * 1000)
    }
  }

  /// Milliseconds since 1970; nil when it is no moment. Text says itself what it means, a number does not.
  /// - Parameters:
  ///   - dates: what a number is; nil finds out.
  ///   - now: milliseconds since 1970. Nothing was made later than that.
  static func moment(_ json: JSON, _ dates: SnippetDates?, now: Int) -> Int? {
    if let text = json.string { return Moment.milliseconds(text) }
    guard let number = json.double, abs(number) < 1e14 else { return nil }
    switch dates ?? likely(number, now: now) {
    case .milliseconds: return Int(number.rounded())
    case .swift: return Int((number * 1000).rounded()) + swiftEpoch * 1000
    case .seconds, .iso8601, .isoMilliseconds: return Int((number * 1000).rounded())
    }
  }

  /// What is too large for seconds counts milliseconds. Seconds are those since 2001 unless that is yet to come: those
  /// since 1970 have been since 2000, and will be for decades.
  private static func likely(_ number: Double, now: Int) -> SnippetDates {
    if abs(number) >= 1e11 { return .milliseconds }
    let day = 86_400.0
    return number + Double(swiftEpoch) <= Double(now / 1000) + day ? .swift : .seconds
  }

  private static func number(_ milliseconds: Int) -> JSON {
    milliseconds % 1000 == 0 ? .int(milliseconds / 1000) : .double(Double(milliseconds) / 1000)
  }

  private static func fraction(of moment: Int) -> Int { ((moment % 1000) + 1000) % 1000 }
}

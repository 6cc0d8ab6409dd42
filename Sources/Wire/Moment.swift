/// Points in time as servers and programs write them: ISO 8601, where a missing zone means UTC (docs/kamiwaza.md 7).
package enum Moment {
  /// Milliseconds since 1970; numbers are seconds, or milliseconds when they are too large for that.
  package static func milliseconds(_ json: JSON) -> Int? {
    if let string = json.string { return milliseconds(string) }
    guard let number = json.double, number.isFinite, abs(number) < 1e15 else { return nil }
    return Int(abs(number) < 1e11 ? number * 1000 : number)
  }

  /// Reads `2026-02-12T00:26:43.123456`, with a `T` or a blank, with or without a fraction and a zone, or a day alone.
  package static func milliseconds(_ text: String) -> Int? {
    let isBlank = { (character: Character) in character.isWhitespace || (character.asciiValue ?? 0x20) < 0x20 }
    var rest = text.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    guard let year = number(4, from: &rest), take("-", from: &rest), let month = number(2, from: &rest),
      take("-", from: &rest), let day = number(2, from: &rest), 1...12 ~= month, 1...31 ~= day
    else { return nil }
    let midnight = CivilTime.days(year: year, month: month, day: day) * 86_400_000
    if rest.isEmpty { return midnight }
    guard take("T", from: &rest) || take("t", from: &rest) || take(" ", from: &rest),
      let time = timeOfDay(from: &rest), let zone = zone(from: &rest), rest.isEmpty
    else { return nil }
    return midnight + time - zone
  }

  private static func timeOfDay(from rest: inout Substring) -> Int? {
    guard let hour = number(2, from: &rest), take(":", from: &rest), let minute = number(2, from: &rest), hour < 25,
      minute < 60
    else { return nil }
    var milliseconds = (hour * 60 + minute) * 60_000
    guard take(":", from: &rest) else { return milliseconds }
    guard let second = number(2, from: &rest), second <= 60 else { return nil }
    milliseconds += second * 1000
    guard take(".", from: &rest) || take(",", from: &rest) else { return milliseconds }
    let digits = rest.prefix(while: \.isASCIIDigit)
    rest = rest[digits.endIndex...]
    return milliseconds + (Int((digits + "00").prefix(3)) ?? 0)
  }

  /// Milliseconds that the zone is ahead of UTC.
  private static func zone(from rest: inout Substring) -> Int? {
    if rest.isEmpty || take("Z", from: &rest) || take("z", from: &rest) { return 0 }
    let isBehind = rest.first == "-"
    guard take("+", from: &rest) || take("-", from: &rest), let hours = number(2, from: &rest) else { return nil }
    _ = take(":", from: &rest)
    let minutes = rest.isEmpty ? 0 : number(2, from: &rest)
    guard let minutes, hours < 24, minutes < 60 else { return nil }
    return (hours * 60 + minutes) * (isBehind ? -60_000 : 60_000)
  }

  private static func number(_ count: Int, from rest: inout Substring) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    rest = rest[digits.endIndex...]
    return Int(digits)
  }

  private static func take(_ character: Character, from rest: inout Substring) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { "0"..."9" ~= self }
}

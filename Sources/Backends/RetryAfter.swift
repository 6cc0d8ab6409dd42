import Transport
import Wire

/// How long a server asks to wait.
enum RetryAfter {
  /// In whole seconds, rounded up: `Retry-After` (RFC 9110, section 10.2.3) in seconds or as a date, else its
  /// relatives. `now` is in seconds since 1970 and counts when the response has no `Date` of its own.
  static func seconds(of response: HTTPResponse, now: Double) -> Int? {
    if let milliseconds = response[header: "retry-after-ms"].flatMap({ Double($0.trimmingBlanks) }) {
      return whole(milliseconds / 1000)
    }
    let now = response[header: "date"].flatMap(HTTPDate.seconds) ?? now
    if let value = response[header: "retry-after"]?.trimmingBlanks {
      if let seconds = Double(value) { return whole(seconds) }
      if let date = HTTPDate.seconds(value) { return whole(date - now) }
    }
    return resets(of: response, now: now).compactMap(whole).max()
  }

  /// The `x-ratelimit-reset…` headers: those of a limit with nothing remaining, or all when none says so.
  private static func resets(of response: HTTPResponse, now: Double) -> [Double] {
    let prefix = "x-ratelimit-reset"
    let headers = response.headers.filter { $0.name.lowercased().hasPrefix(prefix) }
    let spent = headers.filter {
      let kind = $0.name.dropFirst(prefix.count)
      return response[header: "x-ratelimit-remaining\(kind)"]?.trimmingBlanks == "0"
    }
    return (spent.isEmpty ? headers : spent).compactMap { seconds($0.value.trimmingBlanks, now: now) }
  }

  /// `6m0s`, `120ms`, seconds, or a moment in seconds or milliseconds since 1970.
  static func seconds(_ text: String, now: Double) -> Double? {
    if let number = Double(text) {
      if number > 1e12 { return number / 1000 - now }
      return number > 1e9 ? number - now : number
    }
    var total = 0.0
    var rest = text[...]
    while !rest.isEmpty {
      let number = rest.prefix { $0.isNumber || $0 == "." }
      rest = rest[number.endIndex...]
      let unit = rest.prefix { $0.isLetter }
      rest = rest[unit.endIndex...]
      guard let value = Double(number), let factor = units[String(unit)] else { return nil }
      total += value * factor
    }
    return text.isEmpty ? nil : total
  }

  private static let units = ["ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400]

  /// Brought into 0…1e9; nil for what is no number or endless.
  static func whole(_ seconds: Double) -> Int? {
    seconds.isFinite ? Int(min(max(seconds, 0), 1e9).rounded(.up)) : nil
  }
}

/// Dates as HTTP writes them (RFC 9110, section 5.6.7), of the form that servers must send.
enum HTTPDate {
  /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func seconds(_ text: String) -> Double? {
    let words = text.split { " ,:".contains($0) }
    guard words.count == 8, words[7] == "GMT" || words[7] == "UTC", let day = Int(words[1]),
      let month = months.firstIndex(of: String(words[2])), let year = Int(words[3]),
      let hour = Int(words[4]), let minute = Int(words[5]), let second = Int(words[6]), 1...9999 ~= year,
      1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second
    else { return nil }
    let days = CivilTime.days(year: year, month: month + 1, day: day)
    return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

import Text

/// How long ago something was, in a word or two: `now`, `5 min`, `3 h`, `2 d`, `6 wk`, `2 y`.
func age(of moment: Int, at now: Int) -> SafeText {
  // A moment comes from elsewhere, and may be any number.
  let seconds = max(0, now.subtractingReportingOverflow(max(0, moment)).partialValue / 1000)
  return switch seconds {
  case ..<60: "now"
  case ..<3600: "\(seconds / 60) min"
  case ..<86_400: "\(seconds / 3600) h"
  case ..<(86_400 * 14): "\(seconds / 86_400) d"
  case ..<(86_400 * 365): "\(seconds / (86_400 * 7)) wk"
  default: "\(seconds / (86_400 * 365)) y"
  }
}

/// The same in a sentence: `a moment ago`, `5 min ago`.
func ago(_ moment: Int, at now: Int) -> SafeText {
  let age = age(of: moment, at: now)
  return age == "now" ? "a moment ago" : "\(age) ago"
}

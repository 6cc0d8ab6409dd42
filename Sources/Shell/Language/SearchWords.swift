import Chat
import Store
import Wire

/// The words of `/history search`: what is looked for, and what it is limited to (docs/shell.md 4).
struct SearchWords {
  private(set) var words: [String] = []
  private(set) var filter = SearchFilter()

  /// A word such as `http://x` is one to look for, since it begins with no name of a limit.
  /// - Parameters:
  ///   - now: milliseconds since 1970.
  ///   - offset: seconds that the clock of who types is ahead of UTC, at a moment in milliseconds since 1970.
  init(_ typed: [String], now: Int, offset: (Int) -> Int) throws(ShellError) {
    for word in typed {
      if word.hasPrefix("-"), let name = Self.names.first(where: { word.dropFirst().lowercased().hasPrefix($0) }) {
        throw .searchFilter(SearchSlip(word: word, name: "-" + name, takes: .noExclusion))
      }
      guard let colon = word.firstIndex(of: ":"), colon != word.indices.last else {
        take(word)
        continue
      }
      let value = String(word[word.index(after: colon)...])
      switch word[..<colon].lowercased() {
      case "tag": filter.tag = value.lowercased()
      case "model": filter.model = value
      case "server": filter.server = value
      case "session": filter.session = value
      case "role": filter.role = try Self.require(Self.roles.first { $0.rawValue == value }, word, .role)
      case "status": filter.status = try Self.require(AnswerStatus(rawValue: value), word, .status)
      case "since": filter.since = try Self.require(Self.moment(value, now, offset), word, .moment)
      case "until": filter.until = try Self.require(Self.moment(value, now, offset, isEnd: true), word, .moment)
      default: take(word)
      }
    }
    // Nothing else says what is wanted, so that it is no exclusion: `-Wall` is looked for as typed.
    if words.isEmpty, filter.onlyExcludes {
      words = filter.excluded.map { "-" + $0 }
      filter.excluded = []
    }
  }

  /// Splits one argument into words if it is a whole search, as another shell passes it when it is quoted: it has quotes,
  /// limits, excluded words or an OR inside. Otherwise several words are one phrase.
  static func split(_ argument: String) -> [String] {
    guard argument.contains(where: \.isWhitespace) || argument.contains("\"") else { return [argument] }
    let words = Words(splitting: argument).words.filter { !$0.isEmpty }
    let hasOperator = words.contains { word in
      word == "OR" || isExcluded(word) || names.contains { word.lowercased().hasPrefix($0) && word.count > $0.count }
    }
    return argument.contains("\"") || hasOperator ? words : [argument]
  }

  /// What limits begin with.
  static let names = ["model:", "server:", "session:", "role:", "status:", "tag:", "since:", "until:"]

  /// Whether a word that is looked for has the form of a limit, and may be one that was mistyped.
  static func isLikeLimit(_ word: String) -> Bool { word.firstMatch(of: #/^[A-Za-z]+:(?!\/)/#) != nil }

  /// Whether messages with the word are left out: `-panic`, but not `--`.
  private static func isExcluded(_ word: String) -> Bool {
    word.hasPrefix("-") && word.dropFirst().first.map { $0.isLetter || $0.isNumber } == true
  }

  /// Whose messages the history has.
  static let roles: [Role] = [.user, .assistant, .tool]

  /// Whether anything is asked for.
  var isEmpty: Bool { words.isEmpty && filter == SearchFilter() }

  private mutating func take(_ word: String) {
    if Self.isExcluded(word) {
      filter.excluded.append(String(word.dropFirst()))
    } else {
      words.append(word)
    }
  }

  private static func require<T>(_ value: T?, _ word: String, _ takes: SearchSlip.Takes) throws(ShellError) -> T {
    guard let value else {
      throw .searchFilter(SearchSlip(word: word, name: String(word.prefix { $0 != ":" }) + ":", takes: takes))
    }
    return value
  }

  /// A time ago such as `30d`, or a day such as `2026-11-27`, whose end is the beginning of the next.
  private static func moment(_ word: String, _ now: Int, _ offset: (Int) -> Int, isEnd: Bool = false) -> Int? {
    if let ago = milliseconds(word) { return now - ago }
    guard let date = word.wholeMatch(of: #/(\d{4})-(\d\d)-(\d\d)/#)?.output, let year = Int(date.1),
      let month = Int(date.2), let day = Int(date.3), year >= 1970, 1...12 ~= month, 1...31 ~= day
    else { return nil }
    let days = CivilTime.days(year: year, month: month, day: day)
    // The 31st of a month that has 30 days is in the next.
    guard CivilTime(days * 86_400).month == month else { return nil }
    let midnight = (days + (isEnd ? 1 : 0)) * 86_400_000
    return midnight - 1000 * offset(midnight)
  }

  /// Such as `30d`; `m` is a minute, and `mo` a month of thirty days.
  static func milliseconds(_ word: String) -> Int? {
    let units = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800, "mo": 2_592_000, "y": 31_536_000]
    let digits = word.prefix { ("0"..."9").contains($0) }
    guard let unit = units[String(word[digits.endIndex...])], let count = Int(digits), 0...100_000 ~= count else {
      return nil
    }
    return count * unit * 1000
  }
}

/// Why a word cannot limit a search.
package struct SearchSlip: Sendable, Equatable {
  let word: String
  /// The name before the colon, with it and with a dash before it.
  let name: String
  let takes: Takes

  enum Takes: Sendable, Equatable { case role, status, moment, noExclusion }
}

extension SearchFilter {
  /// Whether excluded words are all there is of it.
  fileprivate var onlyExcludes: Bool {
    var rest = self
    rest.excluded = []
    return rest == SearchFilter()
  }
}

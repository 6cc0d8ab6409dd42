import Chat
import Store

/// The words of `/history search`: what is looked for, and what it is limited to (docs/shell.md 4).
struct SearchWords {
  private(set) var words: [String] = []
  private(set) var filter = SearchFilter()

  /// A word such as `http://x` is one to look for, since it begins with no name of a limit.
  /// - Parameter now: milliseconds since 1970.
  init(_ typed: [String], now: Int) throws(ShellError) {
    for word in typed {
      guard let colon = word.firstIndex(of: ":"), colon != word.indices.last else {
        words.append(word)
        continue
      }
      let value = String(word[word.index(after: colon)...])
      let isKnown: Bool
      switch word[..<colon] {
      case "tag": (filter.tag, isKnown) = (value.lowercased(), true)
      case "model": (filter.model, isKnown) = (value, true)
      case "server": (filter.server, isKnown) = (value, true)
      case "role":
        filter.role = Role(rawValue: value)
        isKnown = filter.role != nil
      case "status":
        filter.status = AnswerStatus(rawValue: value)
        isKnown = filter.status != nil
      case "since":
        filter.since = SearchWords.milliseconds(value).map { now - $0 }
        isKnown = filter.since != nil
      default:
        words.append(word)
        continue
      }
      guard isKnown else { throw .unexpected(word, command: "history search") }
    }
  }

  /// Such as `30d`.
  static func milliseconds(_ word: String) -> Int? {
    let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = word.last.flatMap({ units[$0] }), let count = Int(word.dropLast()), 0...100_000 ~= count else {
      return nil
    }
    return count * unit * 1000
  }
}

import Store
import Text
import Wire

/// What the history says of answers, counted by day, model and server.
enum StatisticsPage {
  /// - Parameters:
  ///   - parts: each with what was counted by it.
  ///   - bar: the character that bars are made of; nil for no bars.
  static func listing(_ parts: [(part: StatisticsPart, rows: [Statistic])], bar: SafeText?) -> Listing {
    let rows = parts.flatMap { part, statistics in
      let most = statistics.map(\.answers).max() ?? 0
      return statistics.map { json($0, part, most: most) }
    }
    let name = Listing.Column("NAME") { row in row["name"]?.string.map { "\($0)" } ?? "unknown" }
    var columns =
      [name] + Bar.columns(of: bar) + [
        Listing.Column("ANSWERS", "answers"),
        Listing.Column("NOT WHOLE") { row in
          let (all, part) = (row["answers"]?.int ?? 0, row["unfinished"]?.int ?? 0)
          return part > 0 && all > 0 ? "\(max(1, 100 * part / all))%" : ""
        },
        Listing.Column("IN") { amount($0["promptTokens"]?.int) },
        Listing.Column("OUT") { amount($0["completionTokens"]?.int) },
        Listing.Column("FIRST") { $0["firstTokenMs"]?.int.map(seconds) ?? "" },
        Listing.Column("TOK/S") { $0["tokensPerSecond"]?.double.map { "\(tenths($0))" } ?? "" },
      ]
    if parts.count > 1 { columns.insert(Listing.Column("BY", "by"), at: 0) }
    if rows.contains(where: { $0["cost"]?.double != nil }) {
      columns.append(Listing.Column("COST") { $0["cost"]?.double.map { "\(ModelPage.amount($0))" } ?? "" })
    }
    return Listing(columns: columns, rows: rows, whenEmpty: "no answers yet: type a message")
  }

  /// All of it in a line.
  static func summary(_ all: Statistic, sessions: Int, since: Int?, offset: Int) -> SafeText {
    let answers: SafeText = all.answers == 1 ? "1 answer" : "\(all.answers) answers"
    let among: SafeText = sessions == 1 ? " in 1 session" : " in \(sessions) sessions"
    return answers + among + (since.map { " since \(Moments.local($0, offset: offset).string.prefix(10))" } ?? "")
  }

  /// Answers of each of the last days as a row of bars, the oldest first; nil where there are none.
  /// - Parameter today: such as `2026-11-27`, counted in days since 1970.
  static func sparkline(_ days: [Statistic], today: Int, showsSigns: Bool) -> SafeText? {
    let counts = Dictionary(days.map { ($0.name, $0.answers) }, uniquingKeysWith: +)
    let last = (0..<daysShown).reversed().map { counts[Moments.day((today - $0) * 86_400)] ?? 0 }
    guard let most = last.max(), most > 0 else { return nil }
    let signs: [SafeText] =
      showsSigns ? ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] : ["_", ".", ":", "-", "=", "+", "*", "#"]
    return last.map { $0 == 0 ? signs[0] : signs[1 + ($0 * (signs.count - 1) - 1) / most] }.joined()
  }

  static let daysShown = 30

  private static func json(_ statistic: Statistic, _ part: StatisticsPart, most: Int) -> JSON {
    [
      "by": .string(part.rawValue), "name": statistic.name.map(JSON.string) ?? .null,
      "answers": .int(statistic.answers), "unfinished": .int(statistic.unfinished),
      "promptTokens": statistic.promptTokens.map(JSON.int) ?? .null,
      "completionTokens": statistic.completionTokens.map(JSON.int) ?? .null,
      "firstTokenMs": statistic.firstTokenMs.map(JSON.int) ?? .null,
      "tokensPerSecond": statistic.tokensPerSecond.map { .double(($0 * 10).rounded() / 10) } ?? .null,
      "cost": statistic.cost.map(JSON.double) ?? .null,
      "share": .double(most > 0 ? Double(statistic.answers) / Double(most) : 0),
    ]
  }

  /// Such as `980`, `12.3k` and `4.5M`.
  private static func amount(_ count: Int?) -> SafeText {
    guard let count else { return "" }
    switch count {
    case ..<10_000: return "\(count)"
    case ..<10_000_000: return "\(tenths(Double(count) / 1e3))k"
    default: return "\(tenths(Double(count) / 1e6))M"
    }
  }

  private static func seconds(_ milliseconds: Int) -> SafeText {
    milliseconds < 1000 ? "\(milliseconds)ms" : "\(tenths(Double(milliseconds) / 1000))s"
  }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int((min(number, 1e12) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

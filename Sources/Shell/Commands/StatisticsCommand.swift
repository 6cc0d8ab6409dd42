import Store
import Text

extension Commands {
  static let statistics = Command(
    "stats", .history, summary: "how much was asked, and how fast it came",
    forms: [
      Form(summary: "the last days, models and servers") { shell, match throws(ShellError) in
        try await show(StatisticsPart.allCases, days: 7, match.asJSON, &shell)
      },
      Form(.choice(["days", "models", "servers"]), summary: "all of one of these") { shell, match throws(ShellError) in
        try await show(StatisticsPart.allCases.filter { "\($0.rawValue)s" == match[0] }, match.asJSON, &shell)
      },
    ],
    examples: ["/stats", "/stats models", "parley /stats days --json"],
    details: """
      Of all that the history keeps, each answer that was asked for again too. NOT WHOLE is the share that was \
      interrupted, cut off or failed. IN and OUT are tokens, FIRST is how long the first one took, and TOK/S how many \
      came in a second from then on, as far as servers said so. Days are those of your clock.
      """)

  /// - Parameter days: how many are listed, the newest.
  private static func show(
    _ parts: [StatisticsPart], days: Int = .max, _ asJSON: Bool, _ shell: inout Shell
  ) async throws(ShellError) {
    let now = shell.desk.world.now()
    let offset = shell.desk.world.clockOffset(now)
    let (counted, all) = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      var counted: [(part: StatisticsPart, rows: [Statistic])] = []
      for part in parts { counted.append((part, try await history.statistics(by: part, offset: offset))) }
      return (counted, try await history.statistics())
    }
    if all.all.answers > 0 {
      shell.desk.say(StatisticsPage.summary(all.all, sessions: all.sessions, since: all.since, offset: offset))
      if let days = counted.first(where: { $0.part == .day })?.rows, shell.desk.marks != .words,
        let line = StatisticsPage.sparkline(
          days, today: (now / 1000 + offset) / 86_400, showsSigns: shell.desk.world.terminal.traits.showsSigns)
      {
        shell.desk.say("the last \(StatisticsPage.daysShown) days: " + line)
      }
    }
    let listed = counted.map { ($0.part, $0.part == .day ? Array($0.rows.prefix(days)) : $0.rows) }
    try await shell.desk.show(
      StatisticsPage.listing(listed, bar: shell.desk.barSign), asJSON: asJSON)
  }
}

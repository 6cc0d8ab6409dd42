import Store
import Testing

@testable import Shell

@Suite struct StatisticsPageTests {
  private static let rows = [
    Statistic(
      name: "2024-10-05", answers: 120, unfinished: 3, promptTokens: 9999, completionTokens: 123_456, cost: nil,
      firstTokenMs: 1260, tokensPerSecond: 41.25),
    Statistic(name: nil, answers: 1, unfinished: 1, completionTokens: 45_600_000, firstTokenMs: 80),
  ]

  private func cells(_ row: Int) -> [String] {
    let listing = StatisticsPage.listing([(.day, Self.rows)], bar: "#")
    return listing.columns.map { $0.cell(listing.rows[row]).string }
  }

  @Test func `counts are short, and a share that is not nothing is not told as nothing`() {
    #expect(cells(0) == ["2024-10-05", "############", "120", "2%", "9999", "123.5k", "1.3s", "41.3"])
    #expect(cells(1) == ["unknown", "#", "1", "100%", "", "45.6M", "80ms", ""])
  }

  @Test func `what costs something has a column for it, and several lists say which is which`() {
    var row = Self.rows[0]
    row.cost = 0.25
    let titles = StatisticsPage.listing([(.day, [row]), (.model, [])], bar: "#").columns.map(\.title.string)
    #expect(titles.first == "BY" && titles.last == "COST")
  }

  @Test(arguments: [(true, "▂▁█"), (false, "._#")])
  func `days are bars of different height`(_ showsSigns: Bool, _ end: String) {
    let days = [Statistic(name: "2024-10-05", answers: 7), Statistic(name: "2024-10-03", answers: 1)]
    let line = StatisticsPage.sparkline(days, today: 20_001, showsSigns: showsSigns)?.string
    #expect(line?.count == 30 && line?.suffix(3) == end[...])
    #expect(StatisticsPage.sparkline(days, today: 20_400, showsSigns: true) == nil)
  }
}

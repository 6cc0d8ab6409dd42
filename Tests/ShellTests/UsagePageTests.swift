import Chat
import Testing
import Wire

@testable import Shell

struct UsagePageTests {
  private static let day = 86_400_000
  private static let records = [
    UsageRecord(session: "a", title: "Quinces", model: "opus", at: 20_000 * day, tokens: 10, cost: 0.5, messages: 1),
    UsageRecord(session: "b", model: "haiku", at: 20_001 * day, tokens: 40, messages: 2),
    UsageRecord(session: "a", title: "Quinces", model: "opus", at: 20_001 * day, tokens: 5, cost: 0.25, messages: 1),
  ]

  @Test func `what belongs together is added up, the most first`() {
    let sessions = UsagePage.sums(Self.records, by: .session)
    #expect(sessions.map(\.name) == ["b", "Quinces"])
    #expect(sessions.map(\.tokens) == [40, 15])
    #expect(sessions.map(\.cost) == [nil, 0.75])
    #expect(UsagePage.sums(Self.records, by: .model).map(\.name) == ["haiku", "opus"])
  }

  @Test func `days come the newest first`() {
    let days = UsagePage.sums(Self.records, by: .day)
    #expect(days.map(\.name) == ["2024-10-05", "2024-10-04"])
    #expect(days.map(\.tokens) == [45, 10])
  }

  @Test func `bars are as long as the most is short of them`() {
    let listing = UsagePage.listing(Self.records, by: [.session], source: "server", bar: "#")
    let bars = listing.rows.map { listing.columns[2].cell($0).string }
    #expect(bars == ["############", "#####"])
    #expect(listing.rows.allSatisfy { $0["source"] == "server" })
  }

  @Test(
    arguments: [
      (0.0421, "0.0421"), (12.5, "12.5"), (3, "3"), (0.1, "0.1"), (0, "0"), (0.000_000_1, "0"),
      (1e300, "1000000000000"),
    ])
  func `amounts have as many digits as they need`(amount: Double, text: String) {
    #expect(ModelPage.amount(amount) == text)
  }

  @Test func `sums of what servers say do not overflow`() {
    let much = UsageRecord(session: "a", tokens: .max)
    #expect(UsagePage.sums([much, much], by: .session).first?.tokens == .max)
  }
}

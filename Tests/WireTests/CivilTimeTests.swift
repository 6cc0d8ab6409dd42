import Testing

@testable import Wire

@Suite struct CivilTimeTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    (1_790_000_000, "2026-09-21T14:13:20Z"), (4_107_542_399, "2100-02-28T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"),
    (.min, "0001-01-01T00:00:00Z"),
  ])
  func `a moment is a day and a time`(seconds: Int, text: String) { #expect(CivilTime(seconds).iso == text) }

  @Test func `a clock ahead of UTC shows a later time`() {
    let there = CivilTime(1_790_000_000, offset: 36_000)
    #expect(there.date == "2026-09-22" && there.clock == "00:13")
  }

  @Test func `days are counted as they are shown`() {
    for day in stride(from: -719_162, through: 2_932_896, by: 8_191) {
      let time = CivilTime(day * 86_400)
      #expect(CivilTime.days(year: time.year, month: time.month, day: time.day) == day)
    }
  }
}

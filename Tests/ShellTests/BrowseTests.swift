import Chat
import Testing
import Text

@testable import Shell

@Suite struct BrowseTests {
  private static let item = BrowseItem(
    id: "m1", name: "a \u{1B}[31mred\u{1B}[0m name",
    fields: [
      BrowseField("status", "STATUS", .status("FAILED", .bad)), BrowseField("none", "NONE", .none),
      BrowseField("text", "TEXT", .text("one\ntwo")), BrowseField("int", "INT", .int(-3)),
      BrowseField("flag", "FLAG", .flag(false)), BrowseField("moment", "MOMENT", .moment(1_790_000_000_123)),
      BrowseField(
        "files", "FILES", .list([.record([BrowseField("name", "NAME", .text("a.gguf"))]), .text("b"), .none])),
    ])

  @Test func `what was seen comes back from its bytes`() {
    var record = BrowseRecord([Self.item, BrowseItem(id: "m2", name: "", fields: [])], at: 5)
    record.note(Self.item, at: 7)
    #expect(BrowseRecord(bytes: record.bytes) == record)
  }

  @Test(arguments: [
    "", "{", "[]", #"{"listedAt":1,"items":[{"id":"a"}],"details":[]}"#,
    #"{"listedAt":1,"items":[{"id":"a","name":"b","fields":[{"key":"k","title":"t","value":{"odd":1}}]}],"details":[]}"#,
  ]) func `bytes that are something else are nothing`(_ text: String) {
    #expect(BrowseRecord(bytes: Array(text.utf8)) == nil)
  }

  @Test func `a new list keeps the details of what is still on it`() {
    var record = BrowseRecord([Self.item], at: 5)
    record.note(Self.item, at: 7)
    record.list([Self.item], at: 9)
    #expect(record.details.map(\.seenAt) == [7] && record.listedAt == 9)
    record.list([], at: 11)
    #expect(record.details.isEmpty)
  }

  @Test func `a state has the colour of what it means`() {
    let tones: [(BrowseValue.Tone, Style)] = [
      (.good, .good), (.underWay, .warning), (.bad, .error), (.neutral, .dim),
    ]
    for (tone, style) in tones {
      let items = [BrowseItem(id: "1", name: "n", fields: [BrowseField("s", "S", .status("WORD", tone))])]
      let page = BrowsePage()
      let lines = page.table(items, numbers: [1]).lines(columns: 80, style: page.style(items))
      #expect(lines.last?.map(\.style) == [.dim, .plain, style])
      #expect(lines.first?.allSatisfy { $0.style == .dim } == true)
      #expect(lines.map(\.string) == page.table(items, numbers: [1]).lines(columns: 80).map(\.string))
    }
  }

  @Test func `nothing of a server acts on the terminal`() {
    let page = BrowsePage()
    let text = page.detail(Self.item, columns: 40).string + page.table([Self.item], numbers: [1]).tsv.string
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.value >= 0x20 && $0.value != 0x7F })
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_399_999, "2000-02-28T23:59:59Z"),
    (951_825_600_000, "2000-02-29T12:00:00Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
    (1_790_000_000_123, "2026-09-21T14:13:20Z"),
  ]) func `a moment is written as the calendar has it`(_ moment: Int, _ text: String) {
    #expect(Moments.iso(moment) == text)
  }

  @Test func `a clock that is ahead may show another day`() {
    #expect(Moments.local(1_790_000_000_123, offset: 36_000) == "2026-09-22 00:13")
    #expect(Moments.local(1_790_000_000_123, offset: -54_000) == "2026-09-20 23:13")
    #expect(Moments.local(.max, offset: .max).string.isEmpty == false)
    #expect(Moments.local(.min, offset: .min).string.isEmpty == false)
  }
}

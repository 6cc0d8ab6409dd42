import Chat
import Testing

@testable import Shell

@Suite struct TerminalRecordTests {
  private let work = TerminalInfo(
    id: "work", name: "work", pid: 7, folder: "/src", program: "vim", hasClaude: false, createdAt: 1, lastActivity: 2,
    columns: 80, rows: 24, watchers: 1)

  @Test func `what was seen comes back as it was`() {
    var record = TerminalRecord([work, TerminalInfo(id: "1", name: "1")], at: 10)
    record.note("one\ntwo\n", of: "work", at: 11)
    #expect(TerminalRecord(bytes: record.bytes) == record)
  }

  @Test func `what was read of one stays while it is on the list`() {
    var record = TerminalRecord([work], at: 10)
    record.note("one\n", of: "work", at: 11)
    var later = work
    later.program = "bash"
    record.list([later], at: 20)
    #expect(record.terminal("work") == .init(info: later, output: .init(text: "one\n", at: 11)))
    // Another of the same name has said nothing yet.
    later.createdAt = 15
    record.list([later], at: 30)
    #expect(record.terminal("work")?.output == nil)
  }

  @Test func `only the last lines are kept, and whole characters`() throws {
    var record = TerminalRecord([work], at: 10)
    record.note((1...500).map { "\($0)\n" }.joined(), of: "work", at: 11)
    let lines = try #require(record.terminal("work")?.output?.text.split(separator: "\n"))
    #expect(lines.count == TerminalRecord.mostLines && lines.last == "500")
    record.note(String(repeating: "\u{1F95D}", count: 40_000) + "x", of: "work", at: 12)
    let text = try #require(record.terminal("work")?.output?.text)
    #expect(text.utf8.count <= TerminalRecord.mostBytes && text.utf8.count > TerminalRecord.mostBytes - 4)
    #expect(text.hasSuffix("\u{1F95D}x") && !text.unicodeScalars.contains("\u{FFFD}"))
  }

  @Test func `a beginning of a name means the only one that has it`() {
    let record = TerminalRecord([work, TerminalInfo(id: "worn", name: "worn")], at: 10)
    #expect(record.terminal("work")?.info.id == "work" && record.terminal("worn")?.info.id == "worn")
    #expect(record.terminal("wor") == nil && record.terminal("worr") == nil)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"listedAt":1,"terminals":[{"id":1}]}"#, #"{"listedAt":1}"#, #"{"listedAt":-1,"terminals":[]}"#,
  ])
  func `a broken record is none`(_ text: String) {
    #expect(TerminalRecord(bytes: Array(text.utf8)) == nil)
  }
}

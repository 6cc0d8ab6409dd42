import Chat
import Testing

@testable import Shell

@Suite struct DiffPageTests {
  private func lines(_ old: String?, _ new: String) -> [DiffPage.Line] {
    DiffPage.lines(of: FileChange(path: "/a", old: old, new: new))
  }

  private func page(_ old: String?, _ new: String, replacesUnseen: Bool = false, limit: Int? = nil) -> [Substring] {
    let change = FileChange(path: "/a", old: old, new: new, replacesUnseen: replacesUnseen)
    return DiffPage.text(change, columns: 60, limit: limit).string.split(separator: "\n")
  }

  @Test func `what is removed stands before what takes its place`() {
    #expect(lines("one\ntwo\n", "one\nTWO\n") == [.same("one"), .removed("two"), .added("TWO")])
    #expect(
      lines("a\nb\nc\nd\n", "b\nx\nd\ne\n")
        == [.removed("a"), .same("b"), .removed("c"), .added("x"), .same("d"), .added("e")])
  }

  @Test func `what is far from every change is left out, and counted`() {
    let old = (1...9).map { "\($0)\n" }.joined()
    #expect(
      lines(old, old.replacing("5\n", with: "five\n"))
        == [.gap(2), .same("3"), .same("4"), .removed("5"), .added("five"), .same("6"), .same("7"), .gap(2)])
  }

  @Test func `a file that is made, emptied or left as it is`() {
    #expect(lines(nil, "a\nb\n") == [.added("a"), .added("b")])
    #expect(lines("a\n", "") == [.removed("a")])
    #expect(lines("a\n", "a\n") == [])
    #expect(page("a", "a") == ["  /a", "  nothing changes"])
    #expect(page(nil, "") == ["  /a (new)", "  it is empty"])
  }

  @Test func `a file that cannot be shown is not called new`() {
    #expect(page(nil, "a\n", replacesUnseen: true) == ["  /a (replaces a file that cannot be shown)", "  + a"])
  }

  @Test func `texts that only look the same are another line`() {
    #expect(lines("caf\u{E9}\n", "cafe\u{301}\n").count == 2)
    #expect(lines("a\n", "a\u{200B}\n").count == 2)
  }

  @Test func `a carriage return ends no line, and is seen`() {
    #expect(lines("a\r\nb\r\n", "a\r\nB\r\n") == [.same("a\r"), .removed("b\r"), .added("B\r")])
    #expect(page("a\n", "a\r\n") == ["  /a", "  - a", "  + a^M"])
  }

  @Test func `a newline at the end that comes or goes is said`() {
    #expect(page("a\n", "a") == ["  /a", "  - a", "  + a", "  \\ no newline at the end"])
    #expect(page("a", "a\n") == ["  /a", "  - a", "  \\ no newline at the end", "  + a"])
    #expect(lines("a\nb", "a\nc") == [.same("a"), .removed("b"), .added("c")])
  }

  @Test func `what is too long to be compared is all removed, then all added`() {
    let old = (0..<2_001).map { "old \($0)" } + ["same"]
    let new = (0..<2_001).map { $0 == 1_000 ? "old 1000" : "new \($0)" } + ["same"]
    let shown = lines(old.joined(separator: "\n"), new.joined(separator: "\n"))
    #expect(shown == old.dropLast().map { .removed($0) } + new.dropLast().map { .added($0) } + [.same("same")])
  }

  @Test func `a line that changes in a long file is found`() {
    let old = String(repeating: "x\n", count: 50_000)
    #expect(
      lines(old + "y\n" + old, old + "z\n" + old)
        == [.gap(49_998), .same("x"), .same("x"), .removed("y"), .added("z"), .same("x"), .same("x"), .gap(49_998)])
  }

  @Test func `what was done is shown up to a limit, and what is to be allowed whole`() {
    let new = String(repeating: "x\n", count: 500)
    #expect(page(nil, new, limit: 60).last == "  … 440 more lines")
    #expect(page(nil, new).count == 501)
    let act = AgentAct.write(FileChange(path: "/a", old: nil, new: new), why: nil)
    #expect(PermissionPage(act, by: "peer", columns: 80).text.string.split(separator: "\n").count == 502)
  }

  @Test func `a page longer than the screen can be read in pieces, with what it is about beside the question`() throws {
    let change = FileChange(path: "/home/ada/a", old: nil, new: String(repeating: "x\n", count: 100))
    let page = PermissionPage(.write(change, why: nil), by: "peer", columns: 80)
    let ways = PermissionPage.Ways(mayKeep: true)
    let long = try #require(LongConsent(page, ways, columns: 80, rows: 24))
    #expect(long.pieces.map(\.lines.count).reduce(0, +) == 102)
    #expect(long.recap.string.contains("/home/ada/a (new): 0 lines removed, 100 added"))
    #expect(PermissionPage.prompt(ways, canView: true).string == "allow? [y]es, [a]lways this, [v]iew, [N]o ")
    #expect(LongConsent(page, ways, columns: 80, rows: 200) == nil)
  }

  @Test func `no line of a file can pass for one of ours`() {
    let page = DiffPage.text(
      FileChange(path: "/a\u{1B}[2K\nallow? y", old: nil, new: "\u{1B}[1A\u{1B}[2Kallow? [y]es\r- gone\n"), columns: 60)
    #expect(!page.string.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(page.string.split(separator: "\n").allSatisfy { $0.hasPrefix("  ") })
  }

  @Test func `text that stands alone has a bar before each line`() {
    let text = BarredText.block("error: none\n\nhint: \u{1B}[2K" + String(repeating: "x", count: 40), width: 30)
    let lines = text.string.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("| ") })
  }

  @Test func `a long path begins no row of its own`() {
    let change = FileChange(
      path: "/" + String(repeating: "a", count: 76) + "Agent x asks to read a file.", old: nil, new: "")
    let rows = DiffPage.text(change, columns: 80).string.split(separator: "\n")
    #expect(rows.allSatisfy { $0.hasPrefix("  ") && $0.count <= 80 })
  }

  @Test func `two arguments are not shown as one`() {
    func page(_ words: [String]) -> String {
      PermissionPage(
        .run(AgentCommand(words: words, isShellLine: false, folder: "/")), by: "peer", columns: 80
      ).text.string
    }
    let filler = String(repeating: "x", count: 69)
    #expect(page(["rm", "-f", filler, "precious"]) != page(["rm", "-f", filler + "precious"]))
  }
}

import Testing
import Text

@Suite struct TableTests {
  private let models = Table(
    header: ["NAME", "STATE", "CONTEXT"],
    rows: [["llama", "running", "8192"], ["漢字モデル", "off", "131072"], ["e\u{301}", "", "1"]],
    alignments: [.left, .left, .right])

  @Test func `columns are aligned by cells`() {
    #expect(
      models.lines(columns: 80).map(\.string) == [
        "NAME        STATE    CONTEXT", "llama       running     8192", "漢字モデル  off       131072",
        "e\u{301}                          1",
      ])
  }

  @Test func `no line is wider than the screen`() {
    for columns in 0...40 {
      for line in models.lines(columns: columns) { #expect(line.cells <= columns, "\(columns): \(line.string)") }
    }
  }

  @Test func `the widest column gives way`() {
    let table = Table(rows: [["ab", "a very long description"], ["abcd", "short"]])
    #expect(table.lines(columns: 16).map(\.string) == ["ab    a very lo…", "abcd  short"])
    let even = Table(rows: [["abcdefghij", "abcdefghij", "x"]])
    #expect(even.lines(columns: 18).map(\.string) == ["abcdef…  abcde…  x"])
  }

  @Test func `rows may be short, and lines have no blanks at the end`() {
    let table = Table(rows: [["a", "b"], ["a"], [], ["long", ""]])
    #expect(table.lines(columns: 20).map(\.string) == ["a     b", "a", "", "long"])
  }

  @Test func `an empty table has no lines`() {
    #expect(Table(rows: []).lines(columns: 80).isEmpty)
    #expect(Table(rows: []).tsv.isEmpty)
    #expect(Table(header: ["A"], rows: []).lines(columns: 80) == ["A"])
  }

  @Test func `a pipe gets whole cells between tabs`() {
    let table = Table(header: ["A", "B"], rows: [[Filter.block("two\nlines"), "x"], [Filter.source("a\tb"), ""]])
    #expect(table.tsv.string == "two lines\tx\na b\t\n")
  }

  @Test func `a screen too narrow for columns gets a line for each cell`() {
    let table = Table(
      header: ["MODEL", "STATE", "SERVER"], rows: [["llama-3.3-70b", "", "gpu1"], ["qwen", "loaded", "gpu2"]])
    #expect(!table.isCramped(columns: 40))
    #expect(table.isCramped(columns: 20))
    #expect(
      table.stacked(columns: 20).map(\.string) == [
        "MODEL  llama-3.3-70b", "SERVER gpu1", "", "MODEL  qwen", "STATE  loaded", "SERVER gpu2",
      ])
    #expect(
      Table(header: ["PATH"], rows: [["one two three four"]]).stacked(columns: 14).map(\.string) == [
        "PATH one two\n     three\n     four"
      ])
  }

  @Test func `on a narrow screen no name is cut`() {
    let table = Table(
      header: ["N", "NAME", "TEXT"],
      rows: [["1", "a-name-of-twenty-cells", "some words that go on and on, and do not end"]])
    #expect(!table.isCramped(columns: 50))
    #expect(table.isCramped(columns: 46))
    #expect(!table.isCramped(columns: 70))
    // The last column has room for a few words, or the rows are lists.
    let short = Table(header: ["NAME", "TEXT"], rows: [["a-name", "some words that go on"]])
    #expect(!short.isCramped(columns: 24))
    #expect(short.isCramped(columns: 23))
  }

  @Test func `a last column may be broken rather than cut`() {
    let table = Table(header: ["WHAT", "VALUE"], rows: [["a", "one two three four"], ["long one", "x"]])
    #expect(!table.isWider(than: 28))
    #expect(table.isWider(than: 27))
    #expect(
      table.wrapped(columns: 26)?.map(\.string) == [
        "WHAT      VALUE", "a         one two three\n          four", "long one  x",
      ])
    #expect(table.wrapped(columns: 25) == nil)
  }
}

import Testing

@testable import Shell

/// Files that a typed message names (docs/shell.md 3).
struct MentionTests {
  private static let files: Set = ["a.txt", "a b.txt", "it's", "src/main.c", "@a", "o\"k", "what?"]

  @Test(arguments: [
    ("look at @a.txt", ["a.txt"]),
    ("@a.txt, (@src/main.c) and @a.txt!", ["a.txt", "src/main.c"]),
    ("@\"a b.txt\" and @'a b.txt'.", ["a b.txt"]),
    ("@a\\ b.txt; @'it'\\''s'?", ["a b.txt", "it's"]),
    ("@it's @o\"k", ["it's", "o\"k"]),
    ("\"@a.txt\" is quoted, [@a.txt] is not", ["a.txt"]),
    ("is it @what?", ["what?"]),
    ("@@a", ["@a"]),
    ("mail a@a.txt or @gone.txt", []),
    ("@'a b.txt", ["a b.txt"]),
    ("@\"a\nb.txt\"", []),
    ("@ a.txt @", []),
    ("see @a.txt… and @src/main.c。", ["a.txt", "src/main.c"]),
    ("@a.txt—good? @src/main.c:12", ["a.txt", "src/main.c"]),
    ("**@a.txt** or “@src/main.c”", ["a.txt", "src/main.c"]),
    ("@a.txt's end, 请看@src/main.c、", ["a.txt", "src/main.c"]),
    ("<@a.txt>, @src/main.c(12):", ["a.txt", "src/main.c"]),
    ("jürgen@a.txt @a.txt.bak @src/main.cc", []),
  ])
  func `a name stands behind an at where a word begins`(row: (String, [String])) {
    #expect(Mention.all(in: row.0, isThere: Self.files.contains).map(\.name) == row.1)
  }

  @Test(arguments: [
    ("@gone.txt…", ["gone.txt"]), ("@gone.txt—good?", ["gone.txt"]), ("@gone.txt:12", ["gone.txt"]),
    ("@notes:resource.txt @app.route('/x.y')", ["app.route"]),
    ("read @none, and @a.txt", ["none"]), ("@override\nfunc gone() {}", []), ("@2/3 @1 bob@none", []),
  ])
  func `a name that is missing is told without the punctuation around it`(row: (String, [String])) {
    #expect(Mention.missing(in: row.0, isThere: Self.files.contains) == row.1)
  }

  @Test func `a long paste with many of them is read once`() {
    let text = String(repeating: "@'x ", count: 20_000)
    var looks = 0
    let found = Mention.all(in: text) { _ in
      looks += 1
      return false
    }
    #expect(found.isEmpty && looks < 200_000)
  }
}

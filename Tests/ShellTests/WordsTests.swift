import Testing

@testable import Shell

@Suite struct WordsTests {
  @Test(arguments: [
    ("", []), ("  ", []), ("one", ["one"]), (" one  two ", ["one", "two"]), ("'a b' c", ["a b", "c"]),
    (#""a b"c"#, ["a bc"]), (#"a\ b"#, ["a b"]), (#"'it'\''s'"#, ["it's"]),
    (#""say \"hi\" \\ \n""#, [#"say "hi" \ \n"#]),
    ("''", [""]), ("a '' b", ["a", "", "b"]), (#"'a\b'"#, [#"a\b"#]), ("tab\tand\nline", ["tab", "and", "line"]),
    ("naïve 日本", ["naïve", "日本"]), ("don't know", ["don't", "know"]), ("the dogs' tails", ["the", "dogs'", "tails"]),
    ("l'été 2's", ["l'été", "2's"]), ("a='b c'", ["a=b c"]), ("'don't", ["dont"]), ("x\"y\"'z w'", ["xyz w"]),
  ]) func `words are split as a shell splits them`(text: String, words: [String]) {
    #expect(Words(splitting: text).words == words)
  }

  @Test func `a quote that is left open holds the rest of the line`() {
    let words = Words(splitting: "show 'a b")
    #expect(words.words == ["show", "a b"])
    #expect(words.openQuote == "'")
    #expect(words.lastWordStart == 5)
    #expect(Words(splitting: "a \"b").openQuote == "\"")
    #expect(Words(splitting: "a 'b'").openQuote == nil)
  }

  @Test func `a backslash at the end stays`() {
    #expect(Words(splitting: #"C:\"#).words == [#"C:\"#])
  }

  @Test(arguments: [("one two", 4), ("one ", 4), ("one", 0), ("é 'x y'", 2), ("", 0)])
  func `the last word begins where it was typed`(text: String, start: Int) {
    #expect(Words(splitting: text).lastWordStart == start)
  }

  @Test(arguments: [
    "", "plain", "two words", "it's", "\"", "\\", "a\\ b", "'", "''", "tab\there", "line\nend", "日本", "$HOME", " ",
    "a'b\"c\\d e",
  ]) func `a quoted word comes back as it was`(word: String) {
    #expect(Words(splitting: Words.quoted(word)).words == [word])
    #expect(Words(splitting: "x \(Words.quoted(word)) y").words == ["x", word, "y"])
  }

  @Test func `a word that needs no quotes has none, and one with an apostrophe stays readable`() {
    #expect(Words.quoted("qwen2.5-coder:7b") == "qwen2.5-coder:7b")
    #expect(Words.quoted("I don't know") == "\"I don't know\"")
    #expect(Words.quoted("it's $5") == #"'it'\''s $5'"#)
  }
}

import Testing

@testable import Store

@Suite struct WordsTests {
  @Test(arguments: [
    ("modle", "model", 1), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("same", "same", 0),
    ("ca", "abc", 3), ("Model", "model", 1),
  ])
  func `a swap of neighbours is one slip, and no letter is touched twice`(_ one: String, _ other: String, _ slips: Int)
  {
    #expect(editDistance(one, other) == slips)
    #expect(editDistance(other, one) == slips)
  }
}

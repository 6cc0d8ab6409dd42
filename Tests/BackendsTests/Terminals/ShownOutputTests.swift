import Testing

@testable import Backends

@Suite struct ShownOutputTests {
  private func new(after shown: String, in replay: String) -> String {
    var memory = ShownOutput()
    memory.add(Array(shown.utf8))
    return String(decoding: memory.new(in: Array(replay.utf8)), as: UTF8.self)
  }

  @Test(arguments: [
    ("", "abc", "abc"), ("abc", "abc", ""), ("abc", "abcdef", "def"), ("abcdef", "defghi", "ghi"),
    ("abc", "xyz", "xyz"),
    ("abcabc", "abcabcabc", "abc"), ("aaaa", "aaa", ""), ("xaaaa", "aaaab", "b"),
    ("end", "begin end and more", "begin end and more"),
    ("one$ ", "$ two$ ", "two$ "), ("abc", "", ""), ("ababa", "babab", "b"),
  ])
  func `of a replay only what is new is shown`(shown: String, replay: String, new: String) {
    #expect(self.new(after: shown, in: replay) == new)
  }

  @Test func `wherever a terminal's words are cut, they are shown once and whole`() {
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      // Lines that differ, as those of a shell do: a text that repeats itself has no one place.
      let words = (0..<40).map { "line \($0) \(Int.random(in: 0...9, using: &numbers))\r\n" }.joined()
      let all = Array(words.utf8)
      let cut = Int.random(in: 1...all.count, using: &numbers)
      let start = Int.random(in: 0...max(0, cut - 20), using: &numbers)
      var memory = ShownOutput()
      memory.add(Array(all[..<cut]))
      let rest = Array(memory.new(in: Array(all[start...])))
      #expect(rest == Array(all[cut...]))
    }
  }

  @Test func `much of it is remembered in little`() {
    var memory = ShownOutput()
    let line = Array("0123456789abcdef".utf8)
    for _ in 0..<1_000_000 { memory.add(line) }
    memory.add(Array("the end".utf8))
    #expect(Array(memory.new(in: Array("abcdefthe end, and more".utf8))) == Array(", and more".utf8))
    // A server may repeat more than is kept here.
    let replay = (0..<600_000).flatMap { _ in line } + Array("the end, and more".utf8)
    #expect(Array(memory.new(in: replay)) == Array(", and more".utf8))
  }
}

@Suite struct WholeCharactersTests {
  @Test(
    arguments: [
      ([], 0), ([0x61], 1), ([0xC3], 0), ([0xC3, 0xA4], 2), ([0x61, 0xE2, 0x82], 1), ([0xE2, 0x82, 0xAC], 3),
      ([0xF0, 0x9F, 0x98], 0), ([0xF0, 0x9F, 0x98, 0x80], 4), ([0x80, 0x80, 0x80, 0x80], 4), ([0xFF], 0),
    ] as [([UInt8], Int)])
  func `a character that is not whole waits`(bytes: [UInt8], whole: Int) { #expect(bytes.wholeCharacters == whole) }
}

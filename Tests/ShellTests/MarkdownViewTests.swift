import Testing

@testable import Shell

@Suite struct MarkdownViewTests {
  @Test(arguments: ["", "a", "abcdefgh", "aé日👩‍👩‍👧b\r\ne\u{301}", "👩‍👩‍👧👩‍👩‍👧"], [4, 5, 7, 8])
  func `text is cut between scalars, and nothing of it is lost`(text: String, bytes: Int) {
    var (rest, pieces) = (text[...], [Substring]())
    while !rest.isEmpty {
      let (head, behind) = rest.split(bytes: bytes)
      pieces.append(head)
      rest = behind
    }
    #expect(pieces.joined() == text)
    #expect(pieces.allSatisfy { 1...bytes ~= $0.utf8.count })
    #expect(pieces.dropLast().allSatisfy { $0.utf8.count > bytes - 4 })
  }
}

import Testing

@testable import Shell

/// Files that a message names.
struct MentionTests {
  @Test(arguments: [
    ("see @a.txt, and @b.txt.", ["a.txt", "b.txt"]), ("see @'my file', @\"it's\" and @gone", ["my file", "it's"]),
    ("mail me@a.txt", []), ("@a.txt @a.txt", ["a.txt"]), ("see @'my file", ["my file"]), ("@ @' '", []),
  ])
  func `quotes keep blanks together`(text: String, names: [String]) {
    let there = ["a.txt", "b.txt", "my file", "it's"]
    #expect(Mention.all(in: text) { there.contains($0) }.map(\.name) == names)
  }

  @Test(arguments: ["a.txt", "my file", "it's", "say \"so\"", "my folder/"]) func `what is offered names the file`(
    path: String
  ) throws {
    let spelled = try #require(Mention.spelled(path))
    #expect(Mention.all(in: "see \(spelled)") { $0 == path }.map(\.name) == [path])
  }

  @Test func `what no quotes hold is not offered`() { #expect(Mention.spelled("it's \"so\"") == nil) }
}

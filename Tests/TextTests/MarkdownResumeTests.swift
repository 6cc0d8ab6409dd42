import Testing
import Text

/// What is shown of the rest of a text whose beginning was shown before.
private func shown(_ rest: String, after earlier: String) -> String {
  var flow = MarkdownFlow(MarkdownLook(columns: 20))
  flow.resume(after: earlier)
  var lines: [StyledText] = []
  for character in rest {
    lines += flow.feed(String(character)).lines.spans
    _ = flow.draft()
  }
  return (lines + flow.finish().lines.spans).map(\.string).joined(separator: "\n")
}

@Suite struct MarkdownResumeTests {
  @Test func `a paragraph goes on with the line that was cut`() {
    #expect(shown("jumps over it.\n\nEnd.", after: "A quick brown fox that ") == "that jumps over it.\n\nEnd.")
    #expect(shown(" over it.", after: "One.\n\nA quick brown fox **jumps") == "**jumps over it.")
    #expect(shown("s** over", after: "A quick brown fox a **jump") == "jumps over")
  }

  @Test func `what was whole is not shown again`() {
    #expect(shown("\n\nNew.", after: "Old.") == "\nNew.")
    #expect(shown("New.", after: "Old.\n\n") == "\nNew.")
    #expect(shown("- c\n", after: "- a\n- b\n") == "• c")
  }

  @Test func `code stays code`() {
    let earlier = "So:\n\n```python\ndef f():\n    retu"
    #expect(
      shown("rn *1*\n```\nEnd.", after: earlier) == "── python ──────────\n    return *1*\n────────────────────\nEnd.")
    #expect(shown("\n```\nEnd.", after: "```c\nint i;") == "── c ───────────────\nint i;\n────────────────────\nEnd.")
    #expect(shown("```\nEnd.", after: "```c\nint i;\n") == "End.")
  }

  @Test func `items and quotes go on with their marks`() {
    #expect(shown("e\n4. four", after: "2. two\n3. thre") == "3. three\n4. four")
    #expect(shown("here\n> more", after: "> words that are broken t") == "│ broken there\n│ more")
  }

  @Test func `a table is shown again where its columns move`() {
    let earlier = "|a|b|\n|-|-|\n|1|2|\n|3"
    #expect(shown("|4|\n|5|6|\n", after: earlier) == "3 │ 4\n5 │ 6")
    #expect(shown("33|4|\n", after: earlier) == "a   │ b\n────┼──\n1   │ 2\n333 │ 4")
  }
}

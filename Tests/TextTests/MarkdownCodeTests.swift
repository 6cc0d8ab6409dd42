import Testing

@testable import Text

@Suite struct MarkdownCodeTests {
  @Test(arguments: [
    ("no code", []),
    ("```python\na\nb\n```", ["python: a\nb\n"]),
    ("~~~ sh -x\n~~~\n", ["sh: "]),
    ("```\nnot closed\n", [": not closed\n"]),
    ("- item\n\n  ```c\n  int a;\n  ```\n\n> ```\n> quoted\n> ```\n", ["c: int a;\n", ": quoted\n"]),
    ("words\n\n    indented\n\nwords", [": indented\n"]),
    ("````md\n```\ninner\n```\n````\n\n```\nlast", ["md: ```\ninner\n```\n", ": last\n"]),
    ("<pre>\n```\nno code\n```\n</pre>", []),
    ("> ```\n> in a quote, not closed", [": in a quote, not closed\n"]),
    ("```\r\nwindows\r\n```\r\n", [": windows\n"]),
  ])
  func `the blocks of code of an answer are found in their order`(source: String, blocks: [String]) {
    #expect(MarkdownCode.blocks(of: source).map { "\($0.language): \($0.text)" } == blocks)
  }
}

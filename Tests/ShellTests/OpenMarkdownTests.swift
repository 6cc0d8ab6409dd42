import Testing
import Text

@testable import Shell

/// A message in an exported document must not swallow the heading below it (docs/export.md 3).
struct OpenMarkdownTests {
  @Test(arguments: [
    "Why?\n```python\nprint(1", "~~~~\ncode\n~~~\n", "```\r\ncode\r\n````\r\n```", "  ````md\n```\n",
    "Look:\n<!-- a remark\n\nand more", "<script>\nlet a = 1\n\nlet b", "text\n<PRE>\n\nx", "<?php\n\necho 1",
    "<![CDATA[\n\nx", "<!DOCTYPE\n\n", "```\n<!-- \n```\n<style\n\n", "> ```\n> quoted", "- ```\n  in a list",
    "- item\n\n  ```\n  code", "1. a\n\n   ~~~\n   b",
  ])
  func `an open block ends before what follows`(_ text: String) {
    #expect(MarkdownHTML.page(OpenMarkdown.closed(text) + "\n\n## next\n").contains("next</h2>"))
  }

  @Test(arguments: [
    "", "plain", "```\ncode\n```", "    ```\nindented", "<!-- done -->\n", "``` a ` b\n", "<b>bold\n", "<pre>x</pre>",
    "<scripted>\n", "a <!-- within a line",
  ])
  func `a text without an open block is unchanged`(_ text: String) {
    #expect(OpenMarkdown.closed(text) == text)
  }
}

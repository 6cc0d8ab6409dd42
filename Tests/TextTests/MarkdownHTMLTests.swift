import TestSupport
import Testing

@testable import Text

@Suite struct MarkdownHTMLTests {
  @Test func `Markdown becomes what it means`() {
    #expect(MarkdownHTML.page("a **b** ~~c~~\n\n- [x] d").contains("<strong>b</strong> <del>c</del>"))
    #expect(MarkdownHTML.page("| a |\n|--:|\n| b |").contains("<td align=\"right\">b</td>"))
    #expect(MarkdownHTML.page("[a]\n\n[a]: https://e.x/y") == "<p><a href=\"https://e.x/y\">a</a></p>\n")
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<!-- a", "<div onclick='x'>a</div>",
    "```\n</code></pre><script>x</script>\n```", "``</code><script>``", "# <b>", "| <i> |\n|--|\n| <u> |",
    "[<s>](x \"</a><script>\")", "- <b>\n  <script>", "> <?x", "```</pre><script>\ncode\n```",
  ])
  func `HTML in it is text`(_ source: String) {
    let page = MarkdownHTML.page(source)
    for tag in ["<script", "<img", "<!--", "<div", "<b>", "<i>", "<u>", "<s>", "<?"] {
      #expect(!page.contains(tag), "\(page)")
    }
    #expect(page.contains("&lt;"))
  }

  @Test func `nothing is run or fetched`() {
    #expect(MarkdownHTML.page("[a](javascript:alert\\(1\\))") == "<p><a href=\"\">a</a></p>\n")
    #expect(MarkdownHTML.page("![a](https://e.x/p.png)") == "<p><a href=\"https://e.x/p.png\">a</a></p>\n")
    #expect(MarkdownHTML.page("![](http://e.x/)") == "<p><a href=\"http://e.x/\">http://e.x/</a></p>\n")
    #expect(MarkdownHTML.page("![a](data:image/svg+xml;base64,AAAA)").contains("src=\"\""))
    #expect(MarkdownHTML.page("![a](data:image/png;base64,AAAA)").contains("<img src=\"data:image/png;base64,AAAA\""))
  }

  @Test(arguments: [
    "```c\nint a;", "~~~~\nint a;", "- ```\n  int a;", "> ```\n> int a;", "    int a;", "<!-- int a;",
    "- <pre>\n  int a;",
  ])
  func `code that is not closed is there to its end, and nothing more`(_ source: String) {
    let text = MarkdownHTML.page(source).replacing(#/<[^>]*>/#, with: "")
    #expect(text.contains("int a;"))
    #expect(!text.contains("---") && !text.contains("~~~") && !text.contains("```"))
  }

  @Test func `code has the colours of its language`() {
    #expect(
      MarkdownHTML.page("```c\nint a = 1; // <b>\n```").contains(
        "<pre data-language=\"c\"><code><span class=\"type\">int</span> a"))
    #expect(
      MarkdownHTML.code("a < b", language: "nothing") == "<pre data-language=\"nothing\"><code>a &lt; b</code></pre>")
  }

  @Test func `control characters are left out`() {
    #expect(MarkdownHTML.page("a\u{1B}[31mb\0c\r\nd") == "<p>a[31mbc\nd</p>\n")
    #expect(MarkdownHTML.escaped("<a \"b\" 'c' &\u{9B}") == "&lt;a &quot;b&quot; &#39;c&#39; &amp;")
  }

  @Test func `random documents make pages whose marks are all their own`() {
    var numbers = SeededNumbers(seed: 23)
    let own =
      #/</?(p|h[1-6]|ul|ol|li|blockquote|pre|code|em|strong|del|a|img|table|thead|tbody|tr|th|td|hr|br|input|span)( [^<>]*)?/?>/#
    for _ in 0..<1000 {
      let source = numbers.markdown()
      let rest = MarkdownHTML.page(source).replacing(own, with: "")
      #expect(!rest.contains("<"), "\(source.debugDescription)")
    }
    let deep = MarkdownHTML.page(String(repeating: "> ", count: 20_000) + "deep")
    #expect(deep.contains("deep"))
  }
}

import Testing
import Wire

@testable import Serving

/// What a prompt's blocks become for a model that reads text.
@Suite struct PromptTextTests {
  private func block(_ text: String) -> JSON { ["type": "text", "text": .string(text)] }

  @Test func `texts are joined as they are`() throws {
    let prompt = try #require(PromptText([block("one "), block("two")]))
    #expect(prompt.whole == "one two")
  }

  @Test func `an embedded file stands behind the message, in a fence that nothing in it closes`() throws {
    let resource: JSON = ["type": "resource", "resource": ["uri": "file:///a/b.md", "text": "```\ncode\n```"]]
    let prompt = try #require(PromptText([block("explain "), resource, block(" to me")]))
    #expect(prompt.whole == "explain @b.md to me\n\nfile:///a/b.md:\n````\n```\ncode\n```\n````")
  }

  @Test func `of bytes and of what was not read the name is left`() throws {
    let blob: JSON = ["type": "resource", "resource": ["uri": "file:///a.png", "blob": "AAAA"]]
    let link: JSON = ["type": "resource_link", "uri": "https://x.example/", "name": "x"]
    var prompt = try #require(PromptText([blob, link]))
    for link in prompt.links { prompt.attach(nil, from: link.uri) }
    #expect(
      prompt.whole
        == "@a.png@x\n\n[file:///a.png: only its name is known]\n\n[https://x.example/: only its name is known]")
  }

  @Test(arguments: ["image", "audio", "hologram"])
  func `a kind that was not offered is not taken`(kind: String) {
    #expect(PromptText([["type": .string(kind), "data": "", "mimeType": ""]]) == nil)
  }

  @Test(arguments: [
    ("file:///a%20b/c.txt", "/a b/c.txt"), ("file://localhost/c.txt#L3", "/c.txt"), ("file://elsewhere/c.txt", nil),
    ("https://x.example/c.txt", nil), ("file:relative", nil),
  ])
  func `a path is that of a file of this machine`(uri: String, path: String?) {
    #expect(PromptText.path(of: uri) == path)
  }
}

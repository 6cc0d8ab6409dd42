import Chat
import Testing
import Wire

@testable import Shell

@Suite struct ContentNoteTests {
  @Test(
    arguments: [
      (.text("a"), nil), (.image(base64: "AAA=", mimeType: "image/png"), "image, image/png, 2 bytes"),
      (.audio(base64: String(repeating: "A", count: 4000), mimeType: "audio/wav"), "audio, audio/wav, 3 KB"),
      (.link(ToolResource(uri: "u", name: "n")), "link to n: u"),
      (
        .link(ToolResource(uri: "u", name: "n", title: "Report", mimeType: "text/csv")), "link to Report: u, text/csv"
      ),
      (.resource(ResourceContent(uri: "u", body: .text("a"))), nil),
      (.resource(ResourceContent(uri: "u", body: .blob("AAAA"))), "u, unknown type, 3 bytes"),
      (.other("hologram"), "a block of kind hologram"),
    ] as [(ToolContent, String?)])
  func `content has the same note as it comes and as it is kept`(content: ToolContent, words: String?) throws {
    #expect(ContentNote(content)?.words == words)
    let kept = try #require(ResultText.json(ToolResult(content: [content]))["content"]?[0])
    #expect(ContentNote(kept: kept)?.words == words)
  }

  @Test func `what was left out keeps its size`() throws {
    let film = ToolContent.image(base64: String(repeating: "A", count: 8 << 20), mimeType: "image/gif")
    let kept = try #require(ResultText.json(ToolResult(content: [film]))["content"]?[0])
    #expect(ContentNote(kept: kept)?.words == "image, image/gif, 6.2 MB left out")
  }
}

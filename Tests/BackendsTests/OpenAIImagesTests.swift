import Chat
import Testing
import Wire

@testable import Backends

/// Images beside the words of a message (docs/openai.md 5).
struct OpenAIImagesTests {
  private static let picture = AttachedImage(name: "pic.png", type: "image/png", bytes: [0x89, 0x50, 0x4E, 0x47])

  @Test func `a message with an image has parts, and one without stays a string`() {
    let messages = [
      Message(.user, "Hello"), Message(.assistant, "Hi"), Message(.user, "What is it?", images: [Self.picture]),
    ]
    let body = OpenAIChat().encode(ChatRequest(model: "m", messages: messages), in: .native)
    #expect(
      String(decoding: body.bytes(), as: UTF8.self)
        == #"{"model":"m","messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"},"#
        + #"{"role":"user","content":[{"type":"text","text":"What is it?"},"#
        + #"{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}}]}],"#
        + #""stream":true,"stream_options":{"include_usage":true}}"#)
    let inWords = OpenAIChat().encode(ChatRequest(model: "m", messages: messages), in: .text)
    #expect(inWords == body)
  }

  @Test func `an image stays where it was when tools are in words`() {
    let messages = [
      Message(.user, "", images: [Self.picture]), Message(.assistant, "", toolCalls: []), Message(.tool, "3"),
      Message(.user, "And?", images: [Self.picture]),
    ]
    let said = ToolCallFormat.text.messages(messages, offering: [])
    #expect(said.map { $0["content"]?.array?.count } == [1, nil, 2])
  }

  private static let llama = """
    {"models":[{"name":"m","capabilities":["completion"]}],"data":[{"id":"m","owned_by":"llamacpp"}]}
    """

  private static let lists: [(list: String, said: Bool?)] = [
    (#"{"data":[{"id":"m","architecture":{"input_modalities":["text","image"]}}]}"#, true),
    (#"{"data":[{"id":"m","architecture":{"input_modalities":["text"]}}]}"#, false),
    (#"{"data":[{"id":"m","capabilities":{"vision":false}},{"id":"n","capabilities":{"vision":true}}]}"#, false),
    (#"{"data":[{"id":"m","supports_vision":true}]}"#, true),
    (#"{"data":[{"id":"m","type":"vlm"}]}"#, true),
    (#"{"data":[{"id":"m","type":"llm"}]}"#, nil),
    (#"{"data":[{"id":"m","capabilities":["completion","multimodal"]}]}"#, true),
    (#"{"data":[{"id":"m","capabilities":["chat"]}]}"#, nil),
    (#"{"data":[{"id":"n","supports_vision":false}]}"#, nil),
    (#"{"data":[{"id":"m"}]}"#, nil),
    ("<html>", nil),
  ]

  @Test func `a list of models may say whether one takes images`() async {
    for (list, said) in Self.lists {
      let http = RoutedHTTP(["http://gpu:8080/v1/models": [.json(list)]])
      #expect(await OpenAIBackend(http).takesImages("m") == said, "\(list)")
      #expect(http.asked == ["GET http://gpu:8080/v1/models"])
    }
  }

  private static let ollama = #"{"data":[{"id":"m","owned_by":"library"}]}"#
  private static let studio = #"{"data":[{"id":"m","owned_by":"organization_owner"}]}"#

  private static let pages: [(list: String, page: String, answer: String, said: Bool?)] = [
    (llama, "GET http://gpu:8080/props", #"{"modalities":{"vision":true,"audio":false}}"#, true),
    (llama, "GET http://gpu:8080/props", #"{"modalities":{"vision":false,"audio":false}}"#, false),
    (llama, "GET http://gpu:8080/props", #"{"n_ctx":4096}"#, nil),
    (ollama, "POST http://gpu:8080/api/show", #"{"capabilities":["completion","vision"]}"#, true),
    (ollama, "POST http://gpu:8080/api/show", #"{"capabilities":["completion","tools"]}"#, false),
    (ollama, "POST http://gpu:8080/api/show", #"{"details":{}}"#, nil),
    (studio, "GET http://gpu:8080/api/v0/models/m", #"{"id":"m","type":"vlm"}"#, true),
    (studio, "GET http://gpu:8080/api/v0/models/m", #"{"id":"m","type":"llm"}"#, false),
  ]

  @Test func `servers of known makes tell it elsewhere`() async {
    for (list, page, answer, said) in Self.pages {
      let http = RoutedHTTP(["http://gpu:8080/v1/models": [.json(list)], page: [.json(answer)]])
      #expect(await OpenAIBackend(http).takesImages("m") == said, "\(answer)")
      #expect(http.asked == ["GET http://gpu:8080/v1/models", page])
    }
  }
}

import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

/// Counts of tokens that engines are asked for before a question is sent.
@Suite struct TokenCountingTests {
  private static let llama = "POST http://gpu:8080/v1/chat/completions/input_tokens"
  private static let tokenize = "POST http://gpu:8080/tokenize"

  private static func question() -> ChatRequest {
    ChatRequest(model: "m", messages: [Message(.system, "Be brief."), Message(.user, "Hello")])
  }

  /// llama.cpp, vLLM, SGLang, older llama.cpp and TGI; the last two count a text without its frames.
  @Test(arguments: [
    (llama, #"{"input_tokens":31,"object":"response.input_tokens"}"#, 31),
    (tokenize, #"{"count":29,"max_model_len":4096,"tokens":[1,2]}"#, 29),
    (tokenize, #"{"tokens":[15043,3186,1]}"#, 3 + 16),
    (tokenize, #"[{"id":1,"text":"Be","start":0,"stop":2},{"id":2,"text":" brief","start":2,"stop":8}]"#, 2 + 16),
  ])
  func `the server's count is taken, and a route that it lacks is not asked again`(
    route: String, body: String, count: Int
  ) async throws {
    let http = RoutedHTTP([route: [.json(body)]])
    let backend = OpenAIBackend(http)
    #expect(await backend.countTokens(of: Self.question()) == count)
    #expect(await backend.countTokens(of: Self.question()) == count)
    #expect(http.requests.count == (route == Self.llama ? 2 : 3))
    let sent = try JSON(parsing: http.requests.last?.body ?? [])
    #expect(sent["messages"]?.array?.count == 2)
    if route == Self.tokenize { #expect(sent["content"] == "Be brief.\n\nHello") }
  }

  @Test func `a server that does not count is asked once, and one that is busy again`() async {
    let none = RoutedHTTP([:])
    let backend = OpenAIBackend(none)
    #expect(await backend.countTokens(of: Self.question()) == nil)
    #expect(await backend.countTokens(of: Self.question()) == nil)
    #expect(none.asked == [Self.llama, Self.tokenize])
    let busy = RoutedHTTP([Self.llama: [.error(503), .json(#"{"input_tokens":7}"#)]])
    let other = OpenAIBackend(busy)
    #expect(await other.countTokens(of: Self.question()) == nil)
    #expect(await other.countTokens(of: Self.question()) == 7)
  }

  @Test func `images are not sent twice to be counted`() async {
    let image = AttachedImage(name: "a.png", type: "image/png", bytes: [1])
    let http = RoutedHTTP([:])
    let question = ChatRequest(model: "m", messages: [Message(.user, "Hello", images: [image])])
    #expect(await OpenAIBackend(http).countTokens(of: question) == nil)
    #expect(http.asked.isEmpty)
  }
}

import Chat
import Testing
import Wire

@testable import Backends

/// Which models of a list can chat.
@Suite struct ModelPurposeTests {
  private static func models(_ entries: String) -> [Model]? {
    // nil fails the test
    OpenAIModelList(try? JSON(parsing: Array(#"{"data":[\#(entries)]}"#.utf8)))?.models
  }

  /// Names as LM Studio, Ollama, LiteLLM, OpenAI, Speaches and Hugging Face list them.
  @Test(arguments: [
    "text-embedding-nomic-embed-text-v1.5", "whisper-large-v3", "nomic-embed-text:latest", "BAAI/bge-m3",
    "openai/text-embedding-3-small", "intfloat/multilingual-e5-large", "jina-reranker-v2", "embeddinggemma-300m",
    "gpt-4o-mini-tts", "gpt-4o-transcribe", "omni-moderation-latest", "dall-e-3", "stable-diffusion-xl",
    "sentence-transformers/all-MiniLM-L6-v2", "Qwen3-Embedding-0.6B", "Qwen/Qwen3-Reranker-4B", "hexgrad/Kokoro-82M",
    "black-forest-labs/FLUX.1-dev",
  ])
  func `a model of a family for another use cannot chat`(name: String) {
    #expect(Self.models(#"{"id":"\#(name)"}"#)?.map(\.isForChat) == [false])
  }

  @Test(arguments: [
    "qwen3-8b", "gpt-4o", "openai/gpt-oss-20b", "llama3.2:3b", "gemma-3n-e4b-it", "mistral-small", "smollm2-135m",
    "deepseek-r1", "claude-sonnet-4", "phi-4", "llava:7b", "codestral-latest",
  ])
  func `any other model can chat`(name: String) {
    #expect(Self.models(#"{"id":"\#(name)"}"#)?.map(\.isForChat) == [true])
  }

  /// LM Studio, Together, LiteLLM, Llama Stack, Xinference, Ollama, Mistral, OpenRouter, Google, New API, Cloudflare.
  @Test(arguments: [
    (#""type":"embeddings""#, false), (#""type":"llm""#, true), (#""type":"vlm""#, true), (#""type":"rerank""#, false),
    (#""type":"audio""#, false), (#""mode":"embedding""#, false), (#""mode":"chat""#, true),
    (#""model_info":{"mode":"audio_transcription"}"#, false), (#""model_info":{"mode":"image_generation"}"#, false),
    (#""model_type":"embedding""#, false), (#""custom_metadata":{"model_type":"llm"}"#, true),
    (#""model_type":"LLM""#, true), (#""model_type":"audio""#, false), (#""capabilities":["embedding"]"#, false),
    (#""capabilities":["completion","vision"]"#, true), (#""capabilities":{"completion_chat":false}"#, false),
    (#""capabilities":{"completion_chat":true,"classification":true}"#, true),
    (#""architecture":{"output_modalities":["embeddings"]}"#, false),
    (#""architecture":{"output_modalities":["text"]}"#, true),
    (#""supported_generation_methods":["embedContent"]"#, false),
    (#""supported_endpoint_types":["embeddings"]"#, false), (#""task":{"name":"Text Embeddings"}"#, false),
    (#""capabilities":["vision","image"]"#, true), (#""capabilities":[]"#, true), (#""type":"model""#, true),
  ])
  func `what a list says of a model counts before its name`(member: String, isForChat: Bool) {
    #expect(Self.models(#"{"id":"m",\#(member)}"#)?.map(\.isForChat) == [isForChat])
  }

  @Test func `a model that is said to chat does so whatever its name is`() {
    #expect(Self.models(#"{"id":"e5-chat","type":"llm"}"#)?.map(\.isForChat) == [true])
  }

  @Test func `what else is asked of a server leaves the use of its models`() async throws {
    let list = #"{"data":[{"id":"nomic-embed-text","owned_by":"library"},{"id":"llama3","owned_by":"library"}]}"#
    let running = #"{"models":[{"name":"nomic-embed-text","context_length":2048}]}"#
    let http = RoutedHTTP(["http://gpu:8080/v1/models": [.json(list)], "http://gpu:8080/api/ps": [.json(running)]])
    let models = try await OpenAIBackend(http).models()
    #expect(models.map(\.isForChat) == [false, true])
    #expect(models.map(\.contextWindow) == [2048, nil])
  }
}

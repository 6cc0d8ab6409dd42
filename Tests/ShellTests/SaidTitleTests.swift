import Chat
import Store
import Testing

@testable import Shell

@Suite struct SaidTitleTests {
  @Test(arguments: [
    ("Capitals of Europe", "Capitals of Europe"),
    ("  Capitals\tof   Europe \n", "Capitals of Europe"),
    ("\"Capitals of Europe.\"", "Capitals of Europe"),
    ("Title: Capitals of Europe", "Capitals of Europe"),
    ("**Title:** Capitals of Europe", "Capitals of Europe"),
    ("## Title: \"Capitals of *Europe*\".", "Capitals of *Europe*"),
    ("Titel: „Hauptstädte Europas“", "Hauptstädte Europas"),
    ("标题：欧洲的首都。", "欧洲的首都"),
    ("- _Capitals of Europe_", "Capitals of Europe"),
    ("1. Capitals of Europe\n2. The capital of France", "Capitals of Europe"),
    ("> `Capitals` of [Europe](http://example.org/)", "Capitals of Europe"),
    ("'Capitals of Europe'", "Capitals of Europe"),
    ("Gardens in \"Spring\"", "Gardens in \"Spring\""),
    ("Capitals of Europe\"", "Capitals of Europe"),
    ("What's the capital of France?", "What's the capital of France?"),
    ("Swift 6.3 and C++", "Swift 6.3 and C++"),
    ("Sure, here is a title:\n\nCapitals of Europe\n\nShall I find another one?", "Capitals of Europe"),
    ("```\nCapitals of Europe\n```", "Capitals of Europe"),
    ("<think>Is it \"Cities\"?\nNo.</think>\n\nCapitals of Europe", "Capitals of Europe"),
    ("It is clear.</think>Capitals of Europe", "Capitals of Europe"),
    ("<reasoning>x</reasoning>Capitals of Europe", "Capitals of Europe"),
    ("Capitals\r\nof Europe", "Capitals"),
    ("Title:\nCapitals of Europe", "Capitals of Europe"),
    ("🇫🇷 Paris", "🇫🇷 Paris"),
  ])
  func `a title is found in what a model says`(said: String, title: String) {
    #expect(SaidTitle.title(in: said) == title)
  }

  @Test(arguments: [
    "", "   \n\n", "...", "\"\"", "Title:", "**", "<think>Capitals of Europe", "\u{200B}\u{202E}\u{2066}", "\u{1B}",
    "The user asks what the capital of France is, and so I think that it would be best to call it so.",
    "Here is a title:", "- - -", "####",
  ])
  func `what is no title is none`(said: String) {
    #expect(SaidTitle.title(in: said) == nil)
  }

  @Test func `prose is passed over for a line that is a title`() {
    let said = "I would call this conversation by the thing that it is mostly about, which is the cities.\nCapitals"
    #expect(SaidTitle.title(in: said) == "Capitals")
  }

  @Test func `a long one ends with a word`() {
    let said = "Incomprehensibilities of international telecommunication infrastructures explained"
    #expect(SaidTitle.title(in: said) == "Incomprehensibilities of international telecommunication")
  }

  @Test func `a word that is too long ends where the room does`() {
    #expect(SaidTitle.title(in: String(repeating: "長", count: 400)) == String(repeating: "長", count: 60))
  }

  @Test func `signs upon a letter do not make it endless`() {
    let title = SaidTitle.title(in: "a" + String(repeating: "\u{301}", count: 100_000))
    #expect((title ?? "").unicodeScalars.count <= 240)
  }

  @Test func `characters that take over a terminal stay, and lines do not`() {
    #expect(SaidTitle.title(in: "\u{1B}]0;owned\u{7} Paris\u{202E}x") == "\u{1B}]0;owned\u{7} Paris\u{202E}x")
    for end in ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"] {
      #expect(SaidTitle.title(in: "Paris\(end)London") == "Paris")
    }
  }

  @Test(arguments: ["[", "![](", "<think>", "</think>", "# ", "*", "\"", "-\n", ":\n", "title: "])
  func `what is said again and again ends somewhere`(piece: String) {
    let title = SaidTitle.title(in: String(repeating: piece, count: 50_000))
    #expect((title ?? "").count <= SaidTitle.longest)
  }

  @Test func `a line with a title is enough`() {
    #expect(!SaidTitle.isWhole("Capitals of Europe"))
    #expect(SaidTitle.isWhole("Capitals of Europe\n"))
    #expect(!SaidTitle.isWhole("<think>\nCapitals of Europe\n"))
    #expect(!SaidTitle.isWhole("Here it is:\n\nCapitals"))
  }
}

@Suite struct TitleRequestTests {
  private func words(_ question: String, _ answer: String = "Paris.") -> String {
    let turn = Turn.unsaved(
      in: .random(), number: 1, parent: nil, question: question, files: [],
      answer: StoredAnswer(text: answer, status: .complete), at: 0)
    let request = TitleRequest.request(about: turn, model: "m", Sampling(stop: ["x"]), Timeouts())
    #expect(request.tools.isEmpty && request.files.isEmpty && request.sampling.stop.isEmpty)
    return request.messages.map(\.content).joined()
  }

  @Test func `what is said is cut`() {
    let words = words(String(repeating: "one ", count: 1000), String(repeating: "two ", count: 1000))
    #expect(words.count < 1100)
    #expect(words.contains("one …\n\nAnswer: two two"))
  }

  @Test func `what went along is left out`() {
    #expect(words("What is this?\n\n$ cat a\n```\nsecret\n```").hasPrefix("Question: What is this?\n\nAnswer: Paris."))
    #expect(words("What does this do:\n```\nx = 1\n```").hasPrefix("Question: What does this do:\n\nAnswer:"))
    #expect(words("```\nx = 1\n```").hasPrefix("Question: ```\nx = 1\n```\n\nAnswer:"))
  }
}

@Suite struct AskedForTitlesTests {
  @Test func `who keeps conversations, or has no model behind it, is asked for nothing else`() {
    #expect(StubBackend(abilities: [.models, .systemPrompt, .sampling, .continues, .tools]).answersAside)
    #expect(!StubBackend(abilities: [.models, .systemPrompt, .sampling, .keepsConversations]).answersAside)
    #expect(!StubBackend(abilities: [.keepsConversations, .takesFiles]).answersAside)
    #expect(!StubBackend(abilities: [.models, .tools]).answersAside)
    #expect(!StubBackend(abilities: []).answersAside)
  }
}

private struct StubBackend: Backend {
  let server = Server(name: "stub", kind: "stub", url: "http://stub/v1")
  let abilities: Abilities

  func models() async throws(BackendError) -> [Model] { [] }

  func answer(_ question: ChatRequest) -> Answer { Answer(next: { nil }, stop: {}) }
}

import Chat
import TestSupport
import Testing
import Waiting
import Wire

@testable import Backends
@testable import Transport

@Suite struct SecretMaskTests {
  @Test func `a key that a server repeats is masked, and nothing else is`() {
    let mask = SecretMask()
    mask.add(Secret("sk-canary-0123456789"))
    let said = mask(Array("bad key: Bearer sk-canary-0123456789!".utf8))
    #expect(String(decoding: said, as: UTF8.self) == "bad key: Bearer <secret>!")
    #expect(mask([0xFF, 0x41]) == [0xFF, 0x41])
  }

  @Test(arguments: [
    #"{"error":{"message":"bad key: sk-canary-0123456789"}}"#,
    #"{"choices":[{"delta":{"content":"a"}}],"error":{"message":"bad key: sk-canary-0123456789"}}"#,
  ])
  func `a key that a failure inside a stream repeats is masked`(chunk: String) {
    let mask = SecretMask()
    mask.add(Secret("sk-canary-0123456789"))
    var stream = OpenAIStream(address: "gpu:8080", mask: mask)
    #expect(throws: BackendError.failed(message: "bad key: <secret>")) { try stream.feed(Array(sse(chunk).utf8)) }
  }

  @Test func `a key in a line that cannot be read is masked`() throws {
    let mask = SecretMask()
    mask.add(Secret("sk-canary-0123456789"))
    var stream = OpenAIStream(address: "gpu:8080", mask: mask)
    try stream.feed(Array(sse("{sk-canary-0123456789").utf8))
    #expect(stream.take() == [.notice(.unreadable("{<secret>"))])
  }

  /// Ways in which programs write `k/ey"1-ö&ÿ-23456789`.
  private static let spellings = [
    #"k/ey"1-ö&ÿ-23456789"#,
    #"k\/ey\"1-\u00f6&\u00FF-23456789"#,
    #"\u006b/ey\u00221-ö\u0026ÿ-2345678\u0039"#,
    #"k\\\/ey\\\"1-\\u00f6&ÿ-23456789"#,
    #"k%2fey%221-%C3%B6%26%C3%BF-23456789"#,
    #"k%252Fey%25221-ö&ÿ-23456789"#,
    #"k&#x2F;ey&quot;1-&#246;&amp;ÿ-23456789"#,
    "k/e\u{200B}y\"1-\u{200D}ö&ÿ\u{00AD}-2345\u{2060}6789",
    "k/e\u{0}y\"1-ö\u{FE0F}&ÿ-\u{E0041}23456789",
    #"k/e\u200by"1-ö&ÿ-2345\udb40\udc416789"#,
    #"k/e&#8203;y"1-ö&ÿ-23456789"#,
    #"k/e**y"1**-ö&ÿ-_2345_`67`89"#,
    #"k/e<b>y"1</b>-ö&ÿ-23<!-- x -->456789"#,
    "k/ey\u{1B}[0m\"1-ö&ÿ-\u{1B}[38;5;196m2345\u{1B}(B6789",
    "k/ey\u{9B}0m\"1-ö&\u{7F}ÿ-\u{84}2345\u{1}6789",
    "k/ey\u{1B}]8;;https://a/b?c=d\u{7}\"1-ö&ÿ-2345\u{1B}]8;;\u{1B}\\6789", "k/ey\"\u{9D}0;title\u{9C}1-ö&ÿ-23456789",
    #"k/ey\u001b[1m"1-ö&ÿ-23\x1b[0m45\e[m6789"#, #"k/ey\\n"1-ö&ÿ-2345\r\n6789"#,
    "k/ey\n\"1-ö&ÿ-\r\n    2345\t6789", "k/ey \"1-ö&ÿ-\u{A0}2345\u{3000}6789", "k/ey\\\n\"1-ö&ÿ-23456789",
    #"k&sol;ey"1&shy;-ö&amp;&yuml;-23456789"#,
    #"k&#x2f;ey&quot;1-&ouml;&AMP;&yuml;&#45;2345&NewLine;&ZeroWidthSpace;6789"#,
  ]

  @Test(arguments: spellings)
  func `a secret is masked in each spelling`(spelling: String) {
    let mask = SecretMask()
    mask.add(Secret(#"k/ey"1-ö&ÿ-23456789"#))
    #expect(mask("no \(spelling), no") == "no <secret>, no")
    #expect(mask(JSON.array([.string("no \(spelling), no")])) == ["no <secret>, no"])
    let body: JSON = ["error": ["message": .string("no \(spelling), no")]]
    #expect(ErrorBody(mask(body.bytes())).message == "no <secret>, no")
  }

  @Test func `a secret is masked with typing errors that were erased`() {
    let secrets = SecretSet([Secret("sk-canary-0123456789")])
    #expect(secrets.masked("a sk-canaryx\u{8}-0123x\u{8} \u{8}456789 b") == "a <secret> b")
  }

  @Test func `a short secret is not two words`() {
    let secrets = SecretSet([Secret("change-me")])
    #expect(secrets.masked("change -me, change-\nme, chan\u{1B}[0mge-me") == "change -me, change-\nme, <secret>")
  }

  @Test func `text around a secret that was wrapped is kept`() {
    let secrets = SecretSet([Secret("sk-canary-0123456789")])
    #expect(secrets.masked("s s  sk-can\n  ary-01234\n56789 \n 9 end") == "s s  <secret> \n 9 end")
    #expect(secrets.masked("\u{1B}[1msk-can\u{1B}[0mary-0123456789\u{1B}[0m!") == "\u{1B}[1m<secret>\u{1B}[0m!")
  }

  @Test(arguments: spellings)
  func `a secret is masked in each spelling, wherever a stream is cut`(spelling: String) {
    let secrets = SecretSet([Secret("unrelated-secret"), Secret(#"k/ey"1-ö&ÿ-23456789"#)])
    let text = Array("so k \(spelling), so".unicodeScalars).map { String($0) }
    for first in 0...text.count {
      for second in first...min(first + 3, text.count) {
        var stream = MaskedStream()
        var shown = ""
        for piece in [text[..<first], text[first..<second], text[second...]] {
          shown += stream.feed(piece.joined(), secrets)
        }
        shown += stream.release(secrets)
        #expect(shown.hasPrefix("so k ") && shown.hasSuffix("<secret>, so"), "\(first) \(second)")
        #expect(!shown.contains("2345"))
      }
    }
    var stream = MaskedStream()
    let shown = text.map { stream.feed($0, secrets) }.joined() + stream.release(secrets)
    #expect(shown.hasSuffix("<secret>, so") && !shown.contains("2345"))
  }

  private static let cutKeys = ["sk-abcdefghijklmnopqrstuvwx", "gpt_0123456789ABCDEFGHIJ", "s3cr3t-0123456789-s3cr3t"]

  /// The text with each secret's first bytes removed in front of its placeholder: a stream shows up to three of them.
  private func withoutFirstBytes(_ text: String) -> String {
    Self.cutKeys.reduce(text) { text, key in
      (1...3).reversed().reduce(text) { $0.replacing(key.prefix($1) + "<secret>", with: "<secret>") }
    }
  }

  @Test(
    arguments: cutKeys,
    ["is <KEY> so", "s \u{1B}]8;;https://h/?t=KEY\u{7} so", "**s**KEY s", "g <i t=KEY> g", "s s <KEY"])
  func `a secret behind the first letters of one is masked, wherever a stream is cut`(key: String, form: String) {
    let secrets = SecretSet(Self.cutKeys.map { Secret($0) })
    let text = form.replacing("KEY", with: key)
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var stream = MaskedStream()
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        let shown =
          pieces.map { stream.feed(String(decoding: $0, as: UTF8.self), secrets) }.joined() + stream.release(secrets)
        #expect(withoutFirstBytes(shown) == withoutFirstBytes(secrets.masked(text)), "\(first) \(second)")
      }
    }
  }

  @Test func `no random pieces show a secret, or lose text without one`() {
    let secrets = SecretSet(Self.cutKeys.map { Secret($0) })
    let fillers = [
      "is ", "s", "g", "sk-", "<", "> ", "**", "\u{1B}]8;;", "\u{7}", "\u{1B}[0m", "\\", "%", "gpt_0", " so",
    ]
    var generator = SeededNumbers(seed: 7)
    for _ in 0..<500 {
      let hasKey = Bool.random(using: &generator)
      var pieces = (0..<8).map { _ in fillers.randomElement(using: &generator) ?? "" }
      if hasKey {
        let key = Self.cutKeys.randomElement(using: &generator) ?? ""
        let middle = key.index(key.startIndex, offsetBy: Int.random(in: 0..<key.count, using: &generator))
        pieces.insert(contentsOf: [String(key[..<middle]), String(key[middle...])], at: 5)
      }
      var stream = MaskedStream()
      let shown = pieces.map { stream.feed($0, secrets) }.joined() + stream.release(secrets)
      #expect(!Self.cutKeys.contains { shown.contains($0) }, "\(pieces)")
      if !hasKey { #expect(shown == pieces.joined(), "\(pieces)") }
    }
  }

  @Test(arguments: [
    "**Items** are what one keeps, and a nice anary can see it: 0, 1, 2, 3, 4, 5, 6, 7, 8 and 9.",
    "the `s`k-c, s__k-, *s* <s> s&k %s", "Names" + String(repeating: "_", count: 2000) + " of all people",
    "s\n k\n - cats\n\n\n\tsk- c an\u{1B}[0m \u{1B}] \u{1B}[ sk&sol;x &nosuch; s&k;",
    "sk-c" + String(repeating: " ", count: 300) + "end",
    "is<s>k-\\ " + String(repeating: "s*", count: 1000) + " end",
  ])
  func `ordinary text loses nothing, whole or in pieces`(text: String) {
    let secrets = SecretSet([Secret("sk-canary-0123456789")])
    #expect(secrets.masked(text) == text)
    for length in [1, 2, 7, text.utf8.count] {
      var stream = MaskedStream()
      var rest = text.unicodeScalars[...]
      var shown = ""
      while !rest.isEmpty {
        shown += stream.feed(String(String.UnicodeScalarView(rest.prefix(length))), secrets)
        rest = rest.dropFirst(length)
      }
      #expect(shown + stream.release(secrets) == text)
    }
  }

  @Test func `nothing waits that no secret of its length begins with`() {
    let secrets = SecretSet([Secret("sk-canary-0123456789")])
    var stream = MaskedStream()
    for piece in ["It is", " sk-", "like s", "k-c", "a", "t", " & \\ %"] {
      let isHeld = piece == "k-c" || piece == "a"
      #expect((stream.feed(piece, secrets).isEmpty) == isHeld, "\(piece)")
    }
    #expect(stream.release(secrets).isEmpty)
  }

  @Test func `what is held back is handed out at the end, but not most of a secret`() {
    let secrets = SecretSet([Secret("sk-canary-0123456789")])
    for (text, end) in [("a sk-canary", "a sk-canary"), ("a sk-canary-01234", "a <secret>")] {
      var stream = MaskedStream()
      #expect(stream.feed(text, secrets) + stream.release(secrets) == end)
      #expect(stream.release(secrets).isEmpty)
    }
  }

  @Test func `a stream that hides a secret behind invisible characters is not kept for ever`() {
    let secrets = SecretSet([Secret("sk-canary-0123456789")])
    var stream = MaskedStream()
    var shown = stream.feed("sk-canary", secrets)
    for _ in 0..<100 { shown += stream.feed(String(repeating: "\u{200B}", count: 100), secrets) }
    shown += stream.feed("-0123456789", secrets) + stream.release(secrets)
    let visible = shown.unicodeScalars.filter { $0.value < 0x80 }.map { String($0) }.joined()
    #expect(!visible.contains("sk-canary-0123456789"))
  }

  @Test(arguments: ["lm-studio", "Not-Needed", "ollama", "EMPTY"])
  func `a key that only stands for one leaves lists and answers what they are`(key: String) {
    let mask = SecretMask()
    mask.add(Secret(key))
    #expect(mask(["id": .string("\(key)/llama")] as JSON) == ["id": .string("\(key)/llama")])
  }

  @Test func `the secrets that were added last are remembered`() {
    let mask = SecretMask()
    let secrets = (0..<20).map { Secret("secret-number-\(100 + $0)") }
    for secret in secrets {
      mask.add(secrets[0])
      mask.add(secret)
    }
    #expect(mask("secret-number-100 secret-number-119") == "<secret> <secret>")
  }
}

/// What a server repeats of a key comes out nowhere, whatever it repeats it in.
@Suite struct MaskedAnswerTests {
  private static let key = "sk-canary/0123456789"

  private func backend(_ replies: ScriptedHTTP.Reply...) throws -> OpenAIBackend {
    let server = Server(name: "test", kind: "openai", url: "https://gpu/v1")
    let credential = try Credential(Self.key, for: try ServerAddress(server.url))
    return OpenAIBackend(Endpoint(server, ScriptedHTTP(replies), credential, Timeouts(), clock: TestTime().source))
  }

  private func outcome(_ chunks: [String]) async throws -> Outcome {
    let pieces = chunks.map { ScriptedBody.Piece.text(sse($0)) } + [.text(sse("[DONE]"))]
    return await Outcome(of: try backend(.response(200, pieces)).answer(.hello))
  }

  @Test func `an answer and its thoughts are masked across chunks`() async throws {
    let outcome = try await outcome([
      chunk(#"{"reasoning_content":"is it sk-can"}"#), chunk(#"{"reasoning_content":"ary\/0123\u003456789?"}"#),
      chunk(content: "Your key: sk-"), chunk(content: "canary\\/01234"), chunk(content: "56789."),
    ])
    #expect(outcome.reasoning == "is it <secret>?")
    #expect(outcome.text == "Your key: sk-<secret>.")
    #expect(outcome.error == nil && outcome.events.last == .finished(.stop))
  }

  @Test(arguments: [
    (["is it sk-can"], ["ary/0123456789."], "is it <secret>", "."),
    (["is it sk-"], ["canary/0123456789", "."], "is it sk-<secret>", "."),
    (["is it sk-ca"], ["nary/", "0123", "456789."], "is it <secret>", "."),
    (["it is"], [" k"], "it is", " k"), (["it sk-can"], [" do it"], "it sk-can", " do it"),
    (["it sk-can"], ["ary/", "do it"], "it sk-can", "ary/do it"), (["it sk-can"], ["ary/0123"], "it <secret>", ""),
  ])
  func `a key on the border of thoughts and answer is masked`(
    thoughts: [String], answer: [String], shownThoughts: String, shownAnswer: String
  ) async throws {
    let outcome = try await outcome(
      thoughts.map { chunk("{\"reasoning_content\":\"\($0)\"}") } + answer.map { chunk(content: $0) })
    #expect(outcome.reasoning == shownThoughts && outcome.text == shownAnswer)
    #expect(outcome.error == nil && outcome.events.last == .finished(.stop))
    // The other way round, with more thoughts behind the answer.
    let turned = try await self.outcome(
      thoughts.map { chunk(content: $0) } + answer.map { chunk("{\"reasoning_content\":\"\($0)\"}") }
        + [chunk(content: " So.")])
    #expect(turned.text == shownThoughts + " So." && turned.reasoning == shownAnswer)
  }

  @Test func `no text is lost before a key on the border of thoughts and answer`() async {
    let mask = SecretMask()
    mask.add(Secret("sk-sk-abcdefghijkl"))
    for (thought, answer, shown) in [
      ("a sk-sk-", "sk-abcdefgh", "a sk-<secret>"), ("a sk-sk-", "sk-abcdefghijkl", "a sk-<secret>"),
      ("s <sk-sk-abcd", "efghijkl", "s <<secret>"),
    ] {
      let events = Locked([ChatEvent.reasoning(thought), .text(answer), .finished(.stop)])
      let whole = Answer(next: { events.withLock { $0.isEmpty ? nil : $0.removeFirst() } }, stop: {})
      let outcome = await Outcome(of: whole.masked(by: mask))
      #expect(outcome.reasoning == shown && outcome.text.isEmpty, "\(outcome)")
    }
  }

  @Test func `a key that goes on behind thoughts is masked`() async throws {
    let outcome = try await outcome([
      chunk(content: "k sk-canary"), chunk(#"{"reasoning_content":"x"}"#), chunk(content: "/0123456789."),
    ])
    #expect(outcome.text == "k sk-canary<secret>." && outcome.reasoning == "x")
  }

  @Test func `an answer that is cut off within a key does not show the key`() async throws {
    let http = ScriptedHTTP.Reply.response(
      200, [.text(sse(chunk(content: "Key: sk-canary/01234567"))), .failure(.closedEarly("gone"))])
    let outcome = await Outcome(of: try backend(http).answer(.hello))
    #expect(outcome.text == "Key: <secret>")
  }

  @Test func `calls, the model's name and unreadable lines are masked`() async throws {
    var question = ChatRequest.hello
    question.tools = [Tool(name: "t")]
    question.toolFormat = .native
    let call =
      #"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"{\"a\":\"\#(Self.key)\"}"}}]}}]}"#
    let pieces = [
      ScriptedBody.Piece.text(
        sse(
          #"{"model":"m \#(Self.key)","choices":[{"index":0,"delta":{}}]}"#,
          #"{no \u0073k-canary\/0123456789"#, call)),
      .text(sse("[DONE]")),
    ]
    let outcome = await Outcome(of: try backend(.response(200, pieces)).answer(question))
    #expect(outcome.events.contains(.started(model: "m <secret>")))
    #expect(outcome.events.contains(.notice(.unreadable("{no <secret>"))))
    #expect(outcome.events.contains(.toolCall(ToolCall(id: "c", name: "t", arguments: .object(["a": "<secret>"])))))
  }

  @Test(arguments: [
    #"{"error":{"message":"bad key \u0073k-canary\/0123456789"}}"#,
    #"{"error":"{\"message\":\"bad key sk-canary\\\/0123456789\"}"}"#,
    #"{"detail":["bad key sk-can\u200bary/0123456789"]}"#,
    "<title>bad key sk-canary&#x2F;0123456789</title>", "bad key sk-canary%2F0123456789",
  ])
  func `a refusal is masked`(body: String) async throws {
    for status in [400, 401, 404, 429] {
      let refusals = Array(repeating: ScriptedHTTP.Reply.response(status, [.text(body)]), count: 4)
      let server = Server(name: "test", kind: "openai", url: "https://gpu/v1")
      let credential = try Credential(Self.key, for: try ServerAddress(server.url))
      let endpoint = Endpoint(server, ScriptedHTTP(refusals), credential, Timeouts(), clock: TestTime().source)
      let outcome = await Outcome(of: OpenAIBackend(endpoint).answer(.hello))
      #expect("\(outcome)".contains("<secret>") && !"\(outcome)".contains("0123456789"), "\(status) \(outcome)")
    }
  }

  @Test func `a list of models is masked`() async throws {
    let list = #"{"data":[{"id":"a \u0073k-canary\/0123456789","owned_by":"us"}]}"#
    let models = try await backend(.response(200, [.text(list)]), .response(404, [])).models()
    #expect(models.map(\.id) == ["a <secret>"])
  }

  @Test func `the documents of a platform are masked`() async throws {
    let server = Server(name: "test", kind: "kamiwaza", url: "https://gpu/api")
    let credential = try Credential(Self.key, for: try ServerAddress(server.url))
    let http = ScriptedHTTP([.response(200, [.text(#"[{"name":"a \u0073k-canary\/0123456789"}]"#)])])
    let api = KamiwazaAPI(Endpoint(server, http, credential, Timeouts(), clock: TestTime().source))
    #expect(try await api.get("/serving/deployments") == [["name": "a <secret>"]])
  }

  @Test func `the page that a server of tools answers with is masked`() async {
    let page = ScriptedHTTP.Reply.response(200, [.text("<title>no sk-canary&#x2F;0123456789</title>")])
    let (connection, _) = MCPScriptTests.connection(
      ["POST \(MCPScriptTests.url)": [page]], known: .modern, signer: FixedSigner(token: Self.key))
    let error = String(describing: await Called(connection.call("t", [:])).error)
    #expect(error.contains("<secret>") && !error.contains("0123456789"), "\(error)")
  }

  @Test func `without a secret the events are what the server says`() async throws {
    let pieces = [ScriptedBody.Piece.text(sse(chunk(content: "sk-"), chunk(content: "canary"), "[DONE]"))]
    let outcome = await OpenAIBackend(ScriptedHTTP([.response(200, pieces)])).outcome()
    #expect(outcome.events == [.started(model: nil), .text("sk-canary"), .finished(.stop)])
  }
}

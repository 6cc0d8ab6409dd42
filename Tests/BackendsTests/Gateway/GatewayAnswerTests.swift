import Testing
import Wire

@testable import Backends
@testable import Chat
@testable import Transport

@Suite struct GatewayAnswerTests {
  private static let pieces: [ScriptedBody.Piece] = [
    .text(sse(chunk(content: "Two."), chunk("{}", finish: "stop"), "[DONE]"))
  ]
  private static let named = ScriptedHTTP.Reply.response(200, headers: [("X-Session-ID", "s-1")], pieces)

  @Test func `the name of the session is in the head of a stream`() async {
    let (backend, _) = GatewaySample.backend(.program, ["POST /chat/completions": Self.named])
    let outcome = await Outcome(of: backend.answer(.hello))
    #expect(outcome.events == [.started(model: nil), .conversation(id: "s-1"), .text("Two."), .finished(.stop)])
  }

  @Test func `a session that is busy is asked again, a few times`() async {
    let busy = ScriptedHTTP.Reply.error(409, #"{"error":{"message":"busy","code":"session_busy"}}"#)
    let (backend, http) = GatewaySample.backend(.program, ["POST /chat/completions": busy])
    let outcome = await Outcome(of: backend.answer(.hello))
    #expect(outcome.error == .refused(address: "gw:8000", status: 409, message: "busy"))
    #expect(http.posted.count == 6)
  }

  @Test func `a server that is asked too often is not asked again before its time`() async {
    let (backend, http) = GatewaySample.backend(
      .program,
      ["POST /chat/completions": .error(429, #"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#)])
    for _ in 0..<3 {
      let outcome = await Outcome(of: backend.answer(.hello))
      guard case .rateLimited(_, _, 60)? = outcome.error else {
        Issue.record("\(String(describing: outcome.error))")
        return
      }
    }
    #expect(http.posted.count == 1)
  }

  @Test(
    arguments: [
      (400, #"{"error":{"message":"m","code":"missing_messages"}}"#, "m"),
      (400, #"{"detail":"Invalid path: Path traversal detected"}"#, "Invalid path: Path traversal detected"),
      (422, #"{"error":{"message":"bad","details":[{"loc":["body","x"],"msg":"wrong"}]}}"#, "bad: body.x: wrong"),
      (422, #"{"error":{"message":"bad","details":[{"field":"x","message":"wrong"}]}}"#, "bad: x: wrong"),
      (503, #"{"error":{"message":{"message":"no sign-in","errors":["log in"]}}}"#, "no sign-in: log in"),
      (
        404, #"{"error":{"message":"The requested URL /x was not found.","code":404}}"#,
        "The requested URL /x was not found."
      ),
    ])
  func `refusals are told in the words of the server`(status: Int, body: String, message: String) async {
    let (backend, _) = GatewaySample.backend(.relay, ["POST /chat/completions": .error(status, body)])
    let outcome = await Outcome(of: backend.answer(.hello))
    #expect(outcome.error == .refused(address: "gw:8000", status: status, message: message))
  }

  @Test func `a model that is not supported is named`() async {
    let body = #"{"error":{"message":"not supported","code":"model_not_supported"}}"#
    let (backend, _) = GatewaySample.backend(.program, ["POST /chat/completions": .error(400, body)])
    #expect(
      await Outcome(of: backend.answer(.hello)).error == .modelNotFound(name: "m", message: "not supported"))
  }

  @Test(arguments: [(GatewayForm.program, 1), (.documented, 1), (.relay, 0), (.keeper, 0)])
  func `a stop ends what would run on`(form: GatewayForm, deletes: Int) async {
    let (backend, http) = GatewaySample.backend(
      form,
      [
        "POST /chat/completions": .response(
          200, headers: [("x-session-id", "s-1")], [.text(sse(chunk(content: "One. "))), .silence]),
        "POST /sessions": .json(#"{"id":"s-1"}"#), "DELETE /chat/completions/s-1": .json("{}"),
      ])
    var question = ChatRequest.hello
    question.conversation = "ours"
    let answer = backend.answer(question)
    var outcome = Outcome([])
    do throws(BackendError) {
      for try await event in answer {
        outcome.events.append(event)
        if case .text = event { answer.stop() }
      }
    } catch {
      outcome.error = error
    }
    #expect(outcome.error == .cancelled)
    #expect(outcome.text == "One. ")
    #expect(http.asked.count { $0.hasPrefix("DELETE") } == deletes)
  }

  @Test(arguments: GatewayForm.allCases) func `a question of no conversation leaves no session behind`(
    form: GatewayForm
  ) async {
    let (backend, http) = GatewaySample.backend(form, ["POST /chat/completions": .response(200, Self.pieces)])
    #expect(await Outcome(of: backend.answer(.hello)).error == nil)
    #expect(http.posted.count == 1)
    #expect(http.posted.first?["session_id"] == nil)
  }

  @Test func `a session that was stopped is not named again`() async {
    let (backend, http) = GatewaySample.backend(.program, ["POST /chat/completions": Self.named])
    backend.api.memory.end("s-0")
    var question = ChatRequest.hello
    question.remoteConversation = "s-0"
    _ = await Outcome(of: backend.answer(question))
    #expect(http.posted.map { $0["session_id"] } == [nil])
  }

  // What it lists.

  @Test func `sessions are listed whatever their fields are called`() async throws {
    let rows: [(GatewayForm, String, String)] = [
      (
        .program, "/sessions?page=1&per_page=100",
        #"{"data":[{"id":"a","title":"T","model":"m","updated_at":"2026-05-01T10:20:30.123456","total_cost":0}],"pagination":{"has_next":false}}"#
      ),
      (
        .relay, "/sessions?limit=100&offset=0",
        #"{"sessions":[{"id":"a","name":"T","model":"m","updated_at":"2026-05-01T10:20:30.123456"}],"total":1}"#
      ),
      (
        .documented, "/sessions",
        #"{"sessions":[{"id":"a","title":"T","model":"m","isActive":true,"updated_at":"2026-05-01T10:20:30.123Z"}]}"#
      ),
    ]
    for (form, path, body) in rows {
      let (backend, _) = GatewaySample.backend(form, [path: .json(body)])
      let list = try await backend.sessions?.list(20)
      #expect(
        list?.sessions == [RemoteSession(id: "a", title: "T", model: "m", updatedAt: 1_777_630_830_123)], "\(form)")
    }
    let (backend, _) = GatewaySample.backend(
      .keeper,
      ["/sessions": .json(#"{"sessions":[{"session_id":"a","last_accessed":"2026-05-01T10:20:30.123456"}],"total":1}"#)]
    )
    #expect(try await backend.sessions?.list(20).sessions.map(\.id) == ["a"])
  }

  @Test func `a project may lack all but its name`() async throws {
    let (backend, _) = GatewaySample.backend(
      .documented, ["/projects": .json(#"{"projects":[{"id":"p","name":"Shop","description":null,"path":null}]}"#)])
    #expect(try await backend.projects?.list() == [Project(id: "p", name: "Shop")])
  }

  @Test func `models have their prices where they are told, in either spelling`() {
    let model = Model(id: "m")
    let one = model.knowing(capabilities: ["pricing": ["input": 0.5, "output": 1], "supports_tools": true])
    let other = model.knowing(
      capabilities: [
        "pricing": ["input_cost_per_1k_tokens": 0.5, "output_cost_per_1k_tokens": 1, "currency": "USD"],
        "features": ["tools"],
      ])
    #expect(one.details?.promptPrice == 0.5 && other.details?.promptPrice == 0.5)
    #expect(one.details?.features == ["tools"] && other.details?.features == ["tools"])
    #expect(other.details?.currency == "USD")
  }

  @Test(
    arguments: [
      (#"{"status":"healthy","version":"1","claude_version":"2","active_sessions":3}"#, 200, true),
      (#"{"status":"unhealthy","error":"log in"}"#, 503, false), (#"{"ok":false}"#, 200, false),
    ])
  func `health is told by either word`(body: String, status: Int, isWell: Bool) async throws {
    let json = try #require(try? JSON(parsing: body))
    #expect(ServerHealth(json)?.isWell == isWell)
  }
}

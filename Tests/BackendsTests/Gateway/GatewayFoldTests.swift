import Testing
import Wire

@testable import Backends
@testable import Chat

@Suite struct GatewayFoldTests {
  private func outcome(_ form: GatewayForm, asked: String? = nil, _ body: String, cut: Int? = nil) -> Outcome {
    var stream = GatewayStream(GatewayFold(form: form, asked: asked), address: "gw:8000", mask: SecretMask())
    var outcome = Outcome([])
    let bytes = Array(body.utf8)
    do throws(BackendError) {
      if let cut {
        for start in Swift.stride(from: 0, to: bytes.count, by: cut) {
          try stream.feed(Array(bytes[start..<min(start + cut, bytes.count)]))
        }
      } else {
        try stream.feed(bytes)
      }
      try stream.end()
    } catch {
      outcome.error = error
    }
    outcome.events = stream.take()
    return outcome
  }

  private static let call =
    #"{"tool_calls":[{"index":0,"id":"toolu_1","type":"function","function":{"name":"Bash","arguments":"{\"command\":\"ls\"}"}}]}"#

  private static let whole = sse(
    chunk(#"{"role":"assistant","content":""}"#), chunk(content: "I will look."), chunk(call),
    chunk(content: "Two files."), chunk("{}", finish: "tool_calls"), "[DONE]")

  @Test func `what the server did is a report, and the answer has ended well`() {
    let outcome = outcome(.program, Self.whole)
    #expect(
      outcome.events == [
        .started(model: nil), .text("I will look."),
        .activity(Activity(id: "toolu_1", title: "Bash", kind: "tool", status: .done, input: ["command": "ls"])),
        .text("Two files."), .finished(.stop),
      ])
    #expect(outcome.error == nil)
  }

  @Test(
    arguments: [
      (chunk("{}", finish: "MAX_TOKENS"), FinishReason.length),
      (chunk("{}", finish: "network_error"), .other("network_error")),
      (#"{"choices":[{"delta":{},"error":{"message":"upstream is gone"}}]}"#, .other("upstream is gone")),
    ])
  func `an answer that did not end well says so`(last: String, reason: FinishReason) {
    let outcome = outcome(.relay, sse(chunk(content: "One."), last, chunk("{}", finish: "stop"), "[DONE]"))
    #expect(outcome.events.last == .finished(reason))
  }

  @Test func `an error field is an error, and lines need no blank line between them`() {
    let lines = "data: \(chunk(content: "One."))\ndata: \(chunk(content: "Two."))\n"
    let failed = outcome(.relay, lines + "error: {\"message\":\"compute error\"}\n")
    #expect(failed.text == "One.Two.")
    #expect(failed.error == .failed(message: "compute error"))
    #expect(outcome(.relay, lines + "data: [DONE]").events.last == .finished(.stop))
  }

  @Test(
    arguments: [
      #"{"choices":[{"delta":{"content":"Two."},"error":""}]}"#,
      #"{"choices":[{"delta":{"content":"Two."},"error":false}]}"#,
      #"{"error":"","choices":[{"delta":{"content":"Two."}}]}"#,
      #"{"error":false,"choices":[{"delta":{"content":"Two."},"error":0}]}"#,
    ])
  func `an empty error field is not an error`(chunk: String) {
    let outcome = outcome(.relay, sse(chunk, "[DONE]"))
    #expect(outcome.events == [.started(model: nil), .text("Two."), .finished(.stop)])
    #expect(outcome.error == nil)
  }

  @Test func `only data that is meant as JSON is reported as unreadable`() {
    let pings = String(repeating: "data: ping\n\n", count: 12)
    let outcome = outcome(.relay, sse(chunk(content: "One.")) + pings + sse("{\"choices\":[", "[DONE]"))
    #expect(outcome.error == nil)
    #expect(
      outcome.events == [.started(model: nil), .text("One.")]
        + Array(repeating: .notice(.log("skipped a keep-alive: ping")), count: 12)
        + [.notice(.unreadable("{\"choices\":[")), .finished(.stop)])
  }

  @Test(
    arguments: [
      #"{"choices":[{"delta":{"content":{"type":"text","text":"Two."}}}]}"#, #"{"content":"Two."}"#,
      #"{"choices":{"0":{"delta":{"content":"Two."}}}}"#, #"{"choices":[{"delta":"Two."}]}"#,
    ])
  func `text is read in every shape`(frame: String) {
    #expect(outcome(.relay, sse(chunk(content: "One."), frame, "[DONE]")).text == "One.Two.")
  }

  @Test(
    arguments: [
      #"{"choices":[{"delta":{"content":[{"type":"image"}]}}]}"#, #"{"answer":"Two."}"#, "Internal Server Error",
    ])
  func `a frame that cannot be read is reported`(frame: String) {
    let outcome = outcome(.relay, sse(chunk(content: "One."), frame, chunk("{}", finish: "stop"), "[DONE]"))
    #expect(outcome.events.dropFirst(2) == [.notice(.unreadable(frame)), .finished(.stop)])
  }

  @Test(arguments: [#"data: {"detail":"worker died"}"#, "worker died", "data: [ERROR] worker died"])
  func `an error in any form ends the answer`(line: String) {
    #expect(outcome(.relay, sse(chunk(content: "One.")) + line).error == .failed(message: "worker died"))
  }

  @Test func `a finish reason of calls without a report is not a good end`() {
    let outcome = outcome(.relay, sse(chunk(content: "One."), chunk("{}", finish: "tool_calls"), "[DONE]"))
    #expect(outcome.events.last == .finished(.other("tool_calls")))
  }

  @Test func `an error field in the last line needs no line end`() {
    let failed = outcome(.relay, sse(chunk(content: "One.")) + "error: {\"message\":\"compute error\"}")
    #expect(failed.text == "One.")
    #expect(failed.error == .failed(message: "compute error"))
  }

  @Test(arguments: [1, 2, 3, 7, 64]) func `a stream cut anywhere says the same`(size: Int) {
    let body = ": heartbeat\n\n" + Self.whole
    #expect(outcome(.program, body, cut: size).joined == outcome(.program, body).joined)
  }

  @Test(
    arguments: [
      (GatewayForm.program, "One.\nTwo."), (.relay, "One.Two."), (.keeper, "One.Two."), (.documented, "One.Two."),
    ])
  func `whole messages are parted where no white space is`(form: GatewayForm, text: String) {
    let body = sse(chunk(content: "One."), chunk(content: "Two."), chunk("{}", finish: "stop"))
    #expect(outcome(form, body).text == text)
  }

  @Test(arguments: ["One.\\n", "One. "]) func `where there is white space they are not`(first: String) {
    let body = sse(chunk(content: first), chunk(content: "Two."), chunk("{}", finish: "stop"))
    #expect(outcome(.program, body).text == first.replacing("\\n", with: "\n") + "Two.")
  }

  @Test func `frames about tools and use are understood`() {
    let outcome = outcome(
      .documented,
      sse(
        chunk(content: "I look."),
        #"{"object":"tool_use","id":"tu_1","name":"bash.run","input":{"command":"ls"}}"#,
        #"{"object":"tool_result","tool_id":"tu_1","name":"bash.run","is_error":true,"content":"no"}"#,
        chunk("{}", finish: "stop"),
        #"{"object":"usage","input_tokens":12,"output_tokens":3,"total_cost":0.5}"#, "[DONE]"))
    #expect(
      outcome.events.dropFirst(2) == [
        .activity(
          Activity(id: "tu_1", title: "bash.run", kind: "tool", status: .running, input: ["command": "ls"])),
        .activity(
          Activity(
            id: "tu_1", title: "bash.run", kind: "tool", status: .failed, content: [.block(.text("no"))],
            input: ["command": "ls"])),
        .usage(Usage(promptTokens: 12, completionTokens: 3, cost: 0.5)), .finished(.stop),
      ])
  }

  @Test func `an answer in one piece names its session, and may have no content`() {
    let body = #"""
      {"object":"chat.completion","model":"m","choices":[{"message":{"role":"assistant","content":null,
       "tool_calls":[{"id":"t","function":{"name":"Read","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
       "usage":{"prompt_tokens":5,"completion_tokens":2},"session_id":"s-1","project_id":"default-key"}
      """#
    let outcome = outcome(.program, body)
    #expect(outcome.error == nil)
    #expect(
      outcome.events == [
        .started(model: "m"), .conversation(id: "s-1"),
        .activity(Activity(id: "t", title: "Read", kind: "tool", status: .done, input: [:])),
        .usage(Usage(promptTokens: 5, completionTokens: 2)), .finished(.stop),
      ])
  }

  @Test func `content may be blocks`() {
    let body = sse(chunk(#"{"content":[{"type":"text","text":"One"},{"type":"text","text":"two"}]}"#), "[DONE]")
    #expect(outcome(.documented, body).text == "One\ntwo")
  }

  // Failures that look like success.

  @Test(arguments: GatewayForm.allCases) func `an answer without a word is a failure`(form: GatewayForm) {
    let body = sse(chunk(#"{"role":"assistant","content":""}"#), chunk("{}", finish: "stop"), "[DONE]")
    #expect(outcome(form, body).error == .emptyAnswer)
    let whole = #"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#
    #expect(outcome(form, whole).error == .emptyAnswer)
  }

  @Test(arguments: GatewayForm.allCases, [1, 3, 400])
  func `the words of an error are one, however they are cut`(form: GatewayForm, size: Int) {
    let words = "API Error: 529 overloaded"
    // A chunk of one form is a message: it is not cut.
    let pieces =
      form == .program
      ? [words]
      : stride(from: 0, to: words.count, by: size).map {
        String(words.dropFirst($0).prefix(size))
      }
    let body = pieces.map { sse(chunk(content: $0)) }.joined() + sse(chunk("{}", finish: "stop"), "[DONE]")
    let outcome = outcome(form, body)
    #expect(outcome.error == .failed(message: words))
    #expect(outcome.text.isEmpty)
  }

  @Test func `what a gateway says for a run that brought nothing is no answer`() {
    let body = sse(
      chunk(content: "I'm unable to provide a response at the moment."), chunk("{}", finish: "stop"), "[DONE]")
    #expect(outcome(.keeper, body).error == .emptyAnswer)
  }

  @Test(
    arguments: [
      "A", "API", "API Errors are common.", "I see API Error: 529 now and then.",
      "API Error: 529 means this.\\n\\nIt is overloaded.",
    ])
  func `an answer about errors is an answer`(text: String) {
    let outcome = outcome(.documented, sse(chunk(content: text), chunk("{}", finish: "stop"), "[DONE]"))
    #expect(outcome.error == nil)
    #expect(outcome.text == text.replacing("\\n", with: "\n"))
  }

  @Test func `an error that was overcome is part of the answer`() {
    let outcome = outcome(
      .program,
      sse(chunk(content: "API Error: 529 once"), chunk(content: "It works."), chunk("{}", finish: "stop"), "[DONE]"))
    #expect(outcome.text == "API Error: 529 once\nIt works.")
    #expect(outcome.error == nil)
  }

  @Test func `what was held back of an answer that breaks off is shown`() {
    let outcome = outcome(.keeper, sse(chunk(content: "API E")))
    #expect(outcome.text == "API E")
    #expect(outcome.events.last == .text("API E"))
  }

  @Test func `an error in the stream keeps what came`() {
    let outcome = outcome(
      .program,
      sse(chunk(content: "One"), #"{"error":{"message":"Stream error","type":"error","code":"stream_error"}}"#))
    #expect(outcome.text == "One")
    #expect(outcome.error == .failed(message: "Stream error"))
  }

  @Test(
    arguments: [
      ("gpt-4o", true), ("opus", false), ("claude-opus-latest", false), ("claude-opus-4-6", false),
      ("claude-opus-4-6-20260205", false), ("claude-sonnet-4-5", true),
    ])
  func `another model than the one that was asked is said`(asked: String, isReplaced: Bool) {
    let frame = #"{"model":"claude-opus-4-6-20260205","choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#
    let notices = outcome(.program, asked: asked, sse(frame)).events.filter {
      if case .notice = $0 { true } else { false }
    }
    #expect(
      notices == (isReplaced ? [.notice(.modelReplaced(asked: asked, by: "claude-opus-4-6-20260205"))] : []))
  }
}

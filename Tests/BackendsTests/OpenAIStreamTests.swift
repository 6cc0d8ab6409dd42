import Chat
import Testing

@testable import Backends

struct OpenAIStreamTests {
  private static let end = chunk("{}", finish: "stop")

  private func outcome(_ pieces: [[UInt8]]) -> Outcome {
    var stream = OpenAIStream(address: "gpu:8080")
    var outcome = Outcome([])
    do throws(BackendError) {
      for piece in pieces {
        try stream.feed(piece)
        outcome.events += stream.take()
      }
      try stream.end()
    } catch {
      outcome.error = error
    }
    outcome.events += stream.take()
    return outcome
  }

  private func outcome(_ body: String) -> Outcome { outcome([Array(body.utf8)]) }

  private static let rows: [(String, String, Outcome)] = [
    (
      "a role and nulls are not an answer",
      sse(chunk(#"{"role":"assistant","content":null}"#), chunk(content: ""), chunk(content: "Hi"), end, "[DONE]"),
      Outcome([.started(model: nil), .text("Hi"), .finished(.stop)])
    ),
    (
      "usage comes without choices, and the last one counts",
      sse(
        #"{"model":"smol","choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
        end, #"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":40,"cost":0.5},"timings":{"prompt_n":1}}"#,
        "[DONE]"),
      Outcome([
        .started(model: "smol"), .text("a"), .usage(Usage(promptTokens: 12, completionTokens: 40, cost: 0.5)),
        .finished(.stop),
      ])
    ),
    (
      "llama.cpp's timings stand in for usage",
      sse(chunk(content: "a"), #"{"choices":[],"timings":{"prompt_n":3,"cache_n":9,"predicted_n":4}}"#, "[DONE]"),
      Outcome([
        .started(model: nil), .text("a"), .usage(Usage(promptTokens: 12, completionTokens: 4)), .finished(.stop),
      ])
    ),
    (
      "reasoning_content", sse(chunk(#"{"reasoning_content":"hm"}"#), chunk(content: "a"), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm"), .text("a"), .finished(.stop)])
    ),
    (
      "reasoning, also when it is said twice",
      sse(
        chunk(#"{"reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h"}]}"#),
        chunk(#"{"reasoning_details":[{"type":"reasoning.text","text":"m"},{"summary":"!"}],"content":""}"#),
        chunk(content: "a"), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm!"), .text("a"), .finished(.stop)])
    ),
    (
      "think tags",
      sse(
        chunk(content: "\\n<thi"), chunk(content: "nk>\\nhm <b> </th"), chunk(content: "ink"),
        chunk(content: ">\\n\\nHi <think>"), end, "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm <b> "), .text("Hi <think>"), .finished(.stop)])
    ),
    (
      "thinking tags", sse(chunk(content: "<thinking>a</think>b</thinking>c"), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("a</think>b"), .text("c"), .finished(.stop)])
    ),
    (
      "reasoning tags without thoughts", sse(chunk(content: "<reasoning>\\n\\n</reasoning>\\n\\nc"), "[DONE]"),
      Outcome([.started(model: nil), .text("c"), .finished(.stop)])
    ),
    (
      "the channels of gpt-oss",
      sse(
        chunk(content: "<|channel|>analysis<|mess"), chunk(content: "age|>hm<|en"),
        chunk(content: "d|><|start|>assistant<|channel|>final<|message|>Hi <|x|>"), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm"), .text("Hi <|x|>"), .finished(.stop)])
    ),
    (
      "the thoughts of gpt-oss, without a frame behind them",
      sse(chunk(content: "<|channel|>analysis<|message|>hm<|end|>Hi"), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm"), .text("Hi"), .finished(.stop)])
    ),
    (
      "tags of other models",
      sse(chunk(content: "[THINK]a[/THINK]b"), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("a"), .text("b"), .finished(.stop)])
    ),
    (
      "reasoning by other names", sse(chunk(#"{"reasoning_text":"h"}"#), chunk(#"{"thinking":"m"}"#), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm"), .finished(.stop)])
    ),
    (
      "what looks like a tag", sse(chunk(content: " <th"), chunk(content: "ird> way"), "[DONE]"),
      Outcome([.started(model: nil), .text(" <third> way"), .finished(.stop)])
    ),
    (
      "a tag that never comes", sse(chunk(content: "<think"), "[DONE]"),
      Outcome([.started(model: nil), .text("<think"), .finished(.stop)])
    ),
    (
      "a thought without end", sse(chunk(content: "<think>a</thin"), chunk("{}", finish: "length")),
      Outcome([.started(model: nil), .reasoning("a</thin"), .finished(.length)])
    ),
    (
      "tool calls say nothing yet",
      sse(
        chunk(#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a"}}]}"#),
        chunk(#"{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]}"#), chunk("{}", finish: "tool_calls"),
        "[DONE]"),
      Outcome([.started(model: nil), .finished(.other("tool_calls"))])
    ),
    (
      "a refusal", sse(chunk(#"{"refusal":"I "}"#), chunk(#"{"refusal":"won't"}"#), end),
      Outcome([.started(model: nil), .notice(.refusal), .text("I won't"), .finished(.stop)])
    ),
    (
      "an error in the stream",
      sse(chunk(content: "a"), #"{"error":{"message":"out of memory","code":500}}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("a")], .failed(message: "out of memory"))
    ),
    (
      "an error event", sse(chunk(content: "a")) + "event: error\ndata: it broke\n\n" + sse(chunk(content: "b")),
      Outcome([.started(model: nil), .text("a")], .failed(message: "it broke"))
    ),
    (
      "no error after all", sse(#"{"error":null,"choices":[{"delta":{"content":"a"},"finish_reason":"eos"}]}"#),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "no end mark, but a reason", sse(chunk(content: "a"), chunk("{}", finish: "content_filter")),
      Outcome([.started(model: nil), .text("a"), .finished(.filtered)])
    ),
    (
      "no reason, but an end mark", sse(chunk(content: "a"), "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "neither: cut off", sse(chunk(content: "a")) + "data: {\"choi", Outcome([.started(model: nil), .text("a")])
    ),
    (
      "what follows the end mark", sse(chunk(content: "a"), "[DONE]", chunk(content: "b"), "nonsense"),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "one object instead of a stream",
      #"""
      {"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi é","reasoning_content":"hm"},
       "finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}
      """#,
      Outcome([
        .started(model: "m"), .reasoning("hm"), .text("Hi é"), .usage(Usage(promptTokens: 1, completionTokens: 2)),
        .finished(.stop),
      ])
    ),
    (
      "chunks as lines of JSON", chunk(content: "a") + "\n" + chunk(content: "b") + "\n",
      Outcome([.started(model: nil), .text("ab"), .finished(.stop)])
    ),
    (
      "several choices: the first is followed",
      sse(
        #"{"choices":[{"delta":{"content":"a"},"index":0},{"delta":{"content":"x"},"index":1}]}"#,
        #"{"choices":[{"delta":{"content":"y"},"index":1}]}"#, #"{"choices":[{"delta":{"content":"b"},"index":0}]}"#,
        #"{"choices":[{"delta":{},"finish_reason":"length","index":1}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .notice(.otherAnswers), .text("ab"), .finished(.stop)])
    ),
    (
      "an unknown reason", sse(chunk(content: "a"), chunk("{}", finish: "moon"), chunk("{}", finish: "")),
      Outcome([.started(model: nil), .text("a"), .finished(.other("moon"))])
    ),
    (
      "comments and blanks", ": ping\n\n\ndata:\n\n" + sse(chunk(content: "a"), "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "an unreadable line",
      sse(chunk(content: "a"), "{\"choices\":[{\"delta\":{\"content\":\"lost\"", "7", chunk(content: "b"), "[DONE]"),
      Outcome([
        .started(model: nil), .text("a"), .notice(.unreadable("{\"choices\":[{\"delta\":{\"content\":\"lost\"")),
        .notice(.unreadable("7")), .text("b"), .finished(.stop),
      ])
    ),
    (
      "a good end behind a bad one",
      sse(chunk(content: "a"), chunk("{}", finish: "length"), chunk("{}", finish: "stop")),
      Outcome([.started(model: nil), .text("a"), .finished(.length)])
    ),
    (
      "a reason as an object", sse(#"{"choices":[{"delta":{"content":"a"},"finish_reason":{"type":"length"}}]}"#),
      Outcome([.started(model: nil), .text("a"), .finished(.length)])
    ),
    (
      "a choice that failed in the middle",
      sse(
        chunk(content: "a"),
        #"{"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"upstream is gone"}}]}"#,
        chunk("{}", finish: "stop"), "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .finished(.other("upstream is gone"))])
    ),
    (
      "a choice that failed at once",
      sse(#"{"choices":[{"delta":{"content":""},"error":"upstream is gone"}]}"#, "[DONE]"),
      Outcome([.started(model: nil)], .failed(message: "upstream is gone"))
    ),
    (
      "a choice without an error", sse(#"{"choices":[{"delta":{"content":"a"},"error":""}],"error":false}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "a delta beside a message that repeats all",
      sse(
        #"{"choices":[{"delta":{"content":"Red"},"message":{"content":"Red"}}]}"#,
        #"{"choices":[{"message":{"content":"Red and"},"delta":{"content":" and"}}]}"#,
        #"{"choices":[{"message":{"content":"Red and blue","reasoning_content":"x"},"delta":{"content":" blue"}}]}"#,
        #"{"choices":[{"message":{"content":"Red and blue"},"finish_reason":"stop"}]}"#),
      Outcome([.started(model: nil), .text("Red and blue"), .finished(.stop)])
    ),
    (
      "messages that repeat all",
      sse(
        #"{"choices":[{"message":{"content":"Red","reasoning_content":"h"}}]}"#,
        #"{"choices":[{"message":{"content":"Red and","reasoning_content":"hm"}}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .reasoning("h"), .text("Red"), .reasoning("m"), .text(" and"), .finished(.stop)])
    ),
    (
      "messages with pieces beside empty deltas",
      sse(
        #"{"choices":[{"delta":{},"message":{"content":"Red"}}]}"#,
        #"{"choices":[{"delta":{},"message":{"content":" and blue"}}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("Red and blue"), .finished(.stop)])
    ),
    (
      "empty deltas between messages",
      sse(
        #"{"choices":[{"message":{"content":"Red"}}]}"#, #"{"choices":[{"delta":{}}]}"#,
        #"{"choices":[{"message":{"content":" and"},"delta":{"role":"assistant","content":"","tool_calls":[]}}]}"#,
        #"{"choices":[{"delta":{"content":"","reasoning":""}}]}"#, #"{"choices":[{"message":{"content":" blue"}}]}"#,
        "[DONE]"),
      Outcome([.started(model: nil), .text("Red and blue"), .finished(.stop)])
    ),
    (
      "messages with equal pieces",
      sse(
        #"{"choices":[{"message":{"content":"ha","reasoning":"\n"}}]}"#,
        #"{"choices":[{"message":{"content":"ha","reasoning":"\n"}}]}"#,
        #"{"choices":[{"message":{"content":"haha!"}}]}"#, #"{"choices":[{"message":{"content":"haha!"}}]}"#, "[DONE]"),
      Outcome([
        .started(model: nil), .reasoning("\n"), .text("ha"), .reasoning("\n"), .text("hahaha!haha!"), .finished(.stop),
      ])
    ),
    (
      "a last message that repeats a short one",
      sse(
        #"{"choices":[{"message":{"content":"Yes"}}]}"#,
        #"{"choices":[{"message":{"content":"Yes"},"finish_reason":"stop"}]}"#),
      Outcome([.started(model: nil), .text("Yes"), .finished(.stop)])
    ),
    (
      "messages that repeat all and then themselves",
      sse(
        #"{"choices":[{"message":{"content":"Red"}}]}"#, #"{"choices":[{"message":{"content":"Red and"}}]}"#,
        #"{"choices":[{"message":{"content":"Red and"}}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("Red and"), .finished(.stop)])
    ),
    (
      "several answers in turn, with their roles",
      sse(
        chunk(#"{"role":"assistant","content":""}"#), chunk(content: "a"), chunk(content: "b"),
        #"{"choices":[{"index":1,"delta":{"role":"assistant","content":""}}]}"#,
        #"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#, #"{"choices":[{"index":1,"delta":{"content":"y"}}]}"#,
        chunk(content: "c"), #"{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}"#, end, "[DONE]"),
      Outcome([.started(model: nil), .text("ab"), .notice(.otherAnswers), .text("c"), .finished(.stop)])
    ),
    (
      "several answers in turn, without roles",
      sse(
        chunk(content: "a"), #"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#, chunk(content: "b"),
        #"{"choices":[{"index":1,"delta":{"content":"y"}}]}"#, chunk(content: "c"),
        #"{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}"#, end, "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .notice(.otherAnswers), .text("bc"), .finished(.stop)])
    ),
    (
      "a block of an answer that an error follows",
      sse(chunk(content: "a"), #"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#, #"{"error":{"message":"gone"}}"#),
      Outcome([.started(model: nil), .text("ab")], .failed(message: "gone"))
    ),
    (
      "blocks of one answer that ends with the first index",
      sse(
        #"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"hm"}}]}"#,
        #"{"choices":[{"index":1,"delta":{"role":"assistant","content":"a"}}]}"#,
        #"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm"), .text("a"), .finished(.length)])
    ),
    (
      "keep-alives that are not JSON",
      "data: ping\n\n" + String(repeating: "data: keep-alive\n\n", count: 12)
        + "event: ping\ndata: {\"type\": \"ping\"}\n\nevent: ping\ndata: 2026-01-01\n\ndata: [HEARTBEAT]\n\n"
        + sse(chunk(content: "a"), end, "[DONE]"),
      Outcome(
        (["ping"] + Array(repeating: "keep-alive", count: 12) + ["2026-01-01", "[HEARTBEAT]"]).map {
          .notice(.log("skipped a keep-alive: \($0)"))
        } + [.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "an error as a last field without a line end", sse(chunk(content: "a")) + "error: {\"message\":\"it broke\"}",
      Outcome([.started(model: nil), .text("a")], .failed(message: "it broke"))
    ),
    (
      "an error as last words without a line end", sse(chunk(content: "a")) + "event: error\ndata: it broke",
      Outcome([.started(model: nil), .text("a")], .failed(message: "it broke"))
    ),
    (
      "an error as a last line of JSON without a line end", sse(chunk(content: "a")) + "{\"error\":\"it broke\"}",
      Outcome([.started(model: nil), .text("a")], .failed(message: "it broke"))
    ),
    (
      "text in the form of completions", sse(#"{"choices":[{"text":"a"}]}"#, #"{"choices":[{"text":"b"}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("ab"), .finished(.stop)])
    ),
    (
      "blocks of one answer with the index of choices",
      sse(
        #"{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}"#,
        #"{"choices":[{"index":1,"delta":{"content":"a"}}]}"#, #"{"choices":[{"index":3,"delta":{"content":"b"}}]}"#,
        #"{"choices":[{"index":3,"delta":{},"finish_reason":"stop"}]}"#),
      Outcome([.started(model: nil), .reasoning("hm"), .text("ab"), .finished(.stop)])
    ),
    (
      "a second answer behind the first",
      sse(
        chunk(content: "a"), chunk("{}", finish: "stop"), #"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#,
        "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .notice(.otherAnswers), .finished(.stop)])
    ),
    (
      "events without blank lines",
      "data: \(chunk(content: "a"))\r\ndata: \(chunk(content: "b"))\r\ndata: \(end)\r\ndata: [DONE]\r\n",
      Outcome([.started(model: nil), .text("ab"), .finished(.stop)])
    ),
    (
      "a last event without its blank line", sse(chunk(content: "a")) + "data: \(end)",
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "an error as a field", sse(chunk(content: "a")) + "error: {\"message\":\"compute error\"}\n\n" + sse("[DONE]"),
      Outcome([.started(model: nil), .text("a")], .failed(message: "compute error"))
    ),
    (
      "an error as a line of JSON", sse(chunk(content: "a")) + "{\"error\":{\"message\":\"it broke\"}}\n",
      Outcome([.started(model: nil), .text("a")], .failed(message: "it broke"))
    ),
    (
      "an error before a stream", "{\"error\":{\"message\":\"it broke\"}}\n\ndata: [DONE]\n\n",
      Outcome([], .failed(message: "it broke"))
    ),
    (
      "content in parts",
      sse(chunk(#"{"content":[{"type":"thinking","thinking":[{"text":"hm"}]},{"type":"text","text":"a"}]}"#), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("hm"), .text("a"), .finished(.stop)])
    ),
    (
      "characters and escapes", sse(chunk(content: "é😀\\n\\\"\\ud83d\\ude00"), "[DONE]"),
      Outcome([.started(model: nil), .text("é😀\n\"😀"), .finished(.stop)])
    ),
    (
      "carriage returns and a byte order mark",
      "\u{FEFF}data: \(chunk(content: "a"))\r\n\r\ndata: \(chunk(content: "b"))\r\rdata: [DONE]\r\n\r\n",
      Outcome([.started(model: nil), .text("ab"), .finished(.stop)])
    ),
    (
      "a field with blanks before its name",
      sse(chunk(content: "a")) + " data: \(chunk(content: "b"))\n\n\t" + sse(end, "[DONE]"),
      Outcome([.started(model: nil), .text("ab"), .finished(.stop)])
    ),
    (
      "an end mark without its field", sse(chunk(content: "a")) + "[DONE]\n\n" + sse(chunk(content: "b")),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "an end mark in quotes", sse(chunk(content: "a"), #""[done]""#),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "content in every shape",
      sse(
        chunk(#"{"content":{"type":"text","text":"a"}}"#), chunk(#"{"content":42}"#),
        chunk(#"{"content":{"text":{"value":"b"}}}"#), chunk(#"{"content":["c",{"type":"output_text","text":"d"}]}"#),
        chunk(#"{"content":{"parts":[{"text":"e"}]}}"#), chunk(#"{"text":"f"}"#), "[DONE]"),
      Outcome([.started(model: nil), .text("a42bcdef"), .finished(.stop)])
    ),
    (
      "thoughts and refusals in the content",
      sse(
        chunk(#"{"content":[{"type":"reasoning","summary":[{"type":"summary_text","text":"h"}]}]}"#),
        chunk(#"{"content":{"text":"m","thought":true}}"#), chunk(#"{"reasoning":{"text":"!"}}"#),
        chunk(#"{"content":[{"type":"redacted_thinking","data":"x"},{"type":"refusal","refusal":"No."}]}"#), "[DONE]"),
      Outcome([
        .started(model: nil), .reasoning("hm!"), .notice(.refusal), .text("No."), .finished(.stop),
      ])
    ),
    (
      "content that cannot be shown",
      sse(chunk(#"{"content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]}"#), "[DONE]"),
      Outcome([
        .started(model: nil), .text("a"),
        .notice(
          .unreadable(
            chunk(#"{"content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]}"#))),
        .finished(.stop),
      ])
    ),
    (
      "images beside the content", sse(chunk(#"{"content":"a","images":[{"type":"image_url"}]}"#), "[DONE]"),
      Outcome([
        .started(model: nil), .text("a"),
        .notice(.unreadable(chunk(#"{"content":"a","images":[{"type":"image_url"}]}"#))), .finished(.stop),
      ])
    ),
    (
      "a whole answer with content as an object",
      #"{"choices":[{"message":{"content":{"type":"text","text":"a"}},"finish_reason":"stop"}]}"#,
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "choices without their list",
      sse(
        #"{"choices":{"index":0,"delta":{"content":"a"}}}"#, #"{"choices":{"0":{"delta":{"content":"b"}}}}"#,
        #"{"content":"c"}"#, #"{"delta":{"text":"d"}}"#, #"{"choices":[{"delta":"e"}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("abcde"), .finished(.stop)])
    ),
    (
      "a choice that is none", sse(#"{"choices":["a"]}"#, #"{"choices":[null]}"#, "[DONE]"),
      Outcome([.started(model: nil), .notice(.unreadable(#"{"choices":["a"]}"#)), .finished(.stop)])
    ),
    (
      "events that are not a part of the answer",
      sse(
        #"{"sources":[{"source":{"id":"s"}}]}"#, #"{"event":{"type":"status","data":{}}}"#,
        #"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#, chunk(content: "a"),
        #"{"choices":null,"usage":{"prompt_tokens":1,"completion_tokens":2}}"#, #"{"id":"x","x_trace_id":"y","n":1}"#,
        #"{"code":0,"message":"Success","usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
        end, "[DONE]"),
      Outcome([
        .started(model: nil), .text("a"), .usage(Usage(promptTokens: 1, completionTokens: 2)), .finished(.stop),
      ])
    ),
    (
      "events of unknown types",
      sse(chunk(content: "a")) + "event: search\ndata: {\"hits\":[\"x\"]}\n\n" + sse(end),
      Outcome([
        .started(model: nil), .text("a"), .notice(.log(#"skipped an event of an unknown type: {"hits":["x"]}"#)),
        .finished(.stop),
      ])
    ),
    (
      "events of unknown types alone", "event: token\ndata: {\"t\":\"x\"}\n\n" + sse("[DONE]"),
      Outcome([
        .notice(.log(#"skipped an event of an unknown type: {"t":"x"}"#)), .notice(.unreadable(#"{"t":"x"}"#)),
        .finished(.stop),
      ])
    ),
    (
      "an event that is not understood", sse(chunk(content: "a"), #"{"answer":"b"}"#, end),
      Outcome([.started(model: nil), .text("a"), .notice(.unreadable(#"{"answer":"b"}"#)), .finished(.stop)])
    ),
    (
      "a line of text in the middle", sse(chunk(content: "a")) + "Internal Server Error\n\n" + sse(end),
      Outcome([.started(model: nil), .text("a"), .notice(.unreadable("Internal Server Error")), .finished(.stop)])
    ),
    (
      "a line of text at the end", sse(chunk(content: "a")) + "Internal Server Error",
      Outcome(
        [.started(model: nil), .text("a"), .notice(.unreadable("Internal Server Error"))],
        .failed(message: "Internal Server Error"))
    ),
    (
      "data of text at the end", sse(chunk(content: "a")) + "data: out of memory",
      Outcome(
        [.started(model: nil), .text("a"), .notice(.unreadable("out of memory"))], .failed(message: "out of memory"))
    ),
    (
      "a page in the middle", sse(chunk(content: "a")) + "<html><title>502 Bad Gateway</title></html>\n" + sse(end),
      Outcome([.started(model: nil), .text("a")], .failed(message: "HTML page \"502 Bad Gateway\""))
    ),
    (
      "an error in words", sse(chunk(content: "a")) + "data: [ERROR] it broke",
      Outcome([.started(model: nil), .text("a")], .failed(message: "it broke"))
    ),
    (
      "a field that is cut in its name", sse(chunk(content: "a")) + "dat",
      Outcome([.started(model: nil), .text("a")])
    ),
    (
      "lines of Ollama's own API",
      #"{"model":"m","message":{"role":"assistant","content":"Re","thinking":"hm"},"done":false}"# + "\n"
        + #"{"model":"m","message":{"role":"assistant","content":"Red"},"done":false}"# + "\n"
        + #"{"model":"m","message":{"content":""},"done":true,"done_reason":"length","prompt_eval_count":3,"eval_count":2}"#,
      Outcome([
        .started(model: "m"), .reasoning("hm"), .text("ReRed"), .usage(Usage(promptTokens: 3, completionTokens: 2)),
        .finished(.length),
      ])
    ),
    (
      "lines of Ollama's own API that end with an error",
      #"{"message":{"content":"a"},"done":false}"# + "\n" + #"{"error":"model runner has stopped"}"# + "\n",
      Outcome([.started(model: nil), .text("a")], .failed(message: "model runner has stopped"))
    ),
    (
      "lines of Ollama's own API that end within a line",
      #"{"message":{"content":"a"},"done":false}"# + "\n" + #"{"message":{"content":"b"},"do"#,
      Outcome([
        .started(model: nil), .text("a"), .notice(.unreadable(#"{"message":{"content":"b"},"do"#)),
      ])
    ),
    (
      "texts beside empty fields",
      sse(
        chunk(#"{"content":[{"type":"text","text":"a","refusal":""},{"type":"text","text":"b","reasoning":""}]}"#),
        chunk(#"{"content":[{"text":"","content":"c"},{"text":"","content":""}]}"#), "[DONE]"),
      Outcome([.started(model: nil), .text("abc"), .finished(.stop)])
    ),
    (
      "a thought and a text in one part",
      sse(chunk(#"{"content":[{"reasoning":"r","text":"a"}]}"#), "[DONE]"),
      Outcome([.started(model: nil), .reasoning("r"), .text("a"), .finished(.stop)])
    ),
    (
      "progress with a detail",
      "event: progress\ndata: {\"detail\":\"searching\"}\n\n"
        + sse(chunk(content: "a"), "[DONE]"),
      Outcome([
        .notice(.log(#"skipped an event of an unknown type: {"detail":"searching"}"#)), .started(model: nil),
        .text("a"), .finished(.stop),
      ])
    ),
    (
      "an error of FastAPI after the first token", sse(chunk(content: "a"), #"{"detail":"it broke"}"#),
      Outcome([.started(model: nil), .text("a")], .failed(message: "it broke"))
    ),
    (
      "an event of the Responses API",
      "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"x\"}}\n\n"
        + sse(chunk(content: "a"), "[DONE]"),
      Outcome([
        .notice(.log(#"skipped an event of an unknown type: {"type":"response.created","response":{"id":"x"}}"#)),
        .started(model: nil), .text("a"), .finished(.stop),
      ])
    ),
    (
      "whole messages, one repeated, that end in half of a character",
      sse(
        #"{"choices":[{"message":{"content":"a"}}]}"#, #"{"choices":[{"message":{"content":"ab\ud83d"}}]}"#,
        #"{"choices":[{"message":{"content":"ab\ud83d"}}]}"#,
        #"{"choices":[{"message":{"content":"ab\ud83d\ude00"}}]}"#,
        "[DONE]"),
      Outcome([.started(model: nil), .text("ab😀"), .finished(.stop)])
    ),
    (
      "a stop_reason without a finish_reason",
      sse(chunk(content: "a"), #"{"choices":[{"delta":{},"finish_reason":null,"stop_reason":"length"}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .finished(.length)])
    ),
    (
      "a stop_reason that is the stop string",
      sse(chunk(content: "a"), #"{"choices":[{"delta":{},"finish_reason":"stop","stop_reason":"length"}]}"#),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "a native reason that is a failure",
      sse(
        chunk(content: "a"),
        #"{"choices":[{"delta":{},"finish_reason":"stop","native_finish_reason":"MALFORMED_FUNCTION_CALL"}]}"#),
      Outcome([.started(model: nil), .text("a"), .finished(.other("MALFORMED_FUNCTION_CALL"))])
    ),
    (
      "a native reason in other words",
      sse(chunk(content: "a"), #"{"choices":[{"finish_reason":"stop","native_finish_reason":"<|eot_id|>"}]}"#),
      Outcome([.started(model: nil), .text("a"), .finished(.stop)])
    ),
    (
      "calls without a call", sse(chunk(content: "a"), chunk("{}", finish: "tool_calls"), "[DONE]"),
      Outcome([.started(model: nil), .text("a"), .finished(.other("tool_calls"))])
    ),
    (
      "half a character in messages that repeat all",
      sse(
        #"{"choices":[{"message":{"content":"\ud83d"}}]}"#, #"{"choices":[{"message":{"content":"\ud83d\ude00"}}]}"#,
        #"{"choices":[{"message":{"content":"\ud83d\ude00b\ud83d"}}]}"#,
        #"{"choices":[{"message":{"content":"\ud83d\ude00b\ud83d\ude01"}}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("😀b😁"), .finished(.stop)])
    ),
    (
      "half a character in messages with pieces",
      sse(
        #"{"choices":[{"message":{"content":"a\ud83d"}}]}"#, #"{"choices":[{"message":{"content":"\ude00"}}]}"#,
        #"{"choices":[{"message":{"content":"b\ud83d"}}]}"#, "[DONE]"),
      Outcome([.started(model: nil), .text("a😀b\u{FFFD}"), .finished(.stop)])
    ),
    ("nothing at all", "", Outcome([])),
    (
      "a page", "<!DOCTYPE html><html><head><title>\nSign  in &amp; more</title></head><body>secret</body></html>",
      Outcome([], .malformed(address: "gpu:8080", detail: "HTML page \"Sign in & more\""))
    ),
    ("other text", "Hello there", Outcome([], .malformed(address: "gpu:8080", detail: "text \"Hello there\""))),
    (
      "broken JSON", "{\"choices\":[", Outcome([], .malformed(address: "gpu:8080", detail: "broken JSON after byte 12"))
    ),
    (
      "JSON of another kind", "{\"ok\":true}",
      Outcome([], .malformed(address: "gpu:8080", detail: "JSON without an answer"))
    ),
    ("an error instead of a stream", #"{"error":"no"}"#, Outcome([], .failed(message: "no"))),
  ]

  @Test(arguments: rows.map { Row(name: $0.0, body: $0.1, expected: $0.2) })
  func `each form of stream is understood, however it is cut`(row: Row) {
    #expect(outcome(row.body).joined == row.expected)
    let bytes = Array(row.body.utf8)
    #expect(outcome(bytes.map { [$0] }).joined == row.expected, "byte by byte")
    for cut in 0...bytes.count {
      let halves = outcome([Array(bytes[..<cut]), Array(bytes[cut...])]).joined
      if halves != row.expected {
        Issue.record("cut at \(cut): \(halves)")
        break
      }
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var body: String
    var expected: Outcome
    var testDescription: String { name }
  }

  @Test(
    arguments: [
      (#"["error"]"#, .other("error")), (#"["stop"]"#, .stop), (#"["stop","x"]"#, .other(#"["stop","x"]"#)),
      ("true", .other("true")), ("1", .other("1")), (#"{"reason":"length"}"#, .length),
    ] as [(String, FinishReason)])
  func `a finish reason that is not a word counts`(_ value: String, _ reason: FinishReason) {
    let body = sse(chunk(content: "a"), #"{"choices":[{"delta":{},"finish_reason":\#(value)}]}"#, "[DONE]")
    #expect(outcome(body).events.last == .finished(reason))
    let whole = #"{"choices":[{"message":{"content":"a"},"finish_reason":\#(value)}]}"#
    #expect(outcome(whole).events.last == .finished(reason))
  }

  @Test(arguments: [
    #"{"message":"","type":"","param":"","code":null}"#, "{}", "[]", "0.0", #""null""#, #""None""#,
    #"{"message":null,"code":null}"#, #"{"code":0,"message":"Success"}"#, #"{"code":200,"message":"OK"}"#,
  ])
  func `an empty error field is not an error`(_ error: String) {
    let stream = sse(
      #"{"choices":[{"delta":{"content":"a"},"error":\#(error)}],"error":\#(error)}"#, Self.end, "[DONE]")
    #expect(outcome(stream).text == "a" && outcome(stream).events.last == .finished(.stop))
    let whole = #"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"error":\#(error)}"#
    #expect(outcome(whole).text == "a" && outcome(whole).events.last == .finished(.stop))
  }

  @Test(
    arguments: [
      #"{"detail":"worker died"}"#, #"{"errors":[{"message":"worker died"}]}"#,
      #"{"status":500,"message":"worker died"}"#,
      #"{"code":"busy","msg":"worker died"}"#, #"{"success":false,"message":"worker died"}"#,
      #"{"type":"error","message":"worker died"}"#, #"{"error_msg":"worker died","error_code":17}"#,
    ])
  func `errors are known in the forms of all servers`(_ error: String) {
    let failed = outcome(sse(chunk(content: "a"), error, Self.end, "[DONE]"))
    #expect(failed.text == "a")
    #expect(failed.error == .failed(message: "worker died"))
    #expect(outcome(error).error == .failed(message: "worker died"))
  }

  @Test(
    arguments: [
      ("STOP", .stop), ("eos", .stop), ("stop_sequence", .stop), ("END_TURN", .stop), ("FinishReason.STOP", .stop),
      ("tool_use", .stop), ("MAX_TOKENS", .length), ("max_output_tokens", .length), ("model_length", .length),
      ("FINISH_REASON_MAX_TOKENS", .length), ("model_context_window_exceeded", .length), ("sensitive", .filtered),
      ("SAFETY", .filtered), ("content-filter", .filtered), ("guardrail_intervened", .filtered), ("refusal", .filtered),
      ("error", .other("error")), ("abort", .other("abort")), ("network_error", .other("network_error")),
      ("content_filter: SAFETY", .filtered), ("content_filter: PROHIBITED_CONTENT", .filtered), ("unsafe", .filtered),
      ("output_token_limit", .length), ("kv_cache_full", .length), ("stop_token", .stop), ("succeeded", .stop),
      ("null", nil), ("NOT_FINISHED", nil), ("", nil),
    ] as [(String, FinishReason?)])
  func `reasons to stop are known in the spellings of all servers`(_ word: String, _ reason: FinishReason?) {
    #expect(FinishReason(openAI: word, endsWithCalls: true) == reason)
  }

  @Test func `compressed data without a header is named`() {
    let outcome = outcome([[0x1F, 0x8B, 0x08, 0x00, 0x61]])
    #expect(outcome.error == .malformed(address: "gpu:8080", detail: "compressed data"))
  }

  @Test func `ten unreadable lines in a row fail an answer, nine do not`() {
    let nonsense = String(repeating: "data: {nonsense\n\n", count: 9)
    let good = outcome(nonsense + sse(chunk(content: "a")) + nonsense + sse("[DONE]"))
    #expect(good.error == nil)
    #expect(good.events.count { $0 == .notice(.unreadable("{nonsense")) } == 18)
    let bad = outcome(nonsense + "data: {nonsense\n\n" + sse(chunk(content: "a")))
    #expect(bad.error == .malformed(address: "gpu:8080", detail: "10 unreadable lines in a row"))
    #expect(bad.events.count == 10)
  }

  @Test func `pieces that arrive together are one event`() {
    let words = (0..<1000).map { chunk(content: "w\($0) ") }
    let body = words.map { sse($0) }.joined() + sse("[DONE]")
    #expect(outcome(body).events.count == 3)
    let halves = Array(body.utf8)
    #expect(outcome([Array(halves[..<20_000]), Array(halves[20_000...])]).events.count == 4)
  }

  @Test func `a character cut between chunks is put together`() {
    let one = Array("data: {\"choices\":[{\"delta\":{\"content\":\"a".utf8) + [0xF0, 0x9F] + Array("\"}}]}\n\n".utf8)
    let two = Array("data: {\"choices\":[{\"delta\":{\"content\":\"".utf8) + [0x98, 0x80] + Array("b\"}}]}\n\n".utf8)
    #expect(outcome([one, two, Array(sse("[DONE]").utf8)]).text == "a😀b")
    #expect(outcome([one, Array(sse("[DONE]").utf8)]).text == "a\u{FFFD}")
  }

  @Test func `the halves of a character in two chunks are joined`() {
    let halves = [#"a\ud83c"#, #"\udf89b"#]
    func pieces(_ delta: (String) -> String) -> String { halves.map { sse(chunk(delta($0))) }.joined() + sse("[DONE]") }
    #expect(outcome(pieces { "{\"content\":\"\($0)\"}" }).text == "a🎉b")
    #expect(outcome(pieces { "{\"content\":[{\"text\":\"\($0)\"}]}" }).text == "a🎉b")
    #expect(outcome(pieces { "{\"refusal\":\"\($0)\"}" }).text == "a🎉b")
    #expect(outcome(pieces { "{\"reasoning\":\"\($0)\"}" }).joined.events.contains(.reasoning("a🎉b")))
    #expect(outcome(sse(chunk(content: #"a\ud83c"#), chunk(content: "b"), "[DONE]")).text == "a\u{FFFD}b")
    #expect(outcome(sse(chunk(content: #"\udf89"#), chunk(content: #"\ud83c"#), "[DONE]")).text == "\u{FFFD}\u{FFFD}")
  }

  @Test func `a line without end is malformed`() {
    let endless = Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 3 << 20)
    let outcome = outcome([Array(sse(chunk(content: "a")).utf8) + endless])
    #expect(outcome.text == "a")
    #expect(outcome.error == .malformed(address: "gpu:8080", detail: "a line of more than 1 MiB"))
  }

  @Test func `an answer of more than is read keeps what came`() async {
    let body: [ScriptedBody.Piece] = [.text(sse(chunk(content: "a"))), .failure(.tooLarge(limit: 64 << 20))]
    let outcome = await OpenAIBackend(ScriptedHTTP([.response(200, body)])).outcome()
    #expect(outcome.text == "a")
    #expect(outcome.error == .tooLarge(address: "gpu:8080", limit: "64 MiB"))
  }

  @Test func `lines of JSON come as they are sent`() throws {
    var stream = OpenAIStream(address: "gpu:8080")
    try stream.feed(Array("{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"mess".utf8))
    #expect(stream.take() == [.started(model: nil), .text("a")])
    try stream.end(cut: true)
    #expect(stream.take().isEmpty)
  }

  @Test func `an endless page is not kept`() {
    let outcome = outcome([Array("<html><title>T</title>".utf8), [UInt8](repeating: 0x61, count: 1 << 20)])
    #expect(outcome.error == .malformed(address: "gpu:8080", detail: "HTML page \"T\""))
  }
}

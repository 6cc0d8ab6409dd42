import Transport
import Wire

extension ToolDemo {
  /// The answer in the form of an inference engine: chunk by chunk where that is asked for.
  func reply(as model: String, isStreamed: Bool) -> Reply {
    let saying = answer()
    guard isStreamed else {
      let choice: JSON = [
        "index": 0, "message": saying.message(callID, isNative), "finish_reason": saying.ending(isNative),
      ]
      return .json(Self.envelope("chat.completion", model, ["choices": [choice]]))
    }
    var deltas: [JSON] = [["role": "assistant", "content": ""]] + saying.deltas(callID, isNative)
    deltas.append(.object([]))
    let chunks = deltas.enumerated().map { place, delta in
      let ending = place == deltas.count - 1 ? saying.ending(isNative) : .null
      let choice: JSON = ["index": 0, "delta": delta, "finish_reason": ending]
      return Self.envelope("chat.completion.chunk", model, ["choices": [choice]]).serialized()
    }
    let events = (chunks + ["[DONE]"]).map { Array("data: \($0)\n\n".utf8) }
    return Reply(status: 200, type: "text/event-stream", body: .stream(Spoken(events)))
  }

  private static func envelope(_ kind: String, _ model: String, _ rest: JSON) -> JSON {
    let head: JSON = [
      "id": "chatcmpl-tool-demo", "object": .string(kind), "created": 1_770_000_000, "model": .string(model),
    ]
    return .object((head.object ?? []) + (rest.object ?? []))
  }
}

extension ToolDemo.Saying {
  fileprivate func ending(_ isNative: Bool) -> JSON {
    if case .call = self, isNative { "tool_calls" } else { "stop" }
  }

  fileprivate func message(_ id: String, _ isNative: Bool) -> JSON {
    switch self {
    case .call(let name, let arguments) where isNative:
      let call: JSON = [
        "id": .string(id), "type": "function",
        "function": ["name": .string(name), "arguments": .string(arguments.serialized())],
      ]
      return ["role": "assistant", "content": .null, "tool_calls": [call]]
    default: return ["role": "assistant", "content": .string(text)]
    }
  }

  /// In pieces, as they come from a model.
  fileprivate func deltas(_ id: String, _ isNative: Bool) -> [JSON] {
    switch self {
    case .call(let name, let arguments) where isNative:
      let start: JSON = [
        "index": 0, "id": .string(id), "type": "function", "function": ["name": .string(name), "arguments": ""],
      ]
      let pieces = Self.pieces(arguments.serialized()).map { piece -> JSON in
        ["tool_calls": [["index": 0, "function": ["arguments": .string(piece)]]]]
      }
      return [["tool_calls": [start]]] + pieces
    default: return Self.pieces(text).map { ["content": .string($0)] }
    }
  }

  private var text: String {
    switch self {
    case .text(let text): return text
    case .call(let name, let arguments):
      let call: JSON = ["name": .string(name), "arguments": arguments]
      return "<tool_call>\n\(call.serialized())\n</tool_call>"
    }
  }

  private static func pieces(_ text: String) -> [String] {
    var rest = text[...]
    var pieces: [String] = []
    while !rest.isEmpty {
      pieces.append(String(rest.prefix(8)))
      rest = rest.dropFirst(8)
    }
    return pieces
  }
}

/// Says its events one after another, at the pace of a small model.
private actor Spoken: HTTPBody {
  private var events: ArraySlice<[UInt8]>

  init(_ events: [[UInt8]]) { self.events = events[...] }

  func next(timeout: Double?) async throws(TransportError) -> [UInt8]? {
    guard let event = events.popFirst() else { return nil }
    // Cancelled, it only goes on sooner; the reader's connection is what ends it.
    try? await Task.sleep(for: .milliseconds(15))
    return event
  }

  nonisolated func cancel() {}
}

import Chat
import Testing
import Wire

@testable import Backends

struct DemoCallTests {
  private static func tool(_ name: String, _ fields: (String, String)..., required: [JSON] = []) -> Tool {
    let properties = fields.map { JSON.Member($0.0, ["type": .string($0.1)]) }
    var parameters: JSON = ["type": "object", "properties": .object(properties)]
    if !required.isEmpty { parameters["required"] = .array(required) }
    return Tool(name: name, parameters: parameters)
  }

  private static let tools = [
    tool("add", ("a", "number"), ("b", "number"), required: ["a", "b"]),
    tool("web_search", ("query", "string"), ("max_results", "integer")),
    tool("calculate", ("expression", "string"), required: ["expression"]),
    tool("convert", ("value", "number"), ("of", "string"), ("to", "string"), required: ["value", "of", "to"]),
    tool("now"),
  ]

  private static let rows: [(String, String?, JSON)] = [
    ("add 2 and 3", "add", ["a": 2, "b": 3]), ("What is 2+3?", "add", ["a": 2, "b": 3]),
    ("what is 12 * (3 + 4.5)", "calculate", ["expression": "12 * (3 + 4.5)"]),
    ("calculate sqrt of 2", "calculate", ["expression": "sqrt of 2"]),
    ("search for red pandas.", "web_search", ["query": "red pandas"]),
    ("use web_search: “swift 6”", "web_search", ["query": "swift 6"]),
    ("convert 26.2 miles to km", "convert", ["value": 26.2, "of": "miles", "to": "km"]),
    ("What time is it now?", "now", [:]),
    ("add", nil, [:]), ("Hello there", nil, [:]), ("I know nothing", nil, [:]), ("address 1 and 2", nil, [:]),
  ]

  @Test(arguments: rows)
  func `the demo calls what is plainly asked for`(row: (String, String?, JSON)) {
    let question = ChatRequest(model: "demo", messages: [Message(.user, row.0)], tools: DemoCallTests.tools)
    let call = DemoCall.call(for: question)
    #expect(call?.name == row.1)
    if row.1 != nil { #expect(call?.arguments == .object(row.2)) }
  }

  private func outcome(_ question: ChatRequest) async -> Outcome {
    let demo = DemoBackend(server: Server(name: "demo", kind: "demo", url: "demo:"), clock: TestTime().source)
    return await Outcome(of: demo.answer(question)).joined
  }

  @Test func `it calls, answers with what came back, and says that it is a demo`() async throws {
    var question = ChatRequest(
      model: "demo", messages: [Message(.user, "add 2 and 3")], tools: DemoCallTests.tools)
    let first = await outcome(question)
    #expect(first.text.contains("not a model"))
    let call = ToolCall(id: "demo1", name: "add", arguments: .object(["a": 2, "b": 3]))
    #expect(first.events.suffix(3) == [.toolCallComing(name: "add"), .toolCall(call), .finished(.stop)])
    question.messages += [
      Message(.assistant, first.text, toolCalls: [call]), Message(.tool, "5", toolName: "add", toolCallID: "demo1"),
    ]
    let second = await outcome(question)
    #expect(second.text.contains("“add” gave back:\n\n5\n") && second.text.contains("not a model"))
    #expect(second.events.count == 3, "no other call")
    question.messages += [Message(.assistant, second.text), Message(.user, "add 1 and 1")]
    #expect(DemoCall.call(for: question)?.id == "demo2")
  }

  @Test func `without tools it says what it always says`() async {
    let question = ChatRequest(model: "demo", messages: [Message(.user, "add 2 and 3")])
    let outcome = await outcome(question)
    #expect(outcome.events.count == 3 && !outcome.text.contains("tool"))
  }
}

import Chat
import Store
import Testing

@testable import Shell

@Suite struct AnswerJSONTests {
  @Test func `what the rounds of a turn used is added, however much servers say it was`() {
    let rounds = [
      Usage(promptTokens: 3, completionTokens: .max, cost: 0.5), nil, Usage(promptTokens: 4, completionTokens: 1),
    ]
    #expect(AnswerJSON.sum(rounds) == Usage(promptTokens: 7, completionTokens: .max, cost: 0.5))
    #expect(AnswerJSON.sum([nil]) == Usage())
  }

  @Test(arguments: [
    (Activity(id: "1", title: "Read", kind: "tool", status: .done, content: [.block(.text("a\nb"))]), "Read", "a\nb"),
    (Activity(id: "1", title: "Read", kind: "tool", status: .done, output: ["n": 1]), "Read", #"{"n":1}"#),
    (Activity(id: "1", title: "Read a.txt", kind: "read", status: .done, output: "a"), "read", "a"),
  ])
  func `a server's own tool call has the tool's name and result`(activity: Activity, name: String, result: String) {
    var call = StoredCall(activity, of: Server(name: "lab", kind: "claude", url: "http://lab"))
    call.result = StoredResult(activity, text: "a line for people")
    let object = AnswerJSON.object(call)
    #expect(object["name"]?.string == name && object["result"]?.string == result)
  }
}

import Chat
import Store
import Testing
import Wire

@testable import Serving
@testable import Shell

/// What an editor is told, in the protocol's words.
@Suite struct SessionUpdateTests {
  private let call = StoredCall(
    ToolCall(id: "a", name: "peer__add", arguments: .object(["x": 1])), tool: "add", server: "peer")

  @Test func `a call begins with its arguments, and ends with what the model is told`() {
    let begun = SessionUpdate.call(call, as: "1-a")
    #expect(begun["title"] == "add (peer)" && begun["rawInput"] == ["x": 1] && begun["status"] == "pending")
    let done = SessionUpdate.result(StoredResult(.done, text: "2", whole: #"{"content":[]}"#), of: "1-a")
    #expect(done["status"] == "completed" && done["rawOutput"] == ["content": []])
    #expect(done["content"] == [["type": "content", "content": ["type": "text", "text": "2"]]])
  }

  @Test(arguments: StoredResult.Status.allCases)
  func `what did not come to a good end has failed`(status: StoredResult.Status) {
    let update = SessionUpdate.result(StoredResult(status, text: ""), of: "1-a")
    #expect(update["status"]?.string == ([.done, .unreported].contains(status) ? "completed" : "failed"))
  }

  @Test(arguments: Activity.Status.allCases)
  func `every state of what an agent does has a word of the protocol`(status: Activity.Status) {
    let update = SessionUpdate.activity(Activity(id: "a", title: "T", status: status), as: "1-a", isNew: true)
    #expect(["pending", "in_progress", "completed", "failed"].contains(update["status"]?.string))
  }

  @Test func `a kind that the protocol does not know is another one`() {
    let update = SessionUpdate.activity(Activity(id: "a", title: "T", kind: "mind_reading"), as: "1-a", isNew: false)
    #expect(update["kind"] == "other" && update["sessionUpdate"] == "tool_call_update")
  }

  @Test func `a plan is a plan`() {
    let plan = Activity(
      id: "plan", kind: "plan",
      content: [.plan([PlanEntry(text: "dig", status: .running, priority: "utmost"), PlanEntry(text: "fill")])])
    #expect(
      SessionUpdate.activity(plan, as: "1-plan", isNew: true)
        == [
          "sessionUpdate": "plan",
          "entries": [
            ["content": "dig", "priority": "medium", "status": "in_progress"],
            ["content": "fill", "priority": "medium", "status": "pending"],
          ],
        ])
  }

  @Test func `what an agent did is told again as it was told`() {
    let activity = Activity(
      id: "c", title: "Write a", kind: "edit", status: .done,
      content: [.diff(FileChange(path: "/a", old: "1", new: "2")), .block(.text("ok"))],
      places: [Activity.Place(path: "/a", line: 3)], input: ["path": "/a"])
    let plan = Activity(
      id: "plan", kind: "plan", status: .done, content: [.plan([PlanEntry(text: "dig", status: .done)])])
    for (activity, kind) in [(activity, "tool_call"), (plan, "plan")] {
      let stored = StoredCall(
        ToolCall(id: activity.id, name: activity.kind, arguments: .object([:])), tool: activity.title, server: "peer",
        result: StoredResult(.done, text: "", whole: AnswerJSON.object(activity).serialized()))
      var turn = Turn.unsaved(
        in: SessionID("s"), number: 3, parent: nil, question: "q",
        answer: StoredAnswer(text: "", status: .complete), at: 0)
      turn.steps = [ToolStep(text: "", calls: [stored])]
      let told = SessionUpdate.replay(turn)[1]
      #expect(told["sessionUpdate"]?.string == kind)
      #expect(told == SessionUpdate.activity(activity, as: "past-3-\(activity.id)", isNew: true))
    }
  }

  @Test func `a turn is told again in order, and nothing of it is under way`() {
    var turn = Turn.unsaved(
      in: SessionID("s"), number: 3, parent: nil, question: "q",
      answer: StoredAnswer(text: "end", reasoning: "hm", status: .complete), at: 0)
    turn.steps = [ToolStep(text: "first", calls: [call])]
    let updates = SessionUpdate.replay(turn)
    #expect(
      updates.map { $0["sessionUpdate"]?.string } == [
        "user_message_chunk", "agent_message_chunk", "tool_call", "agent_thought_chunk", "agent_message_chunk",
      ])
    #expect(updates[2]["toolCallId"] == "past-3-a" && updates[2]["status"] == "failed")
  }
}

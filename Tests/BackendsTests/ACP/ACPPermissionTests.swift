import Testing
import Wire

@testable import Backends
@testable import Chat

struct ACPPermissionTests {
  @Test func `a question that names a call alone is about what is known of it`() {
    var fold = ACPFold()
    _ = fold.events([
      "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Edit a", "status": "in_progress",
      "content": [["type": "diff", "path": "/w/a", "oldText": "x", "newText": "y"]],
    ])
    let asked = ACPPermission(["sessionId": "s", "toolCall": ["toolCallId": "c1"], "options": []], fold)
    #expect(asked.session == "s")
    #expect(asked.activity.title == "Edit a")
    #expect(asked.activity.status == .running)
    #expect(asked.activity.content == [.diff(FileChange(path: "/w/a", old: "x", new: "y"))])
  }

  @Test func `what the question adds is shown, and not kept`() {
    var fold = ACPFold()
    _ = fold.events(["sessionUpdate": "tool_call", "toolCallId": "c1", "title": "a call"])
    let patch: JSON = ["toolCallId": "c1", "title": "rm -r x", "rawInput": ["command": "rm -r x"]]
    let asked = ACPPermission(["sessionId": "s", "toolCall": patch], fold)
    #expect(asked.activity == Activity(id: "c1", title: "rm -r x", input: ["command": "rm -r x"]))
    #expect(fold.patched(["toolCallId": "c1"]).title == "a call")
  }

  @Test func `a call that was never announced is asked about by what the question says`() {
    let call: JSON = ["toolCallId": "edit-approval-1", "kind": "edit", "title": "Write b", "status": .null]
    let asked = ACPPermission(["sessionId": "s", "toolCall": call], ACPFold())
    #expect(asked.activity == Activity(id: "edit-approval-1", title: "Write b", kind: "edit"))
    var fold = ACPFold()
    #expect(fold.endTurn(wasStopped: true, isBroken: true).isEmpty)
  }

  @Test func `options keep their order and their ids, and kinds may repeat or be unknown`() {
    let asked = ACPPermission(
      [
        "sessionId": "s",
        "options": [
          ["optionId": "yes", "name": "Yes", "kind": "allow_once"],
          ["optionId": "session", "name": "For this session", "kind": "allow_always"],
          ["optionId": "ever", "name": "For ever", "kind": "allow_always"], ["name": "no id", "kind": "allow_once"],
          ["optionId": "deny", "kind": "reject_once"], ["optionId": "later", "name": "Later", "kind": "postpone"],
          .null,
        ],
      ], ACPFold())
    #expect(
      asked.options == [
        PermissionOption(id: "yes", name: "Yes", kind: .allowOnce),
        PermissionOption(id: "session", name: "For this session", kind: .allowAlways),
        PermissionOption(id: "ever", name: "For ever", kind: .allowAlways),
        PermissionOption(id: "deny", name: "deny", kind: .rejectOnce),
        PermissionOption(id: "later", name: "Later", kind: nil),
      ])
  }

  @Test(arguments: [.null, [:], ["toolCall": 3, "options": "x", "sessionId": .null]] as [JSON])
  func `a question without anything is still one`(_ params: JSON) {
    let asked = ACPPermission(params, ACPFold())
    #expect(asked.session.isEmpty)
    #expect(asked.activity == Activity(id: ""))
    #expect(asked.options.isEmpty)
  }

  @Test func `the answer is an id, or that there is none`() {
    #expect(
      ACPPermission.answer(.option(PermissionOption(id: "deny", name: "Deny", kind: .rejectOnce))) == [
        "outcome": ["outcome": "selected", "optionId": "deny"]
      ])
    for reply in [AgentQuestion.Reply.cancel, .refuse, .allow, .words(.decline)] {
      #expect(ACPPermission.answer(reply) == ["outcome": ["outcome": "cancelled"]])
    }
  }

  @Test func `a form is answered as it was filled in`() {
    #expect(ACPPermission.words(.words(.accept(["a": 1]))) == ["action": "accept", "content": ["a": 1]])
    #expect(ACPPermission.words(.words(.decline)) == ["action": "decline"])
    #expect(ACPPermission.words(.refuse) == ["action": "decline"])
    #expect(ACPPermission.words(.cancel) == ["action": "cancel"])
  }
}

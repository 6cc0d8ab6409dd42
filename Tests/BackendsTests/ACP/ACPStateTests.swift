import Testing
import Wire

@testable import Backends
@testable import Chat

struct ACPStateTests {
  @Test(
    arguments: [
      ([], .done), (["pending", "pending"], .pending), (["completed", "pending"], .running),
      (["in_progress", "pending"], .running), (["completed", "completed"], .done), (["odd"], .pending),
    ] as [([String], Activity.Status)]) func `a plan is as far as its steps`(
      _ words: [String], _ status: Activity.Status
    )
  {
    var fold = ACPFold()
    _ = fold.events(["sessionUpdate": "plan", "entries": ["first"]])
    let entries = words.map { word -> JSON in ["content": "step", "status": .string(word), "priority": "high"] }
    let plan = fold.call(["sessionUpdate": "plan", "entries": .array(entries)])
    #expect(plan?.id == "plan")
    #expect(plan?.kind == "plan")
    #expect(plan?.status == status)
  }

  @Test func `a plan is replaced whole, and its odd entries are passed over`() {
    var fold = ACPFold()
    let plan = fold.call([
      "sessionUpdate": "plan",
      "entries": [["content": "a", "priority": .null], .null, ["content": ""], ["status": "completed"], "b"],
    ])
    #expect(plan?.content == [.plan([PlanEntry(text: "a"), PlanEntry(text: "b")])])
    let next = fold.call(["sessionUpdate": "plan", "entries": [["content": "c", "priority": "low"]]])
    #expect(next?.content == [.plan([PlanEntry(text: "c", priority: "low")])])
    #expect(fold.events(["sessionUpdate": "plan", "entries": [["content": "c", "priority": "low"]]]).isEmpty)
    #expect(fold.call(["sessionUpdate": "plan", "entries": []])?.content == [.plan([])])
  }

  @Test func `no plan is not a plan`() {
    var fold = ACPFold()
    #expect(fold.events(["sessionUpdate": "plan", "entries": []]).isEmpty)
  }

  @Test func `a plan and a call of that name are two things`() {
    var fold = ACPFold()
    _ = fold.events(["sessionUpdate": "plan", "entries": ["a"]])
    #expect(fold.call(["sessionUpdate": "tool_call", "toolCallId": "plan", "title": "t"])?.kind == "other")
  }

  @Test func `commands have no slash, and replace those before`() {
    var fold = ACPFold()
    var state = AgentState()
    let update: JSON = [
      "sessionUpdate": "available_commands_update",
      "availableCommands": [
        ["name": "skill:review", "description": "Look", "input": ["hint": "what"]], ["name": "/clear", "input": .null],
        ["description": "no name"], ["name": ""], .null, ["name": "/"],
      ],
    ]
    #expect(fold.take(update, &state).isEmpty)
    #expect(
      state.commands == [
        AgentSlashCommand(name: "skill:review", summary: "Look", hint: "what"), AgentSlashCommand(name: "clear"),
      ])
    _ = fold.take(["sessionUpdate": "available_commands_update", "availableCommands": .null], &state)
    #expect(state.commands.count == 2)
    _ = fold.take(["sessionUpdate": "available_commands_update", "availableCommands": []], &state)
    #expect(state.commands.isEmpty)
  }

  @Test func `a title is news once, null takes it back, and nothing leaves it`() {
    var fold = ACPFold()
    var state = AgentState()
    #expect(fold.take(["sessionUpdate": "session_info_update", "title": "T"], &state) == [.title("T")])
    #expect(fold.take(["sessionUpdate": "session_info_update", "title": "T"], &state) == [])
    #expect(fold.take(["sessionUpdate": "session_info_update", "updatedAt": "2026-01-01T00:00:00"], &state) == [])
    #expect(fold.take(["sessionUpdate": "session_info_update", "title": 5], &state) == [])
    #expect(state.conversationTitle == "T")
    #expect(fold.take(["sessionUpdate": "session_info_update", "title": .null], &state) == [.title(nil)])
    #expect(state.conversationTitle == nil)
  }

  @Test func `how full the context is changes the state and says nothing`() {
    var fold = ACPFold()
    var state = AgentState()
    #expect(fold.take(["sessionUpdate": "usage_update", "used": 10, "size": 200_000, "cost": .null], &state) == [])
    #expect(state.used == 10)
    #expect(state.size == 200_000)
    #expect(fold.take(["sessionUpdate": "usage_update", "used": "many", "size": .null], &state) == [])
    #expect(state.used == 10)
    #expect(fold.take(["sessionUpdate": "usage_update", "used": -3, "size": 1e300], &state) == [])
    #expect(state.used == 0)
  }

  private func cost(_ amount: JSON) -> JSON {
    ["sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": ["amount": amount, "currency": "USD"]]
  }

  @Test func `what the session has cost becomes what the turn costs`() {
    var fold = ACPFold()
    fold.beginTurn()
    #expect(fold.events(cost(0.03)) == [.usage(Usage(cost: 0.03))])
    #expect(fold.events(cost(0.03)) == [])
    #expect(fold.cost == 0.03)
    _ = fold.endTurn(wasStopped: false, isBroken: false)
    #expect(fold.cost == nil)
    fold.beginTurn()
    #expect(fold.events(cost(0.045)) == [.usage(Usage(cost: 0.015))])
    #expect(fold.events(cost("free")) == [])
    #expect(fold.events(cost(-1)) == [])
  }

  @Test func `what was spent in a session before it was taken up is not of the turn`() {
    var fold = ACPFold(isNew: false)
    #expect(fold.events(cost(2.5)) == [])
    fold.beginTurn()
    #expect(fold.events(cost(2.75)) == [.usage(Usage(cost: 0.25))])
    var unknown = ACPFold(isNew: false)
    unknown.beginTurn()
    #expect(unknown.events(cost(2.5)) == [])
  }

  @Test(arguments: ["currentModeId", "modeId"]) func `a mode that the agent goes into is the one shown`(_ key: String) {
    var fold = ACPFold()
    var state = AgentState()
    state.options = [AgentOption](settings: [
      "modes": [
        "currentModeId": "ask", "availableModes": [["id": "ask", "name": "Ask"], ["id": "code", "name": "Code"]],
      ]
    ])
    var update: JSON = ["sessionUpdate": "current_mode_update"]
    update[key] = "code"
    #expect(fold.take(update, &state) == [])
    #expect(state.options.first?.value == "code")
  }

  @Test func `settings that changed are replaced whole`() {
    var fold = ACPFold()
    var state = AgentState()
    let option: JSON = ["id": "effort", "name": "Effort", "type": "select", "currentValue": "low", "options": []]
    #expect(fold.take(["sessionUpdate": "config_option_update", "configOptions": [option]], &state) == [])
    #expect(state.options == [AgentOption(id: .config("effort"), name: "Effort", value: "low")])
    _ = fold.take(["sessionUpdate": "config_option_update", "configOptions": .null], &state)
    #expect(state.options.count == 1)
    _ = fold.take(["sessionUpdate": "config_option_update", "configOptions": []], &state)
    #expect(state.options.isEmpty)
  }

  @Test func `a notice is said`() {
    var fold = ACPFold()
    let notice: JSON = ["sessionUpdate": "notice", "severity": "warning", "title": "Slow", "description": "again"]
    #expect(fold.events(notice) == [.notice(.said("Slow: again"))])
  }
}

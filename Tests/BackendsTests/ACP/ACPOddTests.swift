import Testing
import Wire

@testable import Backends
@testable import Chat

/// What agents send may be odd anywhere: nothing of it stops the program.
struct ACPOddTests {
  private static let odd: [JSON] = [
    .null, true, -1, 1e300, "", "\u{0}\u{1B}[2J", [], [:], [[:], .null, ["type": "diff"]], ["type": 3, "text": .null],
  ]

  private static let samples: [JSON] = [
    ["sessionUpdate": "agent_message_chunk", "messageId": "m", "content": ["type": "text", "text": "a"]],
    ["sessionUpdate": "agent_message_chunk", "content": ["type": "resource", "resource": ["uri": "u", "text": "t"]]],
    ["sessionUpdate": "agent_thought_chunk", "content": ["type": "text", "text": "a"]],
    [
      "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "kind": "edit", "status": "pending",
      "content": [
        ["type": "content", "content": ["type": "text", "text": "a"]], ["type": "terminal", "terminalId": "t"],
        ["type": "diff", "path": "/w/a", "oldText": "a", "newText": "b"],
      ], "locations": [["path": "/w/a", "line": 1]], "rawInput": [:], "rawOutput": "x",
    ],
    ["sessionUpdate": "plan", "entries": [["content": "a", "priority": "high", "status": "pending"]]],
    ["sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": ["amount": 0.1, "currency": "USD"]],
    ["sessionUpdate": "available_commands_update", "availableCommands": [["name": "a", "input": ["hint": "b"]]]],
    ["sessionUpdate": "current_mode_update", "currentModeId": "a"],
    ["sessionUpdate": "session_info_update", "title": "t"],
    [
      "sessionUpdate": "config_option_update",
      "configOptions": [
        ["id": "a", "type": "select", "currentValue": "b", "options": [["group": "g", "options": [["value": "b"]]]]],
        ["id": "b", "type": "boolean", "currentValue": true],
      ],
    ],
    [
      "modes": ["currentModeId": "a", "availableModes": [["id": "a", "name": "A"]]],
      "models": ["currentModelId": "a", "availableModels": [["modelId": "a", "name": "A"]]],
    ],
    ["stopReason": "end_turn", "usage": ["inputTokens": 1, "outputTokens": 2]],
    [
      "protocolVersion": 1, "agentInfo": ["name": "a"],
      "agentCapabilities": ["loadSession": true, "sessionCapabilities": ["list": [:]], "auth": ["logout": [:]]],
      "authMethods": [["id": "a", "type": "terminal", "args": ["x"], "env": ["A": "b"]]],
    ],
    [
      "sessionId": "s", "toolCall": ["toolCallId": "c", "title": "t"],
      "options": [["optionId": "a", "name": "A", "kind": "allow_once"]],
    ],
  ]

  /// The same with one value at a time odd, or gone.
  private static func variants(_ json: JSON) -> [JSON] {
    switch json {
    case .object(let members):
      odd
        + members.flatMap { member -> [JSON] in
          var without = json
          without[member.key] = nil
          return [without]
            + variants(member.value).map { value in
              var changed = json
              changed[member.key] = value
              return changed
            }
        }
    case .array(let elements):
      odd
        + elements.indices.flatMap { index in
          variants(elements[index]).map { value in
            var changed = elements
            changed[index] = value
            return .array(changed)
          }
        }
    default: odd
    }
  }

  @Test(arguments: samples) func `no value that is odd or missing stops the program`(_ sample: JSON) {
    var fold = ACPFold()
    var state = AgentState()
    for json in ACPOddTests.variants(sample) {
      _ = fold.take(json, &state)
      _ = fold.take(sample, &state)
      let asked = ACPPermission(json, fold)
      #expect(asked.options.allSatisfy { !$0.id.isEmpty })
      #expect([AgentOption](settings: json).allSatisfy { $0.isFlag == ($0.value == "true" || $0.value == "false") })
      #expect(ACPFacts(json).signIns.allSatisfy { !$0.id.isEmpty })
      let stop = ACPStop(json)
      #expect(stop.isCancelled || stop.events.contains { if case .finished = $0 { true } else { false } })
      #expect(!RPCFailure(code: -32603, message: "", data: json).words.isEmpty)
    }
    #expect(
      fold.endTurn(wasStopped: true, isBroken: true).allSatisfy { if case .activity = $0 { true } else { false } })
  }
}

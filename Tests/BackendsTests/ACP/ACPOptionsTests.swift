import Testing
import Wire

@testable import Backends
@testable import Chat

struct ACPOptionsTests {
  private let modes: JSON = [
    "currentModeId": "ask", "availableModes": [["id": "ask", "name": "Ask", "description": "asks"]],
  ]
  private let models: JSON = [
    "currentModelId": "m1", "availableModels": [["modelId": "m1", "name": "One"], ["modelId": "m2"]],
  ]
  private let effort: JSON = [
    "id": "effort", "name": "Effort", "category": "thinking", "type": "select", "currentValue": "low",
    "options": [["value": "low", "name": "Low"], ["value": "high", "name": "High", "description": "slow"]],
  ]
  private let model: JSON = [
    "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "", "options": [],
  ]

  @Test func `a select has its choices in order, those of groups too`() {
    let grouped: JSON = [
      "id": "m", "name": "M", "type": "select", "currentValue": "b",
      "options": [
        ["group": "g", "name": "G", "options": [["value": "a", "name": "A"], ["value": "b"]]],
        ["value": "c", "name": "C"],
      ],
    ]
    let options = [AgentOption](settings: ["configOptions": [effort, grouped]])
    #expect(
      options == [
        AgentOption(
          id: .config("effort"), name: "Effort", category: "thinking", value: "low",
          choices: [.init(value: "low", name: "Low"), .init(value: "high", name: "High", summary: "slow")]),
        AgentOption(
          id: .config("m"), name: "M", value: "b",
          choices: [.init(value: "a", name: "A"), .init(value: "b", name: "b"), .init(value: "c", name: "C")]),
      ])
  }

  @Test func `a setting that is on or off`() {
    let options = [AgentOption](settings: [
      "configOptions": [
        ["id": "web", "name": "Web", "type": "boolean", "currentValue": true],
        ["id": "git", "type": "boolean", "currentValue": .null],
      ]
    ])
    let choices = ["true", "false"].map { AgentOption.Choice(value: $0, name: $0) }
    #expect(
      options == [
        AgentOption(id: .config("web"), name: "Web", value: "true", choices: choices, isFlag: true),
        AgentOption(id: .config("git"), name: "git", value: "false", choices: choices, isFlag: true),
      ])
  }

  @Test func `a select without choices is one, and an unknown type is passed over`() {
    let options = [AgentOption](settings: [
      "configOptions": [model, ["id": "x", "type": "slider", "currentValue": 3], ["name": "no id"], .null, 4]
    ])
    #expect(options == [AgentOption(id: .config("model"), name: "Model", category: "model", value: "")])
  }

  @Test func `beside other settings modes count nothing, and models where no other setting is the model`() {
    let both: JSON = ["configOptions": [effort], "modes": modes, "models": models]
    #expect([AgentOption](settings: both).map(\.id) == [.config("effort"), .model])
    let withModel: JSON = ["configOptions": [model, effort], "modes": modes, "models": models]
    #expect([AgentOption](settings: withModel).map(\.id) == [.config("model"), .config("effort")])
  }

  @Test(arguments: [nil, .null, []] as [JSON?]) func `without other settings modes and models count`(_ config: JSON?) {
    var result: JSON = ["modes": modes, "models": models]
    result["configOptions"] = config
    #expect(
      [AgentOption](settings: result) == [
        AgentOption(
          id: .mode, name: "mode", category: "mode", value: "ask",
          choices: [.init(value: "ask", name: "Ask", summary: "asks")]),
        AgentOption(
          id: .model, name: "model", category: "model", value: "m1",
          choices: [.init(value: "m1", name: "One"), .init(value: "m2", name: "m2")]),
      ])
  }

  @Test(arguments: [.null, [:], "x", ["modes": .null, "models": [:]], ["modes": [], "configOptions": "x"]] as [JSON])
  func `an answer without settings has none`(_ result: JSON) {
    #expect([AgentOption](settings: result).isEmpty)
  }

  @Test func `an answer with all settings keeps the models that came in the older way`() {
    var options = [AgentOption](settings: ["configOptions": [effort], "models": models])
    var changed = effort
    changed["currentValue"] = "high"
    #expect(options.take(settings: ["configOptions": [changed]]) == true)
    #expect(options.map(\.id) == [.config("effort"), .model])
    #expect(options[0].value == "high")
    options.take(settings: ["configOptions": [model]])
    #expect(options.map(\.id) == [.config("model")])
    #expect(options.take(settings: [:]) == false)
    #expect(options.take(settings: .null) == false)
    #expect(options.count == 1)
  }

  @Test func `a mode changes the setting that is the mode`() {
    let mode: JSON = [
      "id": "m", "category": "mode", "type": "select", "currentValue": "a",
      "options": [["value": "a"], ["value": "b"]],
    ]
    var options = [AgentOption](settings: ["configOptions": [effort, mode]])
    options.take(mode: "b")
    #expect(options[1].value == "b")
    options.take(mode: "elsewhere")
    #expect(options[1].value == "b")
  }

  @Test func `each is changed in its own way`() {
    let mode = AgentOption.ID.mode.request(session: "s", value: "code")
    #expect(mode.method == "session/set_mode")
    #expect(mode.params == ["sessionId": "s", "modeId": "code"])
    let model = AgentOption.ID.model.request(session: "s", value: "m2")
    #expect(model.method == "session/set_model")
    #expect(model.params == ["sessionId": "s", "modelId": "m2"])
    let effort = AgentOption.ID.config("effort").request(session: "s", value: "true")
    #expect(effort.method == "session/set_config_option")
    #expect(effort.params == ["sessionId": "s", "configId": "effort", "value": "true"])
    let flag = AgentOption.ID.config("web").request(session: "s", value: "false", isFlag: true)
    #expect(flag.params == ["sessionId": "s", "configId": "web", "type": "boolean", "value": false])
  }
}

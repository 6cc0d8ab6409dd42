import Chat
import Wire

/// The settings that an agent has for a session: its modes, its models and others (docs/acp.md 7).
extension [AgentOption] {
  /// Those in an answer to `session/new`, `session/load`, `session/resume` or `session/fork`.
  init(settings result: JSON) {
    self.init(config: result)
    let mode = isEmpty ? AgentOption(modes: result["modes"] ?? .null) : nil
    let model = hasModel ? nil : AgentOption(models: result["models"] ?? .null)
    append(contentsOf: [mode, model].compactMap { $0 })
  }

  /// Takes `config_option_update`, or an answer to `session/set_config_option`: it names all of the kind. Returns
  /// whether there was a list in it.
  @discardableResult mutating func take(settings json: JSON) -> Bool {
    guard json["configOptions"]?.array != nil else { return false }
    let new = Self(config: json)
    self =
      new
      + filter {
        switch $0.id {
        case .config: false
        case .mode: new.isEmpty
        case .model: !new.hasModel
        }
      }
    return true
  }

  /// Takes a mode that the agent has gone into, where one of the options is its mode.
  mutating func take(mode: String) {
    let place =
      firstIndex { $0.id == .mode }
      ?? firstIndex { $0.category == "mode" && $0.choices.contains { $0.value == mode } }
    if let place { self[place].value = mode }
  }

  private init(config json: JSON) {
    self = (json["configOptions"]?.array ?? []).compactMap { AgentOption(config: $0) }
  }

  private var hasModel: Bool { contains { $0.category == "model" } }
}

extension AgentOption.ID {
  /// The request that changes it. An answer for a `config` names all options; for the others it says nothing.
  /// - Parameter isFlag: of an option that is on or off; `value` is `true` or `false` then.
  func request(session: String, value: String, isFlag: Bool = false) -> (method: String, params: JSON) {
    switch self {
    case .mode: return ("session/set_mode", ["sessionId": .string(session), "modeId": .string(value)])
    case .model: return ("session/set_model", ["sessionId": .string(session), "modelId": .string(value)])
    case .config(let id):
      var params: JSON = ["sessionId": .string(session), "configId": .string(id)]
      if isFlag { params["type"] = "boolean" }
      params["value"] = isFlag ? .bool(value == "true") : .string(value)
      return ("session/set_config_option", params)
    }
  }
}

extension AgentOption {
  /// nil without an id, and for a type that this program does not know.
  fileprivate init?(config json: JSON) {
    guard let id = json.text("id") else { return nil }
    let current = json["currentValue"]
    self.init(
      id: .config(id), name: json.text("name") ?? id, summary: json.text("description"),
      category: json.text("category"), value: json.idText("currentValue") ?? "")
    switch json.text("type") ?? (current?.bool == nil ? "select" : "boolean") {
    case "select": choices = (json["options"]?.array ?? []).flatMap { Choice.all(in: $0) }
    case "boolean":
      isFlag = true
      value = current?.bool == true || current == "true" ? "true" : "false"
      choices = ["true", "false"].map { Choice(value: $0, name: $0) }
    default: return nil
    }
  }

  fileprivate init?(modes: JSON) {
    let choices = (modes["availableModes"]?.array ?? []).compactMap { Choice($0, value: "id") }
    guard let current = modes.text("currentModeId") ?? choices.first?.value else { return nil }
    self.init(id: .mode, name: "mode", category: "mode", value: current, choices: choices)
  }

  fileprivate init?(models: JSON) {
    let choices = (models["availableModels"]?.array ?? []).compactMap { Choice($0, value: "modelId") }
    guard let current = models.text("currentModelId") ?? choices.first?.value else { return nil }
    self.init(id: .model, name: "model", category: "model", value: current, choices: choices)
  }
}

extension AgentOption.Choice {
  /// A choice, or those of a group.
  fileprivate static func all(in json: JSON) -> [Self] {
    if let group = json["options"]?.array { return group.compactMap { Self($0, value: "value") } }
    return Self(json, value: "value").map { [$0] } ?? []
  }

  fileprivate init?(_ json: JSON, value key: String) {
    guard let value = json.idText(key) else { return nil }
    self.init(value: value, name: json.text("name") ?? value, summary: json.text("description"))
  }
}

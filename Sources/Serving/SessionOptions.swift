import Chat
import Text
import Wire

/// What can be chosen for a session, in the protocol's words: `configOptions` (docs/acp.md 7 and 11).
enum SessionOptions {
  /// Those that there is something to choose of.
  static func json(_ options: [AgentOption]) -> JSON { .array(options.compactMap(json)) }

  private static func json(_ option: AgentOption) -> JSON? {
    guard case .config(let id) = option.id, !option.value.isEmpty, !option.choices.isEmpty else { return nil }
    var json: JSON = [
      "id": .string(id), "name": .string(option.name), "type": "select", "currentValue": .string(option.value),
      "options": .array(
        option.choices.map { ["value": .string($0.value), "name": .string(Filter.inline($0.name).string)] }),
    ]
    if let category = option.category { json["category"] = .string(category) }
    return json
  }
}

import Shell
import Wire

/// What can be chosen for a session: `configOptions` (docs/acp.md 7 and 11).
enum SessionOptions {
  static let model = "model"
  static let server = "server"
  static let tools = "tools"

  /// Those that there is something to choose of.
  static func list(_ shell: Shell) -> JSON {
    .array(
      [
        option(model, "Model", category: "model", shell.models),
        option(server, "Server", category: nil, shell.servers),
        option(tools, "Tools", category: "mode", shell.approval, name: approval),
      ].compactMap(\.self))
  }

  private static func option(
    _ id: String, _ title: String, category: String?, _ offer: Shell.Offer, name: (String) -> String = { $0 }
  ) -> JSON? {
    guard let value = offer.value, !offer.choices.isEmpty else { return nil }
    var json: JSON = [
      "id": .string(id), "name": .string(title), "type": "select", "currentValue": .string(value),
      "options": .array(offer.choices.map { ["value": .string($0), "name": .string(name($0))] }),
    ]
    if let category { json["category"] = .string(category) }
    return json
  }

  private static func approval(_ word: String) -> String {
    switch word {
    case "ask": "Ask before each call"
    case "session": "Ask once for each tool"
    case "always": "Run every tool unasked"
    case "never": "Run no tool"
    default: word
    }
  }

  /// Chooses; what cannot be chosen throws.
  static func choose(_ value: String, of id: String, _ shell: inout Shell) async throws(ShellError) {
    switch id {
    case model: try await shell.choose(model: value)
    case server: try await shell.choose(server: value)
    default: try shell.choose(approval: value)
    }
  }

  /// A list with another choice.
  static func choosing(_ value: String, of id: String, _ list: JSON) -> JSON {
    .array(
      (list.array ?? []).map { option in
        var option = option
        if option["id"]?.string == id { option["currentValue"] = .string(value) }
        return option
      })
  }

  /// Whether a list has that choice.
  static func has(_ value: String, of id: String, _ list: JSON) -> Bool {
    let option = list.array?.first { $0["id"]?.string == id }
    return option?["options"]?.array?.contains { $0["value"]?.string == value } ?? false
  }
}

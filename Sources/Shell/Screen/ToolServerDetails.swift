import Chat
import Text
import Wire

/// A server of tools, as it says it is.
struct ToolServerDetails {
  var server: ToolServer
  var facts: ToolServerFacts
  var tools: [Tool]

  var json: JSON {
    [
      "name": .string(server.name), "id": .string(server.id), "address": .string(server.place),
      "platform": server.platform.map(JSON.string) ?? .null, "title": facts.title.map(JSON.string) ?? .null,
      "program": .string(facts.name), "version": facts.version.map(JSON.string) ?? .null,
      "protocolVersion": facts.protocolVersion.isEmpty ? .null : .string(facts.protocolVersion),
      "transport": facts.transport.isEmpty ? .null : .string(facts.transport),
      "instructions": facts.instructions.map(JSON.string) ?? .null, "tools": .array(tools.map { .string($0.name) }),
      "hasPrompts": .bool(facts.offersPrompts), "hasResources": .bool(facts.offersResources),
    ]
  }

  private var owner: String { server.platform ?? (server.address == .terminals ? "parley" : "you") }

  private var wire: SafeText {
    facts.protocolVersion.isEmpty ? "" : "MCP \(facts.protocolVersion), \(facts.transport)"
  }

  func text(columns: Int?) -> StyledText {
    let program = [facts.title ?? facts.name, facts.version].compactMap { $0 }.joined(separator: " ")
    let others = [facts.offersPrompts ? "prompts" : nil, facts.offersResources ? "resources" : nil]
    let names = tools.map(\.name).joined(separator: ", ")
    var text: StyledText = .text("\(server.name)\n", .strong)
    text += DetailLines.text(
      [
        ("address", Filter.command(server.place)), ("of", "\(owner)"), ("it is", "\(program)"), ("speaks", wire),
        ("tools", tools.isEmpty ? "none" : "\(names)"), ("has", "\(others.compactMap { $0 }.joined(separator: ", "))"),
      ], columns: columns)
    if let instructions = facts.instructions, !instructions.isEmpty {
      text += .text("\n" + DetailLines.block(instructions, columns: columns))
    }
    return text
  }
}

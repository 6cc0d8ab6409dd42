import Chat
import Text
import Wire

/// The MCP servers that a server runs for its own model, and their tools.
enum RemoteToolPage {
  /// A row for each tool, and one for a server of which none are known.
  /// - Parameter choice: what the person chose; nil where there is nothing to choose, or nothing was chosen.
  static func listing(_ servers: [RemoteToolServer], _ choice: RemoteToolChoice?) -> Listing {
    Listing(
      columns: [
        Listing.Column("") { row in
          guard let isEnabled = row["enabled"]?.bool else { return "" }
          return isEnabled ? "[x]" : "[ ]"
        },
        Listing.Column("SERVER", "server"), Listing.Column("STATE", "state"),
        Listing.Column("TOOL") { row in
          if let tool = row["tool"]?.string { return "\(tool)" + (row["dangerous"] == true ? " (dangerous)" : "") }
          return row["toolCount"]?.int.map { $0 == 1 ? "1 tool" : "\($0) tools" } ?? ""
        },
        Listing.Column("ABOUT") { row in "\(row["about"]?.string ?? row["title"]?.string ?? "")" },
      ],
      rows: servers.flatMap { server in
        server.tools.isEmpty ? [row(server, nil, choice)] : server.tools.map { row(server, $0, choice) }
      }, whenEmpty: "it runs no MCP servers", wrapsLast: true)
  }

  private static func row(_ server: RemoteToolServer, _ tool: RemoteTool?, _ choice: RemoteToolChoice?) -> JSON {
    let isChosen = choice.map { choice in
      choice.servers.contains(server.id) && (tool.map { choice.tools.contains($0.name) } ?? true)
    }
    func text(_ text: String?) -> JSON { text.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null }
    return [
      "server": .string(server.id), "name": .string(server.name), "state": text(server.state),
      "scope": text(server.scope), "version": text(server.version), "tool": text(tool?.name),
      "title": text(tool?.title), "about": text(tool?.about ?? server.about),
      "dangerous": tool.map { .bool($0.isDangerous) } ?? .null,
      "enabled": (isChosen ?? server.isEnabled).map(JSON.bool) ?? .null,
      "toolCount": server.toolCount.map(JSON.int) ?? .null, "parameters": tool?.parameters ?? .null,
    ]
  }

  /// What a choice is besides the marks of the list.
  /// - Parameter choices: what can be chosen there.
  static func summary(_ choice: RemoteToolChoice, _ choices: RemoteToolChoices) -> SafeText {
    guard choices.contains(.tools) else {
      return choice.servers.isEmpty
        ? "none of its MCP servers may be used" : "may be used: \(choice.servers.joined(separator: ", "))"
    }
    let order: SafeText =
      choice.priority.isEmpty ? "" : "; preferred: \(choice.priority.joined(separator: ", "))"
    return "\(choice.tools.count) of its tools may be used" + order + "; audit log \(choice.isAudited ? "on" : "off")"
  }
}

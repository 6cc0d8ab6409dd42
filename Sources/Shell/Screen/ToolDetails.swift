import Chat
import Text
import Wire

/// One tool, whole.
struct ToolDetails {
  var tool: Tool
  var server: ToolServer
  var isChosen: Bool
  /// Whether a call of it is asked about.
  var permission: String

  var json: JSON {
    [
      "name": .string(tool.name), "server": .string(server.name), "id": .string(server.id),
      "title": tool.title.map(JSON.string) ?? .null, "description": .string(tool.summary),
      "selected": .bool(isChosen), "parameters": tool.parameters, "claims": .array(tool.hints.claims.map(JSON.string)),
      "permission": .string(permission),
    ]
  }

  /// - Parameter columns: nil does not break lines.
  func text(columns: Int?) -> StyledText {
    var text: StyledText = .text("\(tool.name)\n", .strong)
    if let title = tool.title, title != tool.name { text += .text("\(title)\n") }
    let rows: [(SafeText, SafeText)] = [
      ("server", "\(server.name)"), ("chosen", isChosen ? "yes" : "no"), ("calls", "\(permission)"),
      ("claims", tool.hints.shownClaims ?? ""),
    ]
    text += DetailLines.text(rows, columns: columns)
    if !tool.summary.isEmpty { text += .text("\n" + DetailLines.block(tool.summary, columns: columns)) }
    let parameters = ToolParameter.all(of: tool.parameters)
    guard !parameters.isEmpty else { return text + .text("\nIt takes no arguments.\n", .dim) }
    return text + .text("\n") + parameters.flatMap { lines(of: $0, columns: columns) }
  }

  /// Its name, what it must be, and below what it is for.
  private func lines(of parameter: ToolParameter, columns: Int?) -> StyledText {
    var text: StyledText =
      .text("\(parameter.name)", .accent)
      + .text("  \(parameter.type)\(parameter.isRequired ? ", required" : "")\n", .dim)
    guard !parameter.summary.isEmpty else { return text }
    var wrapper = Wrapper(columns: columns ?? 4000, indent: 4, column: 4)
    let words = wrapper.feed("\(parameter.summary)")
    text += .text(.spaces(4) + words + wrapper.finish() + "\n")
    return text
  }
}

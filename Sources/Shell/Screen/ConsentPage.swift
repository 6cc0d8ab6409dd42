import Chat
import Text
import Wire

/// What a person is told before a tool runs: all of it, and nothing that could pass for something else
/// (docs/rules.md A4, A8).
enum ConsentPage {
  /// - Parameters:
  ///   - hasChanged: whether the tool was allowed for good when it described itself differently.
  ///   - subject: what the call would act on.
  static func text(
    _ call: ToolCall, _ offered: OfferedTool, hasChanged: Bool, subject: [String] = [], columns: Int?
  ) -> StyledText {
    let width = max(20, columns ?? 80)
    var lines: [SafeText] = ["The model asks to run a tool."]
    if hasChanged {
      lines.append("It describes itself differently since you allowed it: it is another tool.")
    }
    var page: StyledText = .text(lines.flatMap { wrapped($0, width) }.joined(separator: "\n") + "\n", .warning)
    page += row("tool", title(offered), width)
    page += row("server", place(offered), width)
    if hasChanged {
      page += row("about", VisibleText.oneLine(offered.tool.summary).cut(to: 4 * (width - 10)), width)
    }
    if let claims = offered.tool.hints.shownClaims { page += row("claims", claims, width) }
    if !subject.isEmpty { page += row("acts on", subject.map(VisibleText.oneLine).joined(separator: ", "), width) }
    return page + arguments(call, width)
  }

  /// - Parameter canView: whether there is more than the screen shows.
  static func prompt(_ offered: OfferedTool, canView: Bool = false) -> StyledText {
    let view: SafeText = canView ? "[v]iew, " : ""
    let keeping: SafeText = offered.identity.isShellLine ? "" : "[s]ession, [a]lways, "
    return .text("allow \(name(offered))? [y]es once, " + keeping + view + "[N]o ", .warning)
  }

  /// Behind what is no answer. A shell line is not allowed for longer than once.
  static func reminder(_ offered: OfferedTool) -> SafeText {
    offered.identity.isShellLine
      ? "y or n, for each command anew; n and a few words tell the model why"
      : "y, s, a or n; n and a few words tell the model why"
  }

  /// The name that the model uses, and its own where that is another.
  static func name(_ offered: OfferedTool) -> SafeText { Filter.command(offered.tool.name).cut(to: 64) }

  static func title(_ offered: OfferedTool) -> SafeText {
    var text = VisibleText.oneLine(offered.tool.name)
    if offered.ownName != offered.tool.name { text += " (there: " + VisibleText.oneLine(offered.ownName) + ")" }
    if let title = offered.tool.title { text += ", \"" + VisibleText.oneLine(title) + "\"" }
    return text
  }

  static func place(_ offered: OfferedTool) -> SafeText {
    VisibleText.oneLine(offered.server.name) + ", " + VisibleText.oneLine(offered.server.place)
  }

  private static func arguments(_ call: ToolCall, _ width: Int) -> StyledText {
    guard case .object(let object) = call.arguments, let members = object.object, !members.isEmpty else {
      return row("with", "nothing", width)
    }
    var page: StyledText = .text("  with\n", .dim)
    for member in members { page += argument(member, width) }
    return page
  }

  /// A value on its line; a text of several lines, or one that is too long for one, below its name behind a bar.
  private static func argument(_ member: JSON.Member, _ width: Int) -> StyledText {
    let key = VisibleText.oneLine(member.key)
    let plain = VisibleText.oneLine(member.value.serialized())
    let isOfLines = member.value.string?.contains(where: \.isNewline) == true
    if !isOfLines, key.cells + plain.cells + 6 <= width {
      return .text("    " + key + ": ", .strong) + .text(plain + "\n")
    }
    var page: StyledText = []
    for (index, line) in VisibleText.hardWrapped(key + ":", width - 4).enumerated() {
      page += .text((index == 0 ? "    " : "    | ") + line + "\n", .strong)
    }
    let lines = member.value.string.map(VisibleText.lines) ?? VisibleText.lines(member.value.serialized(pretty: true))
    for line in lines {
      for part in VisibleText.hardWrapped(line, width - 6) { page += .text("    | ", .dim) + .text(part + "\n") }
    }
    return page
  }

  private static func row(_ label: SafeText, _ value: SafeText, _ width: Int) -> StyledText {
    let parts = VisibleText.hardWrapped(value, width - 10)
    return parts.enumerated().flatMap { index, part -> StyledText in
      .text("  " + (index == 0 ? label : "").padded(to: 8), .dim) + .text(part + "\n")
    }
  }

  private static func wrapped(_ text: SafeText, _ columns: Int) -> [SafeText] {
    var wrapper = Wrapper(columns: columns)
    return (wrapper.feed(text) + wrapper.finish()).lines
  }
}

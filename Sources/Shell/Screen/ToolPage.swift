import Chat
import Store
import Text
import Wire

/// How tools look: lists, and all that is known of one.
enum ToolPage {
  static let adding: SafeText = "/tools add NAME URL adds a tool server"
  static let none: SafeText = "no tools yet: " + adding
  static let noOthers: SafeText = "no tools but those for terminals: " + adding
  static let terminalsByName: SafeText = "terminals are chosen by name alone: /tools on terminals"

  /// - Parameter isForPerson: leaves out the column of troubles when there are none; scripts count on it.
  static func listing(_ shelves: [ToolShelf], _ choice: ToolChoice, isForPerson: Bool) -> Listing {
    let names = ToolNames(shelves: shelves)
    let isWell = isForPerson && shelves.allSatisfy { state($0) == nil && !$0.tools.isEmpty }
    let trouble = isWell ? [] : [Listing.Column("STATE", "state")]
    return Listing(
      columns: [
        Listing.Column("ON") { $0["selected"] == true ? "[x]" : "[ ]" }, Listing.Column("TOOL", "name"),
        Listing.Column("SERVER", "server"),
        Listing.Column("ABOUT") { "\(($0["description"]?.string ?? "").firstLine)" },
      ] + trouble,
      rows: shelves.flatMap { shelf -> [JSON] in
        guard !shelf.tools.isEmpty else { return [emptyRow(shelf, choice)] }
        return shelf.tools.map { row($0, names.plainName($0, of: shelf.server), shelf, choice) }
      }, whenEmpty: none)
  }

  /// For a screen too narrow for columns: what it does stands below each, and no name is cut that is to be typed.
  /// - Returns: nil where columns fit.
  static func narrow(_ shelves: [ToolShelf], _ choice: ToolChoice, columns: Int?) -> StyledText? {
    let listing = listing(shelves, choice, isForPerson: true)
    guard let columns, !listing.rows.isEmpty else { return nil }
    let cells = listing.rows.map { row in listing.columns.map { $0.cell(row) } }
    let others = listing.columns.indices.filter { $0 != about }.map { column in
      max(listing.columns[column].title.cells, cells.map { $0[column].cells }.max() ?? 0) + 2
    }
    guard others.reduce(0, +) + readable > columns else { return nil }
    return cells.flatMap { row -> StyledText in
      var text: StyledText = .text(row[0] + " ") + .text(row[1].isEmpty ? row[2] : row[1], .strong)
      if !row[1].isEmpty { text += .text("  " + row[2], .dim) }
      text += .text("\n")
      for line in row[about...] where !line.isEmpty {
        text += .text("    " + line.cut(to: max(8, columns - 4)) + "\n")
      }
      return text
    }
  }

  /// The column that says what a tool does, and how many cells it needs to say something.
  private static let about = 3
  private static let readable = 16

  private static func row(_ tool: Tool, _ name: String, _ shelf: ToolShelf, _ choice: ToolChoice) -> JSON {
    [
      "name": .string(name), "server": .string(shelf.server.name), "id": .string(shelf.server.id),
      "tool": .string(tool.name), "selected": .bool(choice.has(tool.name, of: shelf.server.id)),
      "title": tool.title.map(JSON.string) ?? .null, "description": .string(tool.summary),
      "readOnly": tool.hints.isReadOnly.map(JSON.bool) ?? .null,
      "destructive": tool.hints.isDestructive.map(JSON.bool) ?? .null,
      "platform": shelf.server.platform.map(JSON.string) ?? .null, "state": state(shelf).map(JSON.string) ?? .null,
    ]
  }

  /// A server whose tools are not known, or that has none.
  private static func emptyRow(_ shelf: ToolShelf, _ choice: ToolChoice) -> JSON {
    [
      "name": .null, "server": .string(shelf.server.name), "id": .string(shelf.server.id), "tool": .null,
      "selected": .bool(choice.servers.contains(shelf.server.id)), "title": .null, "description": .null,
      "readOnly": .null, "destructive": .null, "platform": shelf.server.platform.map(JSON.string) ?? .null,
      "state": .string(state(shelf) ?? "no tools"),
    ]
  }

  /// Why it cannot be used, in a word or two; nil when it can.
  private static func state(_ shelf: ToolShelf) -> String? {
    switch shelf.failure {
    case nil: nil
    case .signInNeeded, .server(.unauthorized): "sign-in needed"
    case .server(.untrusted): "not trusted"
    case .server(.unreachable), .server(.timedOut), .timedOut(.request, _): "unreachable"
    case .notStarted, .exited: "not running"
    default: "failed"
    }
  }

  /// How many are chosen, and for how long.
  static func summary(
    _ shelves: [ToolShelf], _ choice: ToolChoice, isRemembered: Bool, isOfLine: Bool
  ) -> SafeText {
    let all = shelves.reduce(0) { $0 + $1.tools.count }
    let chosen = shelves.reduce(0) { sum, shelf in
      sum + shelf.tools.filter { choice.has($0.name, of: shelf.server.id) }.count
    }
    let until: SafeText =
      isOfLine
      ? "for this run" : isRemembered ? "remembered" : "for this session (/tools remember on keeps them)"
    return "\(chosen) of \(all) chosen, " + until
  }

  /// What was just chosen, or no longer.
  static func choice(
    _ items: [ToolChoice.Item], _ names: ToolNames, isOn: Bool, isRemembered: Bool
  ) -> SafeText {
    let labels = items.map { item -> String in
      let shelf = names.shelves.first { $0.server.id == item.server }
      let server = shelf?.server.name ?? item.server
      if let name = item.tool {
        guard let shelf, let tool = shelf.tools.first(where: { $0.name == name }) else { return "\(server)/\(name)" }
        return names.plainName(tool, of: shelf.server)
      }
      guard let count = shelf?.tools.count, count > 0 else { return server }
      return "\(server) (\(count == 1 ? "1 tool" : "\(count) tools"))"
    }
    return
      "\(isOn ? "chosen" : "no longer chosen"): \(labels.joined(separator: ", "))\(isRemembered ? ", remembered" : "")"
  }
}

extension ToolPage {
  /// A program that is about to be kept and started, word for word (docs/rules.md A4).
  static func program(_ command: [String], _ passing: [String]) -> StyledText {
    var text: StyledText = .text("program  ", .dim) + .text(Filter.command(command.first ?? "") + "\n", .strong)
    for argument in command.dropFirst() { text += .text("         ") + .text(Filter.command(argument) + "\n") }
    if !passing.isEmpty {
      text += .text("is given ", .dim) + .text("\(passing.joined(separator: ", "))\n")
    }
    return text + .text("It runs with your rights.\n", .warning)
  }
}

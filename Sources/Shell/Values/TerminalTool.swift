import Chat
import Wire

/// What a model may do with the person's terminals, as it is told of it (docs/terminals.md 11).
enum TerminalTool: String, CaseIterable {
  case list = "terminal_list"
  case show = "terminal_show"
  case run = "terminal_run"

  static let all = allCases.map(\.tool)

  /// Lines that are shown where none are asked for, and the most.
  static let (usualLines, mostLines) = (200, 10_000)

  var tool: Tool { Tool(name: rawValue, summary: summary, parameters: parameters, hints: hints) }

  private var summary: String {
    switch self {
    case .list:
      """
      List the terminals of the user.
      They are shells on this machine and on servers. Gives the id of each, which the other tools take, and where they \
      are known the program in its foreground, its folder, and the seconds since it last said something.
      """
    case .show:
      """
      Read the last lines of a terminal.
      They are what stands on its screen, and above.
      """
    case .run:
      """
      Run a shell command in a terminal.
      It is typed there and waited for; gives its exit status and output. The terminal must be at a shell's prompt, \
      and keeps its folder and variables from one command to the next. A command that waits for input, or is silent for \
      long, is left running. One command at a time in a terminal.
      """
    }
  }

  private var parameters: JSON {
    let terminal: JSON = ["type": "string", "description": "The id of a terminal, exactly as terminal_list gives it."]
    return switch self {
    case .list: ["type": "object", "properties": [:], "additionalProperties": false]
    case .show:
      [
        "type": "object",
        "properties": [
          "terminal": terminal,
          "lines": [
            "type": "integer", "description": "How many lines.", "minimum": 1,
            "maximum": .int(TerminalTool.mostLines), "default": .int(TerminalTool.usualLines),
          ],
        ], "required": ["terminal"], "additionalProperties": false,
      ]
    case .run:
      [
        "type": "object",
        "properties": [
          "terminal": terminal,
          "command": ["type": "string", "description": "The command, as it would be typed at the prompt."],
          "quiet": [
            "type": "number", "minimum": 0.1,
            "description":
              "Seconds without output after which it is left running. Without this, as the user has set it.",
          ],
        ], "required": ["terminal", "command"], "additionalProperties": false,
      ]
    }
  }

  private var hints: ToolHints {
    switch self {
    case .list, .show: ToolHints(isReadOnly: true)
    case .run: ToolHints(isReadOnly: false, isDestructive: true)
    }
  }
}

extension ToolServer {
  /// The program's own: who has what `TerminalTool` says.
  static let terminals = ToolServer(
    id: "terminals", name: "terminals", address: .terminals, tools: TerminalTool.all)
}

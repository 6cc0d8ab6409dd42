import Chat
import Store

/// What the rest of the shell reads from the settings.
extension Preferences {
  var editor: String? { word("editor") }
  var editing: String { word("editing") ?? "emacs" }
  var suggests: Bool { flag("suggestions") }
  var reasoning: String { word("reasoning") ?? "dim" }
  var timing: Bool { flag("timing") }
  /// Whether a message that names a missing file is returned to be edited (`missing-file`).
  var returnsMissingFiles: Bool { word("missing-file") == "edit" }

  var errorPolicy: ErrorPolicy { word("on-error").flatMap(ErrorPolicy.init) ?? .switch }
  var asksForTitles: Bool { word("titles") == "model" }

  var toolApproval: ToolApproval { word("tools.approval").flatMap(ToolApproval.init) ?? .ask }
  var toolFormat: ToolFormat { word("tools.format").flatMap(ToolFormat.init) ?? .auto }
  var toolRounds: Int { integer("tools.rounds") ?? 25 }
  /// In characters.
  var toolResultLimit: Int { integer("tools.result-limit") ?? 20_000 }
}

/// What happens when a model asks for a tool (`tools.approval`).
enum ToolApproval: String, Sendable, CaseIterable {
  case ask
  /// Asks once for each tool and session.
  case session
  case always
  case never
}

/// Which errors end a script (`on-error`).
enum ErrorPolicy: String, Sendable {
  /// A failed change of server, agent, model or session.
  case `switch`
  case `continue`
  case stop
}

extension SettingOrigin {
  var text: String {
    switch self {
    case .standard: "default"
    case .file: "preferences.json"
    case .environment(let name): name
    case .commandLine: "command line"
    case .run: "this run"
    }
  }
}

extension Setting {
  /// The words to choose from; empty for what is typed freely.
  var choices: [String] {
    switch kind {
    case .choice(let words), .choiceOrNamed(let words, _), .choiceOrCommand(let words): words
    case .flag: ["on", "off"]
    default: []
    }
  }

  /// A value for help.
  var exampleValue: String {
    if let example { return example }
    return switch kind {
    case .choice(let words), .choiceOrNamed(let words, _), .choiceOrCommand(let words): words.last ?? ""
    case .flag: "on"
    case .number(let range): range.contains(0.4) ? "0.4" : "\(range.lowerBound)"
    case .integer: "512"
    case .seconds: "60"
    case .text: "TEXT"
    case .list: "WORD"
    }
  }
}

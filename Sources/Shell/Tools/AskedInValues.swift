import Chat
import Text
import Wire

// What a question is about, as an observer shows it: no less than a page on a terminal says (docs/rules.md A4).

extension Activity {
  /// A call that a model asks for.
  /// - Parameter hasChanged: whether the tool was allowed for good when it described itself differently.
  init(_ call: ToolCall, of offered: OfferedTool, hasChanged: Bool) {
    self.init(id: call.id, title: ConsentPage.title(offered).string + ", of " + ConsentPage.place(offered).string)
    input = if case .object(let arguments) = call.arguments { arguments } else { nil }
    guard hasChanged else { return }
    let warning = "It describes itself differently since you allowed it: it is another tool. Now it says: "
    content = [.block(.text(warning + offered.tool.summary))]
  }

  /// What this program is to do for an agent.
  init(_ act: AgentAct) {
    self.init(id: "")
    switch act {
    case .read(let path, let why):
      (kind, title) = ("read", "Read \(path): \(PermissionPage.words(why).string)")
      places = [Place(path: path)]
    case .write(let change, let why):
      (kind, title) = ("edit", "Write \(change.path)" + (why.map { ": \(PermissionPage.words($0).string)" } ?? ""))
      content = [.diff(change)]
      places = [Place(path: change.path)]
    case .run(let command):
      (kind, title) = ("execute", "Run \(command.words.joined(separator: " "))")
      input = [
        "command": .array(command.words.map(JSON.string)), "shell": .bool(command.isShellLine),
        "folder": .string(command.folder),
        "environment": .array(command.variables.map { .string("\($0.name)=\($0.value)") }),
      ]
    }
  }
}

extension PermissionPage.Ways {
  /// The agent's own by their numbers, and ours by their letters. One whose nature the agent does not tell is not among
  /// them: nobody could show what it does.
  var answers: [PermissionOption] {
    var answers = options.enumerated().filter { $0.element.kind != nil }.map { index, option in
      PermissionOption(id: "\(index + 1)", name: option.name, kind: option.kind)
    }
    if options.isEmpty, mayAllow { answers.append(PermissionOption(id: "y", name: "Allow once", kind: .allowOnce)) }
    if mayKeep {
      answers.append(PermissionOption(id: "a", name: "Always allow exactly this", kind: .allowAlways))
    }
    let canRefuse = answers.contains { $0.kind == .rejectOnce || $0.kind == .rejectAlways }
    if !canRefuse { answers.append(PermissionOption(id: "n", name: "Reject", kind: .rejectOnce)) }
    return answers
  }
}

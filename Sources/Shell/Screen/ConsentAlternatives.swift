import Chat
import Text
import Wire

// Questions for leave as an observer shows them: no less is said than on a terminal, for the page itself is among it
// (docs/rules.md A4).

extension Alternatives {
  /// Whether a tool may run. - Parameter page: what a terminal shows of it.
  static func of(_ call: ToolCall, _ offered: OfferedTool, _ page: StyledText) -> Alternatives {
    let title: SafeText = "\(ConsentPage.title(offered)), of \(ConsentPage.place(offered))"
    var subject = Activity(id: call.id, title: title.string)
    subject.content = [.block(.text(Fence.around(page.string)))]
    if case .object(let arguments) = call.arguments { subject.input = arguments }
    let keeping =
      offered.identity.isShellLine
      ? [] : [Answer("s", "Allow until this session ends", .allowAlways), Answer("a", "Always allow", .allowAlways)]
    return Alternatives(
      about: subject,
      [Answer("y", "Allow once", .allowOnce)] + keeping + [Answer("n", "Reject", .rejectOnce)])
  }
}

extension PermissionPage.Ways {
  /// The agent's own by their numbers, and ours by their letters. One whose nature the agent does not tell is not among
  /// them: nobody could show what it does.
  func alternatives(for activity: Activity, _ page: PermissionPage) -> Alternatives {
    var answers = options.enumerated().compactMap { index, option in
      option.kind.map { Alternatives.Answer("\(index + 1)", VisibleText.oneLine(option.name).string, $0) }
    }
    if options.isEmpty, mayAllow { answers.append(.init("y", "Allow once", .allowOnce)) }
    if mayKeep { answers.append(.init("a", "Always allow exactly this", .allowAlways)) }
    if !answers.contains(where: { $0.kind == .rejectOnce || $0.kind == .rejectAlways }) {
      answers.append(.init("n", "Reject", .rejectOnce))
    }
    return Alternatives(about: activity.asked(by: page), answers)
  }
}

extension Activity {
  /// With what a page says of it in short before its changes and texts, which are here whole.
  fileprivate func asked(by page: PermissionPage) -> Activity {
    let rows = page.short.map { "\($0.label.padded(to: 8)) \($0.value)" as SafeText }
    let text = ([page.head.string.trimmed] + rows.map(\.string)).joined(separator: "\n")
    var asked = self
    asked.title = VisibleText.oneLine(title).string
    asked.content = [.block(.text(Fence.around(text)))] + content
    return asked
  }

  /// What this program is to do for an agent; all of it stands on its page.
  init(_ act: AgentAct) {
    self.init(id: "")
    switch act {
    case .read(let path, _): (kind, title, places) = ("read", "Read \(path)", [Place(path: path)])
    case .write(let change, _):
      (kind, title, places) = ("edit", "Write \(change.path)", [Place(path: change.path)])
      content = [.diff(change)]
    case .run(let command):
      (kind, title) = ("execute", "Run " + command.words.map(Words.quoted).joined(separator: " "))
    }
  }
}

import Chat
import Text
import Wire

/// What an agent does, in lines (docs/acp.md 4). Every word of it is the agent's, and shown as text of a command is:
/// nothing that it says can move the cursor or pass for a line of ours.
enum ActivityPage {
  /// `⚒ edit: Write notes.txt`.
  static func begun(_ activity: Activity, marks: ToolMarks, columns: Int?) -> SafeText {
    fitted(marks.call + " " + name(activity), columns)
  }

  /// `✓ Write notes.txt: 2 lines`, and its diffs below.
  /// - Parameter seen: changes that were on the screen a moment ago.
  static func ended(
    _ activity: Activity, besides seen: [FileChange] = [], marks: ToolMarks, columns: Int?
  ) -> StyledText {
    let (mark, style): (SafeText, Style) =
      switch activity.status {
      case .done: (marks.good, .good)
      case .unreported: (marks.call, .dim)
      case .failed, .stopped, .pending, .running: (marks.bad, .warning)
      }
    var head = mark + " " + name(activity)
    if activity.status == .stopped { head += ": stopped before it ended" }
    if activity.status == .unreported { head += ": no result reported" }
    let said = summary(activity)
    if !said.isEmpty { head += ": " + said }
    var page: StyledText = .text(fitted(head, columns) + "\n", style)
    for case .diff(let change) in activity.content
    where !seen.contains(where: { $0.path == change.path && $0.new == change.new }) {
      page += DiffPage.text(change, columns: columns)
    }
    return page
  }

  /// `search: Search for TODO`; its kind alone where it has no name.
  static func name(_ activity: Activity) -> SafeText {
    let title = VisibleText.oneLine(activity.title)
    let kind = VisibleText.oneLine(activity.kind)
    if title.isEmpty { return kind }
    return activity.kind == "other" ? title : kind + ": " + title
  }

  /// One line of what came of it.
  static func summary(_ activity: Activity) -> SafeText {
    for case .plan(let entries) in activity.content {
      return "\(entries.count { $0.status.isOver }) of \(entries.count) steps done"
    }
    let blocks = activity.content.compactMap { content -> ToolContent? in
      if case .block(let block) = content { block } else { nil }
    }
    if !blocks.isEmpty { return ToolWording.summary(ToolResult(content: blocks)) }
    if case .string(let text)? = activity.output { return ToolWording.summary(ToolResult(content: [.text(text)])) }
    // Of a call that is only reported, what it was given is all there is.
    if activity.kind == "tool", activity.output == nil, let input = activity.input, activity.status == .done {
      return Filter.inline(input.serialized(), width: 200)
    }
    if let output = activity.output, !output.isNull { return Filter.inline(output.serialized(), width: 200) }
    return ""
  }

  /// The steps of a plan, or those that are not as they were.
  static func plan(_ entries: [PlanEntry], before: [PlanEntry], marks: ToolMarks, columns: Int?) -> StyledText {
    var page: StyledText = []
    for (index, entry) in entries.enumerated() where !before.indices.contains(index) || before[index] != entry {
      let mark: SafeText =
        switch entry.status {
        case .done: marks.good
        case .running: "→"
        case .failed, .stopped: marks.bad
        case .pending, .unreported: "·"
        }
      let line = "  " + (marks == .words ? "\(entry.status.rawValue):" : mark) + " " + VisibleText.oneLine(entry.text)
      page += .text(fitted(line, columns) + "\n", .dim)
    }
    guard !page.isEmpty else { return [] }
    return before.isEmpty ? .text("plan\n", .dim) + page : page
  }

  static func fitted(_ text: SafeText, _ columns: Int?) -> SafeText { text.cut(to: (columns ?? 161) - 1) }
}

import Chat
import Text

/// What an agent does, on screen: a line when it begins, one when it ended, and what it changed.
struct ActivityOutput {
  private let marks: ToolMarks
  private let columns: Int?
  private var begun: Set<String> = []
  private var ended: Set<String> = []
  private var plan: [PlanEntry] = []
  /// Changes that a question has shown.
  private var seen: [FileChange] = []

  init(_ desk: Desk) {
    marks = desk.marks
    columns = desk.noticeColumns
  }

  /// What the person was asked about has been shown.
  mutating func note(_ question: AgentQuestion) {
    switch question.subject {
    case .permission(let activity, _): for case .diff(let change) in activity.content { seen.append(change) }
    case .act(.write(let change, _)): seen.append(change)
    case .act, .words: break
    }
  }

  /// What is new of it.
  mutating func lines(for activity: Activity) -> StyledText {
    for case .plan(let entries) in activity.content {
      defer { plan = entries }
      return ActivityPage.plan(entries, before: plan, marks: marks, columns: columns)
    }
    if activity.status.isOver {
      guard ended.insert(activity.id).inserted else { return [] }
      return ActivityPage.ended(activity, besides: seen, marks: marks, columns: columns)
    }
    guard begun.insert(activity.id).inserted else { return [] }
    return .text(ActivityPage.begun(activity, marks: marks, columns: columns) + "\n", .dim)
  }
}

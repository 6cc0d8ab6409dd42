import Store
import Text

/// Sessions to choose from, with a number before each.
enum SessionChoice {
  /// How many have room above the question. The first line, what is said of the others, and the question take one each.
  static func room(rows: Int) -> Int { min(15, max(1, rows - 3)) }

  static let question: StyledText = .text("which? (a number or words; Enter: 1) ", .warning)

  /// A line for each: what a narrow screen has no room for is left out, and titles are cut.
  static func text(_ sessions: [SessionSummary], now: Int, columns: Int) -> StyledText {
    func row(_ index: Int, _ session: SessionSummary, _ facts: [SafeText]) -> [SafeText] {
      ["\(index + 1)", age(of: session.updatedAt, at: now)] + facts + ["\(session.name)"]
    }
    let whole = Table(
      header: ["#", "AGE", "TURNS", "SERVER", "TITLE"],
      rows: sessions.enumerated().map { row($0, $1, ["\($1.turns)", "\($1.server ?? "")"]) })
    let short = Table(header: ["#", "AGE", "TITLE"], rows: sessions.enumerated().map { row($0, $1, []) })
    let table = whole.isCramped(columns: columns) ? short : whole
    return table.lines(columns: columns) { _, _ in .plain }.flatMap { $0 + .text("\n") }
  }
}

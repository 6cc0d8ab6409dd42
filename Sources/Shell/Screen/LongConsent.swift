import Chat
import Text
import Wire

/// A page before something is allowed that is longer than the screen: what it is about stands beside the question once
/// more, for its beginning is out of sight (docs/rules.md A4).
struct LongConsent {
  /// How much there is, who is asked, and each part on a line of its own, cut where it is longer.
  let recap: StyledText
  /// The page in pieces that fit on the screen, with the numbers of their lines.
  let pieces: [(text: StyledText, lines: ClosedRange<Int>)]
  let count: Int

  /// nil when the page can be seen whole, with the question below it.
  init?(
    _ page: StyledText, _ call: ToolCall, _ offered: OfferedTool, hasChanged: Bool, columns: Int, rows: Int
  ) {
    let question = ConsentPage.prompt(offered).string.count / max(20, columns) + 2
    self.init(page, question: question, columns: columns, rows: rows) { count, width, room in
      let heads: [SafeText] =
        ["The call has \(count) lines, more than fit here. In short:"]
        + (hasChanged ? ["It describes itself differently since you allowed it."] : [])
      return .text(heads.map { $0.cut(to: width) + "\n" }.joined(), .warning)
        + LongConsent.row("tool", ConsentPage.title(offered), width)
        + LongConsent.row("server", ConsentPage.place(offered), width)
        + LongConsent.arguments(call, width, room: room)
    }
  }

  /// The same of an agent's page; its ways to answer stand below the recap.
  init?(_ page: PermissionPage, _ ways: PermissionPage.Ways, columns: Int, rows: Int) {
    let choices = PermissionPage.choices(ways.options)
    let prompt = PermissionPage.prompt(ways, canView: true).string.count / max(20, columns) + 2
    self.init(page.text, question: prompt + ways.options.count, columns: columns, rows: rows) { count, width, room in
      let length: SafeText = "It has \(count) lines, more than fit here. In short:"
      var recap: StyledText = page.head + .text(length.cut(to: width) + "\n", .warning)
      let shown = page.short.count > room ? room - 1 : page.short.count
      for row in page.short.prefix(shown) { recap += LongConsent.row(row.label, row.value, width) }
      if shown < page.short.count { recap += .text("  and \(page.short.count - shown) more\n", .warning) }
      return recap + choices
    }
  }

  /// - Parameters:
  ///   - question: the lines of the screen that the question takes.
  ///   - recap: what stands beside it, of the number of lines, the width, and the lines that parts may take.
  private init?(
    _ page: StyledText, question: Int, columns: Int, rows: Int,
    recap: (_ count: Int, _ width: Int, _ room: Int) -> StyledText
  ) {
    let (width, rows) = (max(20, columns), max(8, rows))
    let lines = LongConsent.lines(of: page)
    guard lines.count + question > rows else { return nil }
    count = lines.count
    pieces = stride(from: 0, to: lines.count, by: rows - 3).map { start in
      let end = min(lines.count, start + rows - 3)
      return (lines[start..<end].flatMap { $0 + .text("\n") }, start + 1...end)
    }
    self.recap = recap(lines.count, width, max(1, min(10, rows - question - 5)))
  }

  private static func row(_ label: SafeText, _ value: SafeText, _ width: Int) -> StyledText {
    .text("  " + label.padded(to: 8), .dim) + .text(VisibleText.cut(value, to: width - 11) + "\n")
  }

  private static func arguments(_ call: ToolCall, _ width: Int, room: Int) -> StyledText {
    guard case .object(let object) = call.arguments, let members = object.object else { return [] }
    let shown = members.count > room ? room - 1 : members.count
    var text: StyledText = []
    for member in members.prefix(shown) {
      let key = VisibleText.cut(VisibleText.oneLine(member.key), to: width / 3)
      let value = VisibleText.oneLine(member.value.serialized())
      text += .text("    " + key + ": ", .strong)
      text += .text(VisibleText.cut(value, to: width - 7 - key.cells) + "\n")
    }
    if shown < members.count { text += .text("    and \(members.count - shown) more\n", .warning) }
    return text
  }

  private static func lines(of page: StyledText) -> [StyledText] {
    var lines: [StyledText] = [[]]
    for span in page {
      for (index, part) in span.text.lines.enumerated() {
        if index > 0 { lines.append([]) }
        if !part.isEmpty { lines[lines.count - 1].append(Span(part, span.style)) }
      }
    }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

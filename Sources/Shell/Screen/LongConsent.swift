import Chat
import Text
import Wire

/// A page before a call that is longer than the screen: what it is about stands beside the question once more, for its
/// beginning is out of sight (docs/rules.md A4).
struct LongConsent {
  /// How much there is, who is asked, and each argument on a line of its own, cut where it is longer.
  let recap: StyledText
  /// The page in pieces that fit on the screen, with the numbers of their lines.
  let pieces: [(text: StyledText, lines: ClosedRange<Int>)]
  let count: Int

  /// nil when the page can be seen whole, with the question below it.
  init?(
    _ page: StyledText, _ call: ToolCall, _ offered: OfferedTool, hasChanged: Bool, columns: Int, rows: Int
  ) {
    let (width, rows) = (max(20, columns), max(8, rows))
    let lines = LongConsent.lines(of: page)
    let question = ConsentPage.prompt(offered).string.count / width + 2
    guard lines.count + question > rows else { return nil }
    count = lines.count
    pieces = stride(from: 0, to: lines.count, by: rows - 3).map { start in
      let end = min(lines.count, start + rows - 3)
      return (lines[start..<end].flatMap { $0 + .text("\n") }, start + 1...end)
    }
    let room = max(1, min(10, rows - question - 5))
    let heads: [SafeText] =
      ["The call has \(lines.count) lines, more than fit here. In short:"]
      + (hasChanged ? ["It describes itself differently since you allowed it."] : [])
    recap =
      .text(heads.map { $0.cut(to: width) + "\n" }.joined(), .warning)
      + LongConsent.row("tool", ConsentPage.title(offered), width)
      + LongConsent.row("server", ConsentPage.place(offered), width)
      + LongConsent.arguments(call, width, room: room)
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

import Shell
import Text

/// Tab.
extension Editor {
  func complete() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let position = line.expanded(text[..<cursor]).unicodeScalars.count
    let completion = line.request.complete(line.expanded(text), position)
    guard let first = completion.candidates.first else { return note(completion.note) }
    // The part around the cursor, counted from it: a folded paste before it has another length here.
    let behind = position - completion.replaced.lowerBound
    let ahead = completion.replaced.upperBound - position
    guard behind >= 0, behind <= cursor, ahead >= -behind, cursor + ahead <= text.count else { return }
    let part = cursor - behind..<cursor + ahead
    if completion.candidates.count == 1 {
      let needsSpace = first.isWhole && (part.upperBound == text.count || text[part.upperBound] != 32)
      return buffer.replace(part, with: EditText(first.text) + (needsSpace ? [32] : []))
    }
    let common = completion.beginning
    let typed = line.expanded(text[part])
    // Of a word that is not begun nobody wants the letter that a few happen to begin with.
    if !typed.isEmpty, common.unicodeScalars.count > typed.unicodeScalars.count,
      common.lowercased().hasPrefix(typed.lowercased())
    {
      return buffer.replace(part, with: EditText(common))
    }
    let size = loop.screen.size
    let height = size.rows - layoutRows
    // Tab again shows the next page; after the last one the list begins again.
    var start = 0
    if let last = line.listed, last.state == state, last.end < completion.candidates.count { start = last.end }
    let page = CompletionList(
      completion.candidates.dropFirst(start), besides: completion.more, columns: size.columns, height: height)
    line.below = page.rows
    line.listed = (state, start + page.count)
  }

  private func note(_ note: SafeText) {
    guard !note.isEmpty else { return }
    line.below = [Cell.row(note.cut(to: loop.screen.size.columns - 1), .dim)]
  }
}

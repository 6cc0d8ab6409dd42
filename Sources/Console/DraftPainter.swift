import Text

/// Keeps the rows of a block that is still growing at the bottom of the screen, below lines that stay. It writes only what
/// changed, and never goes above its own first row (docs/screen.md 3).
struct DraftPainter {
  /// A line as bytes for the terminal, and how many cells it takes.
  struct Row: Equatable {
    var bytes: ArraySlice<UInt8>
    var cells: Int
  }

  private var rows: [Row] = []
  private(set) var columns = 80
  /// Whether only its end is shown.
  private var isCut = false

  var isShowing: Bool { !rows.isEmpty }

  /// The bytes that write these lines for good, from where the rows of the draft began, and the draft below them. The cursor
  /// is left behind the last row of the draft, and without one at the beginning of a line.
  /// - Parameters:
  ///   - columns: of the screen; no row of the draft is wider.
  ///   - height: of the screen. Of a draft that is taller its end is shown.
  mutating func show(_ finished: [Row], draft: [Row], columns: Int, height: Int) -> [UInt8] {
    self.columns = columns
    isCut = draft.count > max(1, height - 1)
    let draft = Array(draft.suffix(max(1, height - 1)))
    let new = finished + draft
    var first = zip(rows, new).prefix { $0 == $1 }.count
    // A row that the terminal broke itself takes more than one.
    first = new.prefix(first).firstIndex { $0.cells > columns } ?? first
    // Fewer rows than before, and none of them other: the cursor is to stand behind the last of a draft, and below what
    // is finished.
    let onlyShrinks = first == new.count && new.count < rows.count
    if onlyShrinks, !draft.isEmpty { first -= 1 }
    var bytes: [UInt8] = []
    var next = first
    if first == rows.count {
      if first > 0, first < new.count { bytes += newline }
    } else if first == rows.count - 1, first < new.count, let more = continuation(of: rows[first], in: new[first]) {
      bytes += more
      next = first + 1
      if next < new.count { bytes += newline }
    } else {
      bytes += toRow(first)
      // A line that is wider leaves what stood beside its end.
      if new.count < rows.count || new[first...].contains(where: { $0.cells > columns }) { bytes += eraseBelow }
    }
    for index in next..<max(next, new.count) {
      bytes += new[index].bytes
      // At the end of a full row the cursor waits on its last cell, which an erase would take away.
      if index < rows.count, new.count >= rows.count, new[index].cells < columns { bytes += eraseLine }
      if index + 1 < new.count { bytes += newline }
    }
    if draft.isEmpty, !new.isEmpty, !onlyShrinks { bytes += newline }
    rows = draft
    return bytes
  }

  /// Takes the draft off the screen; the cursor stands where its first row began.
  mutating func erase() -> [UInt8] {
    guard isShowing else { return [] }
    defer { rows = [] }
    return toRow(0) + eraseBelow
  }

  /// Takes the draft off a screen whose width has changed, or leaves it where it is.
  /// - Parameter reflows: whether the terminal reflows lines that no longer fit. Some, such as tmux, then move lines into the
  ///   scrollback, where nothing can be erased.
  mutating func resize(to newColumns: Int, reflows: Bool) -> (bytes: [UInt8], isLeft: Bool) {
    guard isShowing, reflows, newColumns < columns else { return (erase(), false) }
    guard isCut else { return (leave(), true) }
    columns = newColumns
    return (erase(), false)
  }

  /// Leaves what is shown where it is, with the cursor on a new line below.
  mutating func leave() -> [UInt8] {
    guard isShowing else { return [] }
    rows = []
    return newline
  }

  /// What the screen shows is no longer known.
  mutating func forget() { rows = [] }

  /// What must be written behind a row to make it the new one.
  private func continuation(of old: Row, in new: Row) -> ArraySlice<UInt8>? {
    guard old.cells < columns, new.cells >= old.cells, new.bytes.starts(with: old.bytes) else { return nil }
    return new.bytes.dropFirst(old.bytes.count)
  }

  private func toRow(_ row: Int) -> [UInt8] {
    // One that was laid out for a wider screen takes several.
    let up = rows[row...].reduce(0) { $0 + max(1, ($1.cells + columns - 1) / columns) } - 1
    return Array("\r".utf8) + (up > 0 ? Array("\u{1B}[\(up)A".utf8) : [])
  }
}

private let newline = Array("\r\n".utf8)
private let eraseLine = Array("\u{1B}[K".utf8)
private let eraseBelow = Array("\u{1B}[J".utf8)

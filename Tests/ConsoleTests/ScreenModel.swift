import Text

@testable import Console

/// A terminal as far as the console uses one: cells, a cursor that waits in the last column, scrolling, erasing.
struct ScreenModel {
  private(set) var rows: [[String]]
  private(set) var row = 0
  private(set) var column = 0
  private var saved = (row: 0, column: 0)
  private(set) var scrolledAway: [String] = []
  private(set) var modes: Set<String> = []
  private let height: Int
  private let width: Int
  private var waitsInLastColumn = false
  private var pending: [UInt8] = []
  /// The second cell of a wide character.
  private static let filler = ""

  init(rows: Int, columns: Int) {
    height = rows
    width = columns
    self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  var lines: [String] {
    var lines = rows.map(Self.string)
    while let last = lines.last, last.isEmpty { lines.removeLast() }
    return lines
  }

  /// What was scrolled away and what is on the screen.
  var text: String { (scrolledAway + lines).joined(separator: "\n") }

  private static func string(_ cells: [String]) -> String {
    var cells = cells[...]
    while cells.last == " " { cells.removeLast() }
    return cells.filter { $0 != filler }.joined()
  }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    let complete = pending.lastIndex { $0 < 0x80 || $0 >= 0xC0 } ?? pending.startIndex
    var end = pending.count
    if complete < end, pending[complete] >= 0xC0 {
      let length = pending[complete] >= 0xF0 ? 4 : pending[complete] >= 0xE0 ? 3 : 2
      if complete + length > end { end = complete }
    }
    var rest = String(decoding: pending[..<end], as: UTF8.self).unicodeScalars[...]
    pending.removeFirst(end)
    while let scalar = rest.first {
      if scalar == "\u{1B}" {
        guard let length = sequence(rest) else {
          pending = Array(String(rest).utf8) + pending
          return
        }
        rest = rest.dropFirst(length)
        continue
      }
      rest = rest.dropFirst()
      switch scalar {
      case "\r":
        column = 0
        waitsInLastColumn = false
      case "\n": lineFeed()
      case "\u{0}"..<" ": break
      default: put(scalar)
      }
    }
  }

  private mutating func lineFeed() {
    waitsInLastColumn = false
    if row + 1 < height { row += 1 } else { scroll() }
  }

  private mutating func scroll() {
    scrolledAway.append(Self.string(rows.removeFirst()))
    rows.append(Array(repeating: " ", count: width))
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let cells = Cells.width(of: scalar)
    if cells == 0 || scalar.properties.isEmojiModifier {
      let place = waitsInLastColumn ? width - 1 : column - 1
      guard place >= 0 else { return }
      let base = rows[row][place] == Self.filler ? place - 1 : place
      rows[row][base].unicodeScalars.append(scalar)
      return
    }
    if waitsInLastColumn || column + cells > width {
      column = 0
      lineFeed()
    }
    rows[row][column] = String(scalar)
    if cells == 2 { rows[row][column + 1] = Self.filler }
    column += cells
    waitsInLastColumn = column == width
    if waitsInLastColumn { column = width - 1 }
  }

  /// Acts on the escape sequence at the beginning; its length, or nil while it is not complete.
  private mutating func sequence(_ scalars: Substring.UnicodeScalarView) -> Int? {
    let all = Array(scalars.prefix(40))
    if all.count > 1, all[1] == "7" || all[1] == "8" {
      if all[1] == "7" { saved = (row, column) } else { (row, column) = saved }
      return 2
    }
    guard all.count > 1, all[1] == "[", let end = all.dropFirst(2).firstIndex(where: { ("@"..."~").contains($0) })
    else { return nil }
    let parameter = String(String.UnicodeScalarView(all[2..<end]))
    let count = max(1, Int(parameter) ?? 1)
    switch all[end] {
    case "A":
      row = max(0, row - count)
      waitsInLastColumn = false
    case "B": row = min(height - 1, row + count)
    case "C":
      column = min(width - 1, column + count)
      waitsInLastColumn = false
    case "H": (row, column, waitsInLastColumn) = (0, 0, false)
    case "K": for place in column..<width { rows[row][place] = " " }
    case "J" where parameter == "2": rows = Array(repeating: Array(repeating: " ", count: width), count: height)
    case "J":
      for place in column..<width { rows[row][place] = " " }
      for below in rows.indices where below > row { rows[below] = Array(repeating: " ", count: width) }
    case "h": modes.insert(parameter)
    case "l": modes.remove(parameter)
    default: break
    }
    return end + 1
  }
}

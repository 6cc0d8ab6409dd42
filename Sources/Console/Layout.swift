import Text

/// One character on the screen.
struct Cell: Equatable {
  var text: String
  var width: Int
  var style: Style

  init(_ text: String, _ width: Int, _ style: Style = .plain) {
    self.text = text
    self.width = width
    self.style = style
  }

  var isASCII: Bool { width == 1 && text.utf8.count == 1 }

  static func row(_ text: SafeText, _ style: Style) -> [Cell] {
    text.string.map { Cell(String($0), Cells.cells(in: String($0)), style) }
  }
}

/// The C library's wide character: a Unicode scalar, or past those what stands for a folded paste.
typealias EditUnit = Int32

/// The text being edited, in libedit's own unit.
typealias EditText = [EditUnit]

extension EditText {
  init(_ string: String) { self = string.unicodeScalars.map { EditUnit(bitPattern: $0.value) } }

  init(zeroTerminated pointer: UnsafePointer<EditUnit>, count: Int) {
    self = Array(UnsafeBufferPointer(start: pointer, count: count))
  }
}

/// Where everything of a prompt and the line after it stands on a screen of so many columns.
struct Layout {
  private(set) var rows: [[Cell]] = [[]]
  private(set) var cursorRow = 0
  private(set) var cursorColumn = 0
  /// Rows of prompt and text; those after it are the list below.
  private(set) var textRows = 1
  /// Where what is only suggested begins: its row, and the cells before it.
  private(set) var passing: (row: Int, cells: Int)?
  private var column = 0
  private let columns: Int

  /// - Parameters:
  ///   - suggestion: how the text may go on; as much of it as the row has room for, so that no row comes and goes with it.
  ///   - mark: shown after the text.
  ///   - label: what is shown for a value that is no Unicode scalar.
  init(
    prompt: StyledText, text: EditText, cursor: Int, columns: Int, suggestion: EditText = [], mark: StyledText = [],
    below: [[Cell]] = [], label: (EditUnit) -> String = { _ in "?" }
  ) {
    self.columns = max(2, columns)
    place(prompt)
    place(text, cursor: cursor, label: label)
    if !suggestion.isEmpty { place(suggestion: suggestion) }
    place(mark)
    textRows = rows.count
    rows += below
  }

  /// The same for who wants no colours.
  var uncoloured: Layout {
    var other = self
    for row in rows.indices {
      for cell in rows[row].indices { other.rows[row][cell].style = .plain }
    }
    return other
  }

  private mutating func place(_ spans: StyledText) {
    for span in spans {
      for character in span.text.string {
        if character.isNewline { breakRow() } else { place(character, span.style) }
      }
    }
  }

  private mutating func place(_ text: EditText, cursor: Int, label: (EditUnit) -> String) {
    var index = 0
    while index < text.count {
      // The cursor may stand inside a character; it is shown before it.
      if index == cursor { markCursor(beforeWidth: 1) }
      guard let scalar = Unicode.Scalar(UInt32(bitPattern: text[index])) else {
        for character in label(text[index]) { place(character, .accent) }
        index += 1
        continue
      }
      if scalar == "\n" {
        breakRow()
        if columns >= 20 { for character in "… " { place(character, .dim) } }
        index += 1
        continue
      }
      let (character, count) = Self.character(in: text, at: index, first: scalar)
      if index <= cursor, cursor < index + count { markCursor(beforeWidth: width(of: character)) }
      place(character, .plain)
      index += count
    }
    if cursor >= text.count { markCursor(beforeWidth: 1) }
  }

  /// Of several lines the rest of the first is shown, and how many there are: all of them at each key would have the
  /// screen jump.
  private mutating func place(suggestion: EditText) {
    guard column < columns - 1 else { return }
    passing = (rows.count - 1, rows[rows.count - 1].count)
    let lines = suggestion.split(separator: 10, omittingEmptySubsequences: false)
    let others = lines.count - 1
    let mark = others == 0 ? "" : " … \(others) more \(others == 1 ? "line" : "lines")"
    var index = 0
    let first = EditText(lines[0])
    while index < first.count, let scalar = Unicode.Scalar(UInt32(bitPattern: first[index])) {
      let (character, count) = Self.character(in: first, at: index, first: scalar)
      index += count
      let width = Console.width(of: character, at: column)
      // The mark of what is not shown needs a cell.
      let isLast = index >= first.count && others == 0
      guard column + width < columns - (isLast ? 0 : 1) else {
        place("…", .dim)
        return
      }
      place(character, .dim)
    }
    for character in mark where column < columns - 1 { place(character, .dim) }
  }

  /// The grapheme cluster at a place of the text.
  private static func character(in text: EditText, at index: Int, first: Unicode.Scalar) -> (Character, count: Int) {
    let next = index + 1 < text.count ? text[index + 1] : 0
    // Only what comes after ASCII can be a combining mark or join.
    if next < 0x300, first.value < 0x300 { return (Character(first), 1) }
    var scalars = String.UnicodeScalarView()
    for value in text[index..<min(text.count, index + 32)] {
      guard let scalar = Unicode.Scalar(UInt32(bitPattern: value)), scalar != "\n" else { break }
      scalars.append(scalar)
    }
    guard let character = String(scalars).first else { return (Character(first), 1) }
    return (character, character.unicodeScalars.count)
  }

  private mutating func markCursor(beforeWidth width: Int = 1) {
    wrap(for: max(1, width))
    cursorRow = rows.count - 1
    cursorColumn = column
  }

  private mutating func breakRow() {
    rows.append([])
    column = 0
  }

  private mutating func wrap(for width: Int) {
    if column + width > columns { breakRow() }
  }

  private mutating func place(_ character: Character, _ style: Style) {
    if character == "\t" {
      wrap(for: 1)
      for _ in 0..<min(8 - column % 8, columns - column) { put(Cell(" ", 1, style)) }
      return
    }
    if let shown = substitute(for: character) {
      for character in shown { put(Cell(String(character), 1, .dim)) }
      return
    }
    let width = width(of: character)
    guard width > 0 else { return }
    put(Cell(String(character), width, style))
  }

  private mutating func put(_ cell: Cell) {
    wrap(for: cell.width)
    rows[rows.count - 1].append(cell)
    column += cell.width
  }
}

private func width(of character: Character) -> Int {
  character.isASCII ? 1 : Cells.cells(in: String(character))
}

/// The cells of what stands on the screen for a character in a column.
func width(of character: Character, at column: Int) -> Int {
  character == "\t" ? 8 - column % 8 : substitute(for: character)?.count ?? width(of: character)
}

/// What stands on the screen for a character that would act on the terminal, hide, or reorder its neighbours.
func substitute(for character: Character) -> String? {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return nil }
  if first.value < 0x20 { return "^" + String(UnicodeScalar(UInt8(first.value) | 0x40)) }
  if first.value < 0x7F, scalars.count == 1 { return nil }
  if first.value == 0x7F { return "^?" }
  let hidden = scalars.enumerated().filter { place, scalar in isHidden(scalar, isFirst: place == 0) }
  guard !hidden.isEmpty else { return nil }
  return scalars.map { scalar in
    isHidden(scalar, isFirst: true) ? "<U+" + String(scalar.value, radix: 16, uppercase: true) + ">" : String(scalar)
  }.joined()
}

private func isHidden(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
  switch scalar.value {
  // Inside an emoji or a word of a joining script these do their work; alone they are nothing to see.
  case 0x200C, 0x200D, 0xFE00...0xFE0F: isFirst
  case 0x80..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E,
    0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
    true
  default: scalar.properties.isNoncharacterCodePoint
  }
}

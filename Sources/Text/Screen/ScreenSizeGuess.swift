/// How large a screen was that bytes were written for, as far as they tell. At least 80 columns and 24 rows.
package struct ScreenSizeGuess: Sendable {
  package private(set) var columns = 80
  package private(set) var rows = 24

  private var parser = SequenceParser()
  /// How many cells of the row are written or passed; nil where that is not known.
  private var written: Int? = 0
  /// Whether the program said where in the row it begins.
  private var isAddressed = false
  /// How many blanks are the last of them.
  private var blanks = 0
  /// What a row was as long as, if it is written over.
  private var candidate: Int?

  package init() {}

  /// Takes the next bytes, however they are cut.
  package mutating func feed(_ bytes: [UInt8]) {
    var index = 0
    while let token = parser.next(bytes, &index) {
      switch token {
      case .text(let range): count(range.count, blanks: bytes[range].reversed().prefix { $0 == 0x20 }.count)
      case .scalar(let scalar): count(Cells.width(of: scalar), blanks: 0)
      case .control(0x0D): endRow()
      case .control(let byte):
        forgetRow()
        if byte != 0x07, byte != 0x0A { written = nil }
      case .escape:
        forgetRow()
        written = nil
      case .sequence(let marker, let intermediate, let final):
        forgetRow()
        if (marker, intermediate) == (0, 0) { sequence(final) }
      }
    }
  }

  /// A row that is written over from its beginning was no longer than the screen is wide. Behind a single blank it is
  /// the next row that is: line editors have a full row wrapped so.
  private mutating func count(_ cells: Int, blanks: Int) {
    if let candidate { addColumn(candidate) }
    candidate = nil
    self.blanks = blanks == cells ? self.blanks + blanks : blanks
    written = written.map { $0 + cells }
  }

  private mutating func endRow() {
    if let written, written > 0 { candidate = blanks == 1 ? written - 1 : written }
    (written, blanks, isAddressed) = (0, 0, false)
  }

  private mutating func forgetRow() { candidate = nil }

  private mutating func sequence(_ final: UInt8) {
    switch final {
    case UInt8(ascii: "H"), UInt8(ascii: "f"):
      addRow(parser.value())
      goElsewhere(to: parser.count(1))
    case UInt8(ascii: "G"), UInt8(ascii: "`"): goElsewhere(to: parser.count())
    case UInt8(ascii: "d"):
      addRow(parser.value())
      written = nil
    case UInt8(ascii: "r"):
      addRow(parser.value())
      addRow(parser.value(1))
      written = nil
    // These move nothing.
    case UInt8(ascii: "m"), UInt8(ascii: "K"), UInt8(ascii: "X"): break
    default: written = nil
    }
  }

  /// Who goes from one place to another writes in each no further than the row reaches.
  private mutating func goElsewhere(to column: Int) {
    if let written, isAddressed { addColumn(written) }
    addColumn(column)
    (written, blanks, isAddressed) = (column - 1, 0, true)
  }

  /// Programs go to 999;999 to ask how large the screen is.
  private mutating func addColumn(_ number: Int) {
    if number < DrawnScreen.sizeLimit { columns = max(columns, number) }
  }
  private mutating func addRow(_ number: Int) { if number < DrawnScreen.sizeLimit { rows = max(rows, number) } }
}

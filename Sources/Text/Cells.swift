import CText

/// How much room text takes on a terminal, in cells.
package enum Cells {
  /// Cells of one scalar by itself: 0 for controls and for marks without a space of their own, 2 for wide and emoji,
  /// 1 for the rest and for what Unicode calls ambiguous.
  package static func width(of scalar: Unicode.Scalar) -> Int { width(of: scalar.value) }

  static func width(of scalar: UInt32) -> Int {
    let simple = simpleWidth(scalar)
    if simple > 0 { return simple }
    let code = Int32(bitPattern: scalar)
    switch scalar {
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0  // vowels and finals are drawn into the syllable before them
    case 0x1F6D8...0x1F6FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      // Newer than our tables, but Unicode keeps these places for emoji and ideographs.
      return ctext_is_assigned(code) == 0 ? 2 : Int(ctext_width(code))
    default: return Int(ctext_width(code))
    }
  }

  /// Cells of a text on one line, by grapheme cluster (UAX 29): a flag, a family and a keycap are 2 each.
  package static func cells(in text: String) -> Int {
    var text = text
    return text.withUTF8 { cells(in: $0) }
  }

  /// The same of well-formed UTF-8.
  static func cells(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var i = endOfPrintableASCII(bytes, from: 0)
    if i == bytes.count { return i }
    var line = CellCounter()
    if i > 0 { line.addASCII(i, last: bytes[i - 1]) }
    while i < bytes.count {
      let scalar = decode(bytes, &i)
      line.add(scalar)
      guard simpleWidth(scalar) > 0, i < bytes.count, let start = bytes.baseAddress else { continue }
      var read = 0
      var last: UInt32 = 0
      let cells = ctext_simple_cells(start + i, bytes.count - i, &read, &last)
      if read > 0 { line.addSimple(cells, last: last) }
      i += read
    }
    return line.cells
  }

  /// The longest beginning of whole graphemes that fits into so many cells.
  static func prefix(of text: String, width: Int) -> String {
    var line = CellCounter()
    var end = text.unicodeScalars.startIndex
    var here = end
    while here < text.unicodeScalars.endIndex {
      if line.add(text.unicodeScalars[here].value) { end = here }
      if line.cells > width { return String(text.unicodeScalars[..<end]) }
      here = text.unicodeScalars.index(after: here)
    }
    return text
  }

  /// Cells of a scalar that makes a grapheme of its own beside others of this kind, or 0 for scalars that need the
  /// tables.
  @inline(__always) static func simpleWidth(_ scalar: UInt32) -> Int { Int(ctext_simple_width(scalar)) }
}

/// Counts the cells of a line while it grows.
struct CellCounter: Sendable {
  private var closed = 0
  private var cluster = 0
  private var previous: UInt32 = 0
  private var state: Int32 = 0

  var cells: Int { closed + cluster }

  /// Cells of the last grapheme so far.
  var clusterWidth: Int { cluster }

  /// Adds so many printable ASCII characters, at least one.
  @inline(__always) mutating func addASCII(_ count: Int, last: UInt8) {
    add(UInt32(last))
    guard count > 1 else { return }
    closed += cluster + count - 2
    cluster = 1
  }

  /// Adds scalars that `simpleWidth` knows, behind one of them.
  /// - Parameters:
  ///   - cells: of all of them.
  ///   - last: the last of them.
  @inline(__always) mutating func addSimple(_ cells: Int, last: UInt32) {
    let width = Cells.simpleWidth(last)
    closed += cluster + cells - width
    cluster = width
    previous = last
    state = 0
  }

  /// Adds a scalar; whether it begins a new grapheme.
  @inline(__always) @discardableResult mutating func add(_ scalar: UInt32) -> Bool {
    let width = Cells.simpleWidth(scalar)
    if width > 0, previous == 0 || Cells.simpleWidth(previous) > 0 {
      closed += cluster
      cluster = width
      previous = scalar
      state = 0
      return true
    }
    return addByTables(scalar)
  }

  private mutating func addByTables(_ scalar: UInt32) -> Bool {
    let code = Int32(bitPattern: scalar)
    let isNew = previous == 0 || utf8proc_grapheme_break_stateful(Int32(bitPattern: previous), code, &state)
    let width = Cells.width(of: scalar)
    if isNew {
      closed += cluster
      cluster = width
      state = 0
    } else if scalar == 0xFE0F {
      if cluster == 1, Unicode.Scalar(previous)?.properties.isEmoji == true { cluster = 2 }
    } else {
      cluster = min(2, cluster + width)
    }
    previous = scalar
    return isNew
  }
}

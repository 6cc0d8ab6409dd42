import CText

/// Formulas in a paragraph's source (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`), which Markdown would take for emphasis and escapes
/// (docs/screen.md 2).
/// They are taken out before it is read, and put back as they were written.
enum Maths {
  enum Part: Equatable {
    case words(Range<Int>)
    case formula(Int)
  }

  // A noncharacter stands for a formula, with its number in another one for each digit: the filter lets none through, so
  // that who writes one into a message shows nothing by it.
  private static let lead: [UInt8] = [0xEF, 0xB7]
  private static let firstDigit: UInt8 = 0x90
  private static let mark: UInt8 = 0x9A

  /// The source with marks in place of its formulas; nil when it has none.
  static func takenOut(of source: UnsafeBufferPointer<UInt8>) -> (source: [UInt8], formulas: [[UInt8]])? {
    guard mayHaveAny(source) else { return nil }
    guard !hasMarks(source) else {
      return withoutMarks(source).withUnsafeBufferPointer { found in
        takenOut(of: found) ?? (Array(found), [])
      }
    }
    var out: [UInt8] = []
    var formulas: [[UInt8]] = []
    var search = Search(source: source)
    var i = 0
    while i < source.count {
      if source[i] == UInt8(ascii: "`") {
        let end = search.endOfCode(at: i)
        out += source[i..<end]
        i = end
      } else if formulas.count < 1000, let end = search.endOfFormula(at: i) {
        out += lead + [mark]
        for digit in String(formulas.count).utf8 { out += lead + [firstDigit + digit - UInt8(ascii: "0")] }
        out += lead + [mark]
        formulas.append(Array(source[i..<end]))
        i = end
      } else {
        let isEscape = source[i] == UInt8(ascii: "\\") && i + 1 < source.count
        var end = i + (isEscape ? 2 : 1)
        while end < source.count, !isSign(source[end]) { end += 1 }
        out.append(contentsOf: UnsafeBufferPointer(rebasing: source[i..<end]))
        i = end
      }
    }
    return formulas.isEmpty ? nil : (out, formulas)
  }

  private static func hasMarks(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
    ctext_contains(source.baseAddress, source.count, lead[0]) && source.indices.contains { isMark(source, $0) }
  }

  /// Whether more than itself may be meant.
  private static func isSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "`") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "\\")
  }

  /// Text with marks in it, apart.
  static func parts(of text: UnsafeBufferPointer<UInt8>) -> [Part] {
    var parts: [Part] = []
    var start = 0
    var i = 0
    while i + 2 < text.count {
      guard text[i] == lead[0], text[i + 1] == lead[1], text[i + 2] == mark, let (number, end) = number(text, i + 3)
      else {
        i += 1
        continue
      }
      if start < i { parts.append(.words(start..<i)) }
      parts.append(.formula(number))
      i = end
      start = end
    }
    if start < text.count { parts.append(.words(start..<text.count)) }
    return parts
  }

  /// Whether a line begins a formula that has lines to itself, and what ends it.
  static func opening(of line: some Collection<UInt8>) -> (indent: Int, end: [UInt8])? {
    let indent = line.prefix { $0 == 0x20 }.count
    let rest = Array(line.dropFirst(indent))
    for (begin, end) in [("$$", "$$"), ("\\[", "\\]")]
    where rest.starts(with: begin.utf8) && !contains(rest.dropFirst(2), Array(end.utf8)) {
      return (indent, Array(end.utf8))
    }
    return nil
  }

  /// Whether there is anything in a line that `opening` looks for.
  static func mayOpen(_ line: [UInt8]) -> Bool {
    guard line.withUnsafeBufferPointer({ mayHaveAny($0) }) else { return false }
    var before: UInt8 = 0
    for byte in line {
      if byte == UInt8(ascii: "$"), before == byte { return true }
      if byte == UInt8(ascii: "["), before == UInt8(ascii: "\\") { return true }
      before = byte
    }
    return false
  }

  private static func mayHaveAny(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
    ctext_contains(source.baseAddress, source.count, UInt8(ascii: "$"))
      || ctext_contains(source.baseAddress, source.count, UInt8(ascii: "\\"))
  }

  static func contains(_ line: some Collection<UInt8>, _ end: [UInt8]) -> Bool {
    var before: UInt8?
    for byte in line {
      if before == end[0], byte == end[1] { return true }
      before = byte
    }
    return false
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> (Int, end: Int)? {
    var i = start
    var number = 0
    while i + 2 < text.count, text[i] == lead[0], text[i + 1] == lead[1], i < start + 15 {
      if text[i + 2] == mark { return i > start ? (number, i + 3) : nil }
      guard (firstDigit..<mark).contains(text[i + 2]) else { return nil }
      number = number * 10 + Int(text[i + 2] - firstDigit)
      i += 3
    }
    return nil
  }

  /// Nobody else writes those marks.
  private static func withoutMarks(_ source: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    var i = 0
    while i < source.count {
      if isMark(source, i) {
        i += 3
        // What stood around them may be one now.
        while kept.count >= 2, i < source.count, Array(kept.suffix(2)) == lead { kept.removeLast(2) }
      } else {
        kept.append(source[i])
        i += 1
      }
    }
    return kept
  }

  private static func isMark(_ source: UnsafeBufferPointer<UInt8>, _ i: Int) -> Bool {
    i + 2 < source.count && source[i] == lead[0] && source[i + 1] == lead[1]
      && (firstDigit...mark).contains(source[i + 2])
  }

  /// Finds where formulas end; an end that is not there is looked for once.
  private struct Search {
    let source: UnsafeBufferPointer<UInt8>
    private var missing: Set<[UInt8]> = []
    private var missingTicks: Set<Int> = []

    init(source: UnsafeBufferPointer<UInt8>) { self.source = source }

    mutating func endOfFormula(at i: Int) -> Int? {
      guard i + 2 < source.count else { return nil }
      switch (source[i], source[i + 1]) {
      case (UInt8(ascii: "$"), UInt8(ascii: "$")): return end(of: Array("$$".utf8), from: i + 2)
      case (UInt8(ascii: "\\"), UInt8(ascii: "(")): return end(of: Array("\\)".utf8), from: i + 2)
      case (UInt8(ascii: "\\"), UInt8(ascii: "[")): return end(of: Array("\\]".utf8), from: i + 2)
      case (UInt8(ascii: "$"), _): return endOfDollars(source, i)
      default: return nil
      }
    }

    mutating func endOfCode(at start: Int) -> Int {
      let ticks = source[start...].prefix { $0 == UInt8(ascii: "`") }.count
      guard !missingTicks.contains(ticks) else { return start + ticks }
      var i = start + ticks
      while i < source.count {
        let run = source[i...].prefix { $0 == UInt8(ascii: "`") }.count
        if run == ticks { return i + run }
        i += max(1, run)
      }
      missingTicks.insert(ticks)
      return start + ticks
    }

    private mutating func end(of mark: [UInt8], from start: Int) -> Int? {
      if missing.contains(mark) { return nil }
      var i = start
      while i + 1 < source.count {
        if source[i] == mark[0], source[i + 1] == mark[1] { return i > start ? i + 2 : nil }
        i += 1
      }
      missing.insert(mark)
      return nil
    }
  }

  /// Between single dollars there is a formula on one line where neither touches a blank inside, and no digit follows:
  /// prices are none (the rule of Pandoc).
  private static func endOfDollars(_ source: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
    guard !isBlank(source[start + 1]) else { return nil }
    var i = start + 1
    while i < source.count, source[i] != 0x0A {
      if source[i] == UInt8(ascii: "\\") {
        i += 2
        continue
      }
      if source[i] == UInt8(ascii: "`") { return nil }
      if source[i] == UInt8(ascii: "$") {
        let follows = i + 1 < source.count ? source[i + 1] : 0x20
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(follows)
        return isBlank(source[i - 1]) || isDigit ? nil : i + 1
      }
      i += 1
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A }
}

import CText

/// Data of addresses that is longer than a line of text (`data:image/png;base64,…`, RFC 2397). It is taken out of a line
/// as it comes, which may be a megabyte long, and a mark is left in its place.
///
/// What the mark stands in, an address, code or plain words, only the reader of Markdown knows.
// A class, since who reads a block takes what the flow has put here.
final class LongData {
  enum Part: Equatable {
    case words(Range<Int>)
    case data(Int)

    /// Of the data; nil for words.
    var number: Int? { if case .data(let number) = self { number } else { nil } }
  }

  // Noncharacters, as for formulas, but others: the filter lets none through.
  private static let lead: [UInt8] = [0xEF, 0xB7]
  private static let firstDigit: UInt8 = 0xA0
  private static let mark: UInt8 = 0xAF
  private static let opening = Array(";base64,".utf8)

  /// Shorter data stays where it is.
  static let shortest = 512

  /// Bytes of one that are kept; that it had more can be seen.
  private let most: Int
  private var kept: [[UInt8]] = []
  /// The number of the first one, which nobody knows who writes the text: a mark of theirs stands for nothing.
  private let first = Int.random(in: 100_000_000..<1_000_000_000)
  /// Whether what comes belongs to the last one.
  private(set) var isOpen = false
  /// Up to where the line was looked at: data may begin behind it alone.
  private(set) var looked = 0

  init(most: Int) { self.most = most }

  /// Whether there may be marks.
  var isInUse: Bool { !kept.isEmpty }

  /// The line is over.
  func endLine() {
    isOpen = false
    looked = 0
  }

  /// The beginning of the line was taken away.
  func cutLine(to count: Int) { looked = isOpen ? count : 0 }

  /// Takes data out of a line that has grown at its end.
  func take(from line: inout [UInt8]) {
    guard line.count > Self.shortest || isOpen else { return }
    while looked < line.count {
      if isOpen {
        let count = line[looked...].prefix(while: Self.isBase64).count
        keep(line[looked..<looked + count])
        line.removeSubrange(looked..<looked + count)
        if looked == line.count { return }
        isOpen = false
      }
      guard let start = Self.begin(in: line, from: looked) else {
        // The end may be the begin of one.
        return looked = max(looked, line.count - Self.opening.count + 1)
      }
      let count = line[start...].prefix(while: Self.isBase64).count
      if count > Self.shortest {
        let rest = Array(line[start...])
        line.removeSubrange(start...)
        line += Self.mark(for: first + kept.count)
        looked = line.count
        line += rest
        kept.append([])
        isOpen = true
      } else if start + count == line.count {
        return looked = start - Self.opening.count
      } else {
        looked = start + count
      }
    }
  }

  /// The data itself; nil for a mark that is none of ours.
  func data(_ number: Int) -> [UInt8]? {
    kept.indices.contains(number - first) ? kept[number - first] : nil
  }

  /// Whether a scalar begins there that belongs to a mark as the one before it does.
  static func isWithinMark(_ line: [UInt8], _ i: Int) -> Bool {
    func isPart(_ i: Int) -> Bool {
      line.indices.contains(i + 2) && i >= 0 && line[i] == lead[0] && line[i + 1] == lead[1]
        && (firstDigit...mark).contains(line[i + 2])
    }
    return isPart(i) && isPart(i - 3)
  }

  /// Whether there is anything in a text that may begin a mark.
  static func mayBeMarked(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    ctext_contains(text.baseAddress, text.count, lead[0])
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
      parts.append(.data(number))
      i = end
      start = end
    }
    if start < text.count { parts.append(.words(start..<text.count)) }
    return parts
  }

  private func keep(_ bytes: ArraySlice<UInt8>) {
    let last = kept.count - 1
    let room = most + 1 - kept[last].count
    if room > 0 { kept[last].append(contentsOf: bytes.prefix(room)) }
  }

  private static func begin(in line: [UInt8], from start: Int) -> Int? {
    line.withUnsafeBufferPointer { bytes in
      var i = start
      while i + opening.count <= bytes.count {
        if bytes[i] == opening[0], bytes[i..<i + opening.count].elementsEqual(opening) { return i + opening.count }
        i += 1
      }
      return nil
    }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  private static func mark(for number: Int) -> [UInt8] {
    lead + [mark] + String(number).utf8.flatMap { lead + [firstDigit + $0 - UInt8(ascii: "0")] } + lead + [mark]
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> (Int, end: Int)? {
    var i = start
    var number = 0
    while i + 2 < text.count, text[i] == lead[0], text[i + 1] == lead[1], i < start + 33 {
      if text[i + 2] == mark { return i > start ? (number, i + 3) : nil }
      guard (firstDigit..<firstDigit + 10).contains(text[i + 2]) else { return nil }
      number = number * 10 + Int(text[i + 2] - firstDigit)
      i += 3
    }
    return nil
  }
}

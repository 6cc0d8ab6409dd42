/// What an image is whose address is its data, as whoever can look into images says it (docs/screen.md 8).
package struct MarkdownImages: Sendable {
  /// Bytes of an address beyond which no image is looked into.
  let mostBytes: Int
  /// Says what the image is of which this stands behind `data:`.
  let describe: @Sendable (_ address: [UInt8]) -> (words: SafeText, isDrawn: Bool)

  /// - Parameters:
  ///   - mostBytes: of an address that is looked into.
  ///   - describe: takes what stands behind `data:`; says what it is, and whether a terminal is to draw it.
  package init(
    mostBytes: Int, describe: @escaping @Sendable (_ address: [UInt8]) -> (words: SafeText, isDrawn: Bool)
  ) {
    self.mostBytes = mostBytes
    self.describe = describe
  }

  /// Says nothing of any.
  package static let undescribed = MarkdownImages(mostBytes: 1 << 24) { _ in ("", false) }
}

/// Looks at the addresses of images while a document is read.
// A class, since what is drawn below a paragraph is found while its words are read.
final class DataImages {
  let reading: MarkdownImages
  private let data: LongData
  /// What is to be drawn of the paragraph that is read.
  private var drawn: [[UInt8]] = []
  /// What was said of an image that stands for its data by a mark, as a definition may be used often.
  private var described: [Int: (words: SafeText, isDrawn: Bool)] = [:]

  init(_ reading: MarkdownImages, _ data: LongData) {
    self.reading = reading
    self.data = data
  }

  /// Whether marks may stand in the document in place of data.
  var hasMarks: Bool { data.isInUse }

  /// What to say of an image; nil where its address is none with data.
  /// - Parameter isAlone: whether it has a line to itself.
  func describe(_ url: UnsafeBufferPointer<UInt8>, isAlone: Bool) -> SafeText? {
    guard Self.isData(url) else { return nil }
    let place = UnsafeBufferPointer(rebasing: url[5...])
    let number = hasMarks ? LongData.parts(of: place).compactMap(\.number).first : nil
    if let known = number.flatMap({ described[$0] }) { return known.words }
    let address = whole(place)
    let found = reading.describe(address)
    if let number { described[number] = found }
    if found.isDrawn, isAlone { drawn.append(address) }
    return found.words
  }

  static func isData(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
    url.count >= 5 && String(decoding: url[..<5], as: UTF8.self).lowercased() == "data:"
  }

  /// The addresses of those to be drawn.
  func takeDrawn() -> [[UInt8]] {
    defer { drawn = [] }
    return drawn
  }

  /// Text with the data that was taken out of it.
  func whole(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard hasMarks, LongData.mayBeMarked(text) else { return Array(text) }
    return LongData.parts(of: text).flatMap { part -> [UInt8] in
      switch part {
      case .words(let range): Array(text[range])
      case .data(let number): data.data(number) ?? []
      }
    }
  }

  /// Text with words in place of the data; nil where there is none.
  func shortened(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard hasMarks, LongData.mayBeMarked(text) else { return nil }
    return LongData.parts(of: text).flatMap { part -> [UInt8] in
      switch part {
      case .words(let range): Array(text[range])
      case .data: Array("…".utf8)
      }
    }
  }
}

/// What a flow gives out.
package enum MarkdownPart: Sendable {
  /// Lines that will never change.
  case lines(StyledLines)
  /// What stands behind `data:` in the address of an image to be drawn, below the paragraph that has it on a line of its
  /// own.
  case image([UInt8])
}

extension [MarkdownPart] {
  /// Without the images.
  package var lines: StyledLines {
    reduce(into: StyledLines()) { if case .lines(let lines) = $1 { $0 += lines } }
  }
}

import Chat
import Text

/// Takes images that stand in an answer as data out of its Markdown, and says in their place what they are: the data of
/// one is longer than many a book (docs/screen.md 8). What is not of the form `![words](data:…)`, or stands in code, goes
/// through as it came.
struct DataImages {
  enum Part: Equatable {
    /// Markdown, with a caption in the place of each image.
    case text(String)
    /// One that had a line to itself; the paragraph with its caption is over.
    case image(CheckedImage)
  }

  private static let opening = Array("](data:".utf8)
  /// Of an address with such an image; the rest of what is longer is let go.
  private static let longest = CheckedImage.mostBytes / 3 * 4 + 100

  private var line = MarkdownLine()
  private var fence: MarkdownLine.Fence?
  /// From the bracket that closes the words on, as far as it is what an image has there.
  private var held: [UInt8] = []
  private var isInTitle = false
  /// The image that this line has been so far.
  private var alone: CheckedImage?

  /// A whole document.
  static func captioned(_ source: String) -> String {
    var images = DataImages()
    let parts = images.feed(source) + images.finish()
    return parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
  }

  /// What can be said now that this piece came.
  mutating func feed(_ piece: String) -> [Part] {
    var parts = Parts()
    var piece = piece
    piece.withUTF8 { bytes in
      var index = 0
      while index < bytes.count {
        if held.isEmpty {
          index = take(bytes, from: index, &parts)
        } else if hold(bytes[index], &parts) {
          index += 1
        }
      }
    }
    return parts.finish()
  }

  /// The rest; the answer is over.
  mutating func finish() -> [Part] {
    var parts = Parts()
    if held.count < Self.opening.count { letGo(&parts) } else { close(.cutOff, &parts) }
    draw(behind: "\n\n", &parts)
    return parts.finish()
  }

  /// Passes bytes on, up to a bracket that may close the words of an image. - Returns: where that is, or the end.
  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ parts: inout Parts) -> Int {
    var index = start
    // Up to where the line has been looked at.
    var seen = start
    while index < bytes.count {
      let byte = bytes[index]
      guard MarkdownLine.matters(byte) || byte == UInt8(ascii: "\n") || alone != nil else {
        index += 1
        continue
      }
      line.take(UnsafeBufferPointer(rebasing: bytes[seen..<index]))
      if byte == UInt8(ascii: "]"), line.isInImage, fence == nil {
        parts.append(bytes[start..<index])
        held = [byte]
        return index + 1
      }
      index += 1
      seen = index
      if byte == UInt8(ascii: "\n") {
        parts.append(bytes[start..<index])
        endLine(&parts)
        return index
      }
      line.take(byte)
      if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\r") { alone = nil }
    }
    line.take(UnsafeBufferPointer(rebasing: bytes[seen..<index]))
    parts.append(bytes[start..<index])
    return index
  }

  private mutating func endLine(_ parts: inout Parts) {
    draw(behind: "\n", &parts)
    fence = line.fence(after: fence)
    line = MarkdownLine()
  }

  /// A blank line ends the paragraph, so that the picture stands below its caption.
  private mutating func draw(behind lineEnds: String, _ parts: inout Parts) {
    guard let image = alone else { return }
    alone = nil
    parts.append(lineEnds.utf8)
    parts.append(image)
  }

  /// - Returns: whether the byte was taken; what is held has gone on otherwise.
  private mutating func hold(_ byte: UInt8, _ parts: inout Parts) -> Bool {
    if held.count < Self.opening.count {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      guard (isUpper ? byte | 0x20 : byte) == Self.opening[held.count] else {
        letGo(&parts)
        return false
      }
      held.append(byte)
      return true
    }
    switch byte {
    case UInt8(ascii: ")"):
      close(nil, &parts)
      return true
    case UInt8(ascii: "\n"):
      close(.cutOff, &parts)
      return false
    case UInt8(ascii: " "): isInTitle = true
    default: if !isInTitle, held.count <= Self.longest { held.append(byte) }
    }
    return true
  }

  private mutating func letGo(_ parts: inout Parts) {
    parts.append(held)
    for byte in held { line.take(byte) }
    held = []
  }

  /// The address is over, as it should or by the end of the line.
  private mutating func close(_ problem: CheckedImage.Problem?, _ parts: inout Parts) {
    let read = problem.map(Result.failure) ?? Self.image(held[Self.opening.count...])
    parts.append(((line.isEmptyImage ? "" : ", ") + ImageWording.words(read) + "]()").utf8)
    alone = line.isImageAlone ? try? read.get() : nil
    for byte in Self.opening { line.take(byte) }
    held = []
    isInTitle = false
  }

  /// - Parameter address: behind `data:` (RFC 2397).
  private static func image(_ address: ArraySlice<UInt8>) -> Result<CheckedImage, CheckedImage.Problem> {
    guard address.count <= longest else { return .failure(.tooLarge) }
    guard let comma = address.firstIndex(of: UInt8(ascii: ",")) else { return .failure(.noImage) }
    let type = String(decoding: address[..<comma], as: UTF8.self).lowercased()
    guard type.hasPrefix("image/"), type.hasSuffix(";base64") else { return .failure(.noImage) }
    return Result { () throws(CheckedImage.Problem) in
      try CheckedImage(base64: String(decoding: address[(comma + 1)...], as: UTF8.self))
    }
  }

  /// Parts, with the texts between two images joined.
  private struct Parts {
    private var parts: [Part] = []
    private var text: [UInt8] = []

    mutating func append(_ bytes: some Sequence<UInt8>) { text += bytes }

    mutating func append(_ image: CheckedImage) {
      parts = finish() + [.image(image)]
      text = []
    }

    func finish() -> [Part] { parts + (text.isEmpty ? [] : [.text(String(decoding: text, as: UTF8.self))]) }
  }
}

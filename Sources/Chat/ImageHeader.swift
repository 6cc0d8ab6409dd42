/// What the first bytes of a picture say, of the kinds that models take; its name counts for nothing.
package struct ImageHeader: Sendable, Equatable {
  package enum Format: String, Sendable {
    case png = "PNG"
    case jpeg = "JPEG"
    case gif = "GIF"
    case webp = "WebP"
  }

  package var format: Format
  /// nil where its bytes do not say where they should.
  package var size: Size?

  package struct Size: Sendable, Equatable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  /// Such as `image/png`.
  package var type: String { "image/\(format.rawValue.lowercased())" }

  /// nil for what is no picture of these kinds.
  package init?(_ bytes: [UInt8]) {
    let head = ImageBytes(bytes)
    if head.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
      self.init(format: .png, size: head.has("IHDR", at: 12) ? Size(head.big(4, at: 16), head.big(4, at: 20)) : nil)
    } else if head.has([0xFF, 0xD8, 0xFF], at: 0) {
      self.init(format: .jpeg, size: head.sizeOfJPEG)
    } else if head.has("GIF87a", at: 0) || head.has("GIF89a", at: 0) {
      self.init(format: .gif, size: Size(head.little(2, at: 6), head.little(2, at: 8)))
    } else if head.has("RIFF", at: 0), head.has("WEBP", at: 8) {
      self.init(format: .webp, size: head.sizeOfWebP)
    } else {
      return nil
    }
  }

  package init(format: Format, size: Size?) {
    self.format = format
    self.size = size
  }
}

extension ImageHeader.Size {
  fileprivate init?(_ width: Int?, _ height: Int?) {
    guard let width, let height, width > 0, height > 0 else { return nil }
    self.init(width: width, height: height)
  }
}

/// Bytes that may end anywhere.
private struct ImageBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func has(_ mark: [UInt8], at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: mark) }

  func has(_ mark: String, at offset: Int) -> Bool { has(Array(mark.utf8), at: offset) }

  func big(_ count: Int, at offset: Int) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  func little(_ count: Int, at offset: Int) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// In the first segment that begins a frame (ITU-T T.81, B.2.2).
  var sizeOfJPEG: ImageHeader.Size? {
    var offset = 2
    while let mark = big(2, at: offset), mark > 0xFF00, let length = big(2, at: offset + 2), length >= 2 {
      // Those between that are no frame are tables.
      if 0xFFC0...0xFFCF ~= mark, ![0xFFC4, 0xFFC8, 0xFFCC].contains(mark) {
        return ImageHeader.Size(big(2, at: offset + 7), big(2, at: offset + 5))
      }
      offset += 2 + length
    }
    return nil
  }

  /// In its first chunk, of which there are three kinds (RFC 9649, section 2).
  var sizeOfWebP: ImageHeader.Size? {
    if has("VP8X", at: 12) {
      return ImageHeader.Size(little(3, at: 24).map { $0 + 1 }, little(3, at: 27).map { $0 + 1 })
    }
    if has("VP8L", at: 12), let bits = little(4, at: 21) {
      return ImageHeader.Size(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    guard has("VP8 ", at: 12) else { return nil }
    return ImageHeader.Size(little(2, at: 26).map { $0 & 0x3FFF }, little(2, at: 28).map { $0 & 0x3FFF })
  }
}

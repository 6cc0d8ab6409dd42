import Foundation

/// An image that a terminal may be asked to draw: its bytes were looked at, whatever was said of them
/// (docs/screen.md 8).
package struct CheckedImage: Sendable, Equatable {
  package let format: ImageHeader.Format
  /// In pixels, as its header has it.
  package let size: ImageHeader.Size
  package let bytes: [UInt8]

  package enum Problem: Error, Sendable, Equatable {
    case notBase64
    /// Neither PNG, JPEG nor GIF, or one that does not say how large it is.
    case noImage
    case cutOff
    /// In bytes, or in pixels as its header or a frame of it has them.
    case tooLarge
  }

  /// Bytes of a file; a side and all of it in pixels, which take four bytes each of whoever draws them.
  package static let mostBytes = 10_000_000
  static let longestSide = 8192, mostPixels = 16_000_000

  /// - Parameter text: without line breaks, with its padding.
  package init(base64 text: String) throws(Problem) {
    guard text.utf8.count <= Self.mostBytes / 3 * 4 + 4 else { throw .tooLarge }
    guard let data = Data(base64Encoded: text), !data.isEmpty else { throw .notBase64 }
    try self.init(Array(data))
  }

  /// Bytes of an address of data beyond which none is read.
  package static let longestAddress = mostBytes / 3 * 4 + 100

  /// - Parameter address: what stands behind `data:` (RFC 2397).
  package init(dataAddress address: [UInt8]) throws(Problem) {
    guard address.count <= Self.longestAddress else { throw .tooLarge }
    guard let comma = address.firstIndex(of: UInt8(ascii: ",")) else { throw .noImage }
    let type = String(decoding: address[..<comma], as: UTF8.self).lowercased()
    guard type.hasPrefix("image/"), type.hasSuffix(";base64") else { throw .noImage }
    try self.init(base64: String(decoding: address[(comma + 1)...], as: UTF8.self))
  }

  package init(_ bytes: [UInt8]) throws(Problem) {
    guard let header = ImageHeader(bytes), header.format != .webp, let size = header.size else { throw .noImage }
    guard bytes.count <= Self.mostBytes, Self.mayDraw(size) else { throw .tooLarge }
    if header.format == .gif {
      guard let extent = GIFFrames.extent(of: bytes) else { throw .cutOff }
      guard Self.mayDraw(extent) else { throw .tooLarge }
    }
    (format, self.size) = (header.format, size)
    if header.format == .png {
      guard let essential = PNGChunks.essential(bytes) else { throw .cutOff }
      self.bytes = essential
    } else {
      self.bytes = bytes
    }
  }

  private static func mayDraw(_ size: ImageHeader.Size) -> Bool {
    max(size.width, size.height) <= longestSide && size.width * size.height <= mostPixels
  }
}

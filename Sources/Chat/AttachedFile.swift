/// A file that goes along with a message.
package struct AttachedFile: Sendable, Equatable {
  /// Absolute, on this machine.
  package var path: String
  /// As the message names it.
  package var name: String
  /// Empty where they were not read: see `digest`.
  package let bytes: [UInt8]
  /// How many bytes it has, read or not.
  package let size: Int
  package let kind: Kind
  /// What the history calls bytes that it has and that were not read; nil where `bytes` are the file's.
  package let digest: String?

  /// What its bytes say it is.
  package enum Kind: Sendable, Equatable {
    /// UTF-8 without NUL.
    case text(lines: Int)
    /// A picture that models take.
    case image(ImageHeader)
    case other
  }

  package init(path: String, name: String, bytes: [UInt8]) {
    self.path = path
    self.name = name
    self.bytes = bytes
    size = bytes.count
    kind = Kind(bytes)
    digest = nil
  }

  /// One whose bytes the history has.
  package init(path: String, name: String, size: Int, kind: Kind, digest: String) {
    self.path = path
    self.name = name
    bytes = []
    self.size = size
    self.kind = kind
    self.digest = digest
  }

  /// nil for what is no text, and for what was not read.
  package var text: String? {
    guard isText, digest == nil else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Without its folders.
  package var lastName: String { name.split(separator: "/").last.map(String.init) ?? name }

  package var isText: Bool { if case .text = kind { true } else { false } }

  /// nil for what is no picture that models take.
  package var image: ImageHeader? { if case .image(let image) = kind { image } else { nil } }

  /// What kind of file it is, for who takes files: by its first bytes, else by its name.
  package var type: String {
    if let image { return image.type }
    let suffix = path.split(separator: "/").last.flatMap { name in
      name.contains(".") ? name.split(separator: ".").last?.lowercased() : nil
    }
    return suffix.flatMap { AttachedFile.types[$0] } ?? (isText ? "text/plain" : "application/octet-stream")
  }

  /// A picture is none by its name alone.
  private static let types = [
    "bmp": "image/bmp", "wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg", "flac": "audio/flac",
    "m4a": "audio/mp4", "pdf": "application/pdf", "json": "application/json", "md": "text/markdown",
    "html": "text/html", "csv": "text/csv", "xml": "application/xml", "svg": "image/svg+xml",
  ]
}

extension AttachedFile.Kind {
  fileprivate init(_ bytes: [UInt8]) {
    if let image = ImageHeader(bytes) {
      self = .image(image)
    } else if !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil {
      let ends = bytes.count { $0 == UInt8(ascii: "\n") }
      self = .text(lines: ends + (bytes.last.map { $0 == UInt8(ascii: "\n") ? 0 : 1 } ?? 0))
    } else {
      self = .other
    }
  }
}

/// A picture beside the words of a message.
package struct AttachedImage: Sendable, Equatable {
  package var name: String
  /// Such as `image/png`.
  package var type: String
  package var bytes: [UInt8]

  package init(name: String, type: String, bytes: [UInt8]) {
    self.name = name
    self.type = type
    self.bytes = bytes
  }

  /// nil for a file that is no picture, and for one that was not read.
  package init?(_ file: AttachedFile) {
    guard let image = file.image, file.digest == nil else { return nil }
    self.init(name: file.name, type: image.type, bytes: file.bytes)
  }
}

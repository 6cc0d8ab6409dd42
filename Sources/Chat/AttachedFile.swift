/// A file that goes along with a message.
package struct AttachedFile: Sendable, Equatable {
  /// Absolute, on this machine.
  package var path: String
  /// As the message names it.
  package var name: String
  package var bytes: [UInt8]

  package init(path: String, name: String, bytes: [UInt8]) {
    self.path = path
    self.name = name
    self.bytes = bytes
  }

  /// nil for what is no text.
  package var text: String? { bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self) }

  /// nil for what is no picture that models take.
  package var image: ImageHeader? { ImageHeader(bytes) }

  /// What kind of file it is, for who takes files: by its first bytes, else by its name.
  package var type: String {
    if let image { return image.type }
    let suffix = path.split(separator: "/").last.flatMap { name in
      name.contains(".") ? name.split(separator: ".").last?.lowercased() : nil
    }
    return suffix.flatMap { AttachedFile.types[$0] } ?? (text == nil ? "application/octet-stream" : "text/plain")
  }

  /// A picture is none by its name alone.
  private static let types = [
    "bmp": "image/bmp", "wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg", "flac": "audio/flac",
    "m4a": "audio/mp4", "pdf": "application/pdf", "json": "application/json", "md": "text/markdown",
    "html": "text/html", "csv": "text/csv", "xml": "application/xml", "svg": "image/svg+xml",
  ]
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

  /// nil for a file that is no picture.
  package init?(_ file: AttachedFile) {
    guard let image = file.image else { return nil }
    self.init(name: file.name, type: image.type, bytes: file.bytes)
  }
}

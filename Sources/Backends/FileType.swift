import Chat
import Foundation

extension AttachedFile {
  var base64: String { Data(bytes).base64EncodedString() }

  /// nil for what is no text.
  var text: String? { bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self) }
}

/// What kind of file it is, by its name: what models are told of.
enum FileType {
  static func name(of file: AttachedFile) -> String {
    let suffix = file.path.split(separator: "/").last.flatMap { name in
      name.contains(".") ? name.split(separator: ".").last?.lowercased() : nil
    }
    return suffix.flatMap { known[$0] } ?? (file.text == nil ? "application/octet-stream" : "text/plain")
  }

  private static let known = [
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "bmp": "image/bmp", "wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg", "flac": "audio/flac",
    "m4a": "audio/mp4", "pdf": "application/pdf", "json": "application/json", "md": "text/markdown",
    "html": "text/html", "csv": "text/csv", "xml": "application/xml", "svg": "image/svg+xml",
  ]
}

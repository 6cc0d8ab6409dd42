import Chat
import Wire

/// What stands in the place of content that is no text: what it is, of what type, and how large.
struct ContentNote: Equatable {
  /// `image`, an address, `link to TITLE: ADDRESS`.
  var what: String
  var type: String?
  var size: String?

  /// Such as `image, image/png, 24 KB`: a server's words, in part.
  var words: String { [what, type, size].compactMap { $0 }.joined(separator: ", ") }

  /// nil for text.
  init?(_ content: ToolContent) {
    switch content {
    case .text: return nil
    case .image(let base64, let type): self.init("image", type, ContentNote.size(ofBase64: base64))
    case .audio(let base64, let type): self.init("audio", type, ContentNote.size(ofBase64: base64))
    case .link(let resource):
      self.init("link to \(resource.title ?? resource.name): \(resource.uri)", resource.mimeType, nil)
    case .resource(let resource): self.init(resource)
    case .other(let kind): self.init("a block of kind \(kind)", nil, nil)
    }
  }

  /// nil for text.
  init?(_ resource: ResourceContent) {
    guard case .blob(let base64) = resource.body else { return nil }
    self.init(resource.uri, resource.mimeType ?? "unknown type", ContentNote.size(ofBase64: base64))
  }

  /// Of a block as it is kept (`ResultText.whole`); nil for text.
  init?(kept block: JSON) {
    switch block["type"]?.string {
    case "text": return nil
    case "image", "audio":
      self.init(block["type"]?.string ?? "", block["mimeType"]?.string, ContentNote.size(ofKept: block["data"]))
    case "resource_link":
      let uri = block["uri"]?.string ?? ""
      let name = block["title"]?.string ?? block["name"]?.string ?? uri
      self.init("link to \(name): \(uri)", block["mimeType"]?.string, nil)
    case "resource":
      guard let resource = block["resource"], resource["text"] == nil else { return nil }
      self.init(
        resource["uri"]?.string ?? "", resource["mimeType"]?.string ?? "unknown type",
        ContentNote.size(ofKept: resource["blob"]))
    case let kind: self.init("a block of kind \(kind ?? "unknown")", nil, nil)
    }
  }

  private init(_ what: String, _ type: String?, _ size: String?) {
    self.what = what
    self.type = type
    self.size = size
  }

  /// In the place of what is large beyond use.
  static func leftOut(_ base64: String) -> String { "[\(size(ofBase64: base64)) left out]" }

  private static func size(ofKept data: JSON?) -> String {
    let text = data?.string ?? ""
    return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : size(ofBase64: text)
  }

  /// `24 KB`.
  static func size(ofBase64 text: String) -> String {
    let padding = text.utf8.reversed().prefix(2).count { $0 == UInt8(ascii: "=") }
    let bytes = max(0, text.utf8.count / 4 * 3 - padding)
    return ByteSize.text(bytes).string
  }
}

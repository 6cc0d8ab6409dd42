import Chat
import Foundation
import Wire

/// A message as it is sent: a form of several parts, the first of which is JSON (docs/chatui.md 4).
struct ChatUIBody: Sendable {
  /// The most bytes of one file.
  static let fileLimit = 10 << 20

  var data: JSON
  /// Each as a name that says what is in the part, its type, and text.
  private var files: [(name: String, type: String, text: String)] = []
  private(set) var leftOut: [String] = []

  init(_ data: JSON) { self.data = data }

  mutating func attach(_ file: AttachedFile) {
    guard file.digest == nil, file.size <= ChatUIBody.fileLimit else { return leftOut.append(file.name) }
    files.append(("base64;\(file.lastName)", file.type, file.base64))
  }

  /// A file that the conversation has already.
  mutating func attach(_ file: ChatUIFile) {
    // A server's word, which goes into a header.
    let type = file.type.flatMap { $0.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? $0 : nil }
    files.append(("hash;\(file.name)", type ?? "application/octet-stream", file.hash))
  }

  /// The form, and its type.
  func encoded(boundary: String = "parley-\(UUID().uuidString)") -> (bytes: [UInt8], type: String) {
    var text = "--\(boundary)\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n\(data.serialized())\r\n"
    for file in files {
      let name = ChatUIBody.quoted(file.name)
      text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\(name)\"\r\n"
      text += "Content-Type: \(file.type)\r\n\r\n\(file.text)\r\n"
    }
    text += "--\(boundary)--\r\n"
    return (Array(text.utf8), "multipart/form-data; boundary=\(boundary)")
  }

  /// As browsers write a name (WHATWG HTML, section 4.10.22.8).
  private static func quoted(_ name: String) -> String {
    name.replacing("\r", with: "%0D").replacing("\n", with: "%0A").replacing("\"", with: "%22")
  }
}

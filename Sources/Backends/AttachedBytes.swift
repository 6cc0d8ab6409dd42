import Chat
import Foundation

extension AttachedFile {
  var base64: String { Data(bytes).base64EncodedString() }
}

extension AttachedImage {
  /// The whole of it as an address (RFC 2397).
  var dataURL: String { "data:\(type);base64,\(Data(bytes).base64EncodedString())" }
}

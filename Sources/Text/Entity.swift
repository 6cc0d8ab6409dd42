import CMarkdown

/// An HTML entity. Markdown has those of HTML 5.
package enum Entity {
  /// The text that an entity stands for, or nil.
  /// - Parameter bytes: what follows its `&`, up to and with its `;`: `sol;`, `#47;`, `#x2F;`.
  package static func text(_ bytes: some Sequence<UInt8>) -> String? {
    var decoded = [UInt8](repeating: 0, count: Int(MARKDOWN_ENTITY_SIZE))
    let bytes = Array(bytes)
    let count = markdown_entity(bytes, bytes.count, &decoded)
    return count == 0 ? nil : String(decoding: decoded[..<count], as: UTF8.self)
  }
}

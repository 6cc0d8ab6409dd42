extension JSON {
  /// Parses one document. A byte-order mark may precede it (RFC 8259, 8.1), and nothing but blanks may follow it.
  /// - Parameter keepsHalves: see `JSONReader`.
  package init(parsing bytes: [UInt8], keepsHalves: Bool = false) throws(Failure) {
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
      try JSON(parsing: buffer, keepsHalves: keepsHalves)
    }
  }

  package init(parsing text: String) throws(Failure) { try self.init(parsing: Array(text.utf8)) }

  package init(parsing bytes: UnsafeBufferPointer<UInt8>, keepsHalves: Bool = false) throws(Failure) {
    var reader = JSONReader(bytes, at: bytes.startsWithByteOrderMark ? 3 : 0, keepsHalves: keepsHalves)
    self = try reader.value()
    try reader.end()
  }
}

extension JSONReader {
  /// The next value, built.
  package mutating func value() throws(JSON.Failure) -> JSON {
    switch try kind() {
    case .string: return .string(try string())
    case .number: return try number()
    case .bool: return .bool(try bool())
    case .null:
      try null()
      return .null
    case .object:
      var members: [JSON.Member] = []
      try beginObject()
      while let key = try nextKey() { members.append(JSON.Member(key.string, try value())) }
      return .object(members)
    case .array:
      var elements: [JSON] = []
      try beginArray()
      while try nextElement() { elements.append(try value()) }
      return .array(elements)
    }
  }
}

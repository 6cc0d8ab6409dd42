import Wire

/// A property of a tool's schema that the modern wire wants in a header too, marked with `x-mcp-header`
/// (docs/mcp.md 3).
struct HeaderMark: Sendable, Equatable {
  /// The properties to go through, outermost first.
  var path: [String]
  /// What follows `Mcp-Param-`.
  var header: String

  /// A header and its value.
  struct Mirrored: Sendable, Equatable {
    var header: String
    var value: String
  }

  /// Why a tool cannot be called.
  enum Invalid: Error { case notAToken, twice, wrongType, outOfReach }

  /// The marks of a schema. A tool whose marks are wrong must not be offered.
  static func all(in schema: JSON) throws(Invalid) -> [HeaderMark] {
    var marks: [HeaderMark] = []
    try collect(schema, path: [], isReached: true, into: &marks)
    var seen: Set<String> = []
    for mark in marks where !seen.insert(mark.header.lowercased()).inserted { throw .twice }
    return marks
  }

  private static func collect(
    _ schema: JSON, path: [String], isReached: Bool, into marks: inout [HeaderMark]
  ) throws(Invalid) {
    if let array = schema.array {
      for element in array { try collect(element, path: path, isReached: false, into: &marks) }
    }
    for member in schema.object ?? [] {
      switch member.key {
      case "x-mcp-header" where schema["type"] != nil || isReached:
        guard isReached, !path.isEmpty else { throw .outOfReach }
        try marks.append(HeaderMark(member.value, of: schema, at: path))
      case "properties":
        for property in member.value.object ?? [] {
          try collect(property.value, path: path + [property.key], isReached: isReached, into: &marks)
        }
      // Values, not schemas: what looks like a mark in them is none.
      case "default", "const", "enum", "examples": break
      default: try collect(member.value, path: path, isReached: false, into: &marks)
      }
    }
  }

  private init(_ mark: JSON, of schema: JSON, at path: [String]) throws(Invalid) {
    guard let header = mark.string, !header.isEmpty, header.utf8.allSatisfy(HeaderMark.isInToken) else {
      throw .notAToken
    }
    guard ["string", "integer", "boolean"].contains(schema["type"]?.string) else { throw .wrongType }
    self.path = path
    self.header = header
  }

  /// RFC 9110, section 5.6.2.
  private static func isInToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// What goes into the header; nil for an argument that is absent or null.
  func mirrored(_ arguments: JSON) -> Mirrored? {
    var value = arguments
    for key in path {
      guard let inner = value[key] else { return nil }
      value = inner
    }
    switch value {
    case .string(let string): return Mirrored(header: header, value: string)
    case .bool(let bool): return Mirrored(header: header, value: bool ? "true" : "false")
    default: return value.int.map { Mirrored(header: header, value: $0.description) }
    }
  }
}

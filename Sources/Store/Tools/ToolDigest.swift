import CDigest
package import Chat
package import Wire

/// What a tool says of itself, in 64 hexadecimal digits: SHA-256 over its name, title, description, parameters, hints
/// and the rest of its listing (docs/rules.md A8). A tool without such a rest has the digest that earlier versions gave
/// it, and stays allowed; one that has it is asked about once more.
package enum ToolDigest {
  /// The order of an object's members does not count, and neither does how a whole number is written.
  package static func of(_ tool: Tool) -> String { of(tool.kept) }

  /// The same of anything else that was shown to the person.
  package static func of(_ json: JSON) -> String { sha256(canonical(json).bytes()) }

  private static func canonical(_ json: JSON) -> JSON {
    switch json {
    case .object(let members):
      // Enumerated, for members of one name keep their order.
      let sorted = members.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
      return .object(sorted.map { JSON.Member($0.element.key, canonical($0.element.value)) })
    case .array(let elements): return .array(elements.map(canonical))
    case .double(let double): return Int(exactly: double).map(JSON.int) ?? json
    // Every digit of a fraction counts. A long whole number is digested as earlier versions did, so that users are not
    // asked again.
    case .exact(let text):
      if let int = json.int { return .int(int) }
      return text.contains { ".eE".contains($0) } ? json : json.double.map(JSON.double) ?? json
    default: return json
    }
  }
}

/// In hexadecimal digits.
func sha256(_ bytes: [UInt8]) -> String {
  var digest = [UInt8](repeating: 0, count: 32)
  precondition(cdigest_sha256(bytes, bytes.count, &digest) == 1, "OpenSSL has no SHA-256")
  return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

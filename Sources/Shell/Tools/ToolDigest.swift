import CDigest
import Chat
import Wire

/// What makes a tool the one that was allowed: all that it says of itself (RELIABILITY A8).
enum ToolDigest {
  static func of(_ offered: OfferedTool) -> String {
    let tool = offered.tool
    let hints = [
      tool.hints.isReadOnly, tool.hints.isDestructive, tool.hints.isIdempotent, tool.hints.isOpenWorld,
    ]
    // As JSON, so that no text can pass for the end of another.
    let whole: JSON = [
      .string(offered.ownName), tool.title.map(JSON.string) ?? .null, .string(tool.summary), tool.parameters,
      .array(hints.map { $0.map(JSON.bool) ?? .null }),
    ]
    let bytes = whole.bytes()
    var digest = [UInt8](repeating: 0, count: 32)
    precondition(cdigest_sha256(bytes, bytes.count, &digest) == 1, "OpenSSL has no SHA-256")
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

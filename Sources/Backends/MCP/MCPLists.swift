import Chat
import Wire

/// Reads lists page by page.
enum MCPLists {
  /// How many pages and entries are taken (docs/mcp.md 4).
  static let pageLimit = 200
  static let itemLimit = 5000

  /// All entries of a list, and for how long they count.
  static func all(
    _ method: String, _ key: String, by exchange: MCPExchange
  ) async throws(ToolError) -> (items: [JSON], lifetime: Double?) {
    var items: [JSON] = []
    var lifetime: Double?
    var seen: Set<String> = []
    var cursor: String?
    for _ in 0..<pageLimit {
      guard let page = MCPPage(try await exchange.result(of: .list(method, cursor: cursor)), of: key) else {
        throw .malformed("no \(key) in the answer to \(method)")
      }
      items += page.items
      lifetime = page.lifetime.map { min($0, lifetime ?? $0) } ?? lifetime
      guard let next = page.next, seen.insert(next).inserted, items.count < itemLimit else { break }
      cursor = next
    }
    return (Array(items.prefix(itemLimit)), lifetime)
  }
}

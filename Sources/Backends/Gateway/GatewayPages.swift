import Chat
import Wire

extension GatewayAPI {
  /// The entries of a list, page by page, until there are so many. - Parameter key: what the list may be called.
  func list(_ path: String, _ key: String, atMost limit: Int) async throws(BackendError) -> (
    entries: [JSON], hasMore: Bool
  ) {
    let form = try await form()
    var entries: [JSON] = []
    var pages = GatewayPages(form)
    while true {
      let page = try await get(path + pages.query)
      guard let found = (page["data"] ?? page[key])?.array ?? page.array else {
        throw .malformed(address: address, detail: "no list of \(key)")
      }
      entries += found
      let hasMore = pages.turn(page, found.count) && !found.isEmpty
      guard hasMore, entries.count < limit else {
        return (Array(entries.prefix(limit)), hasMore || entries.count > limit)
      }
    }
  }
}

/// How the pages of a list are asked for (docs/gateway.md 4).
struct GatewayPages {
  /// More than a hundred of a page is refused by some.
  private static let size = 100

  private(set) var query: String
  private let form: GatewayForm
  private var number = 1
  private var offset = 0

  init(_ form: GatewayForm) {
    self.form = form
    query =
      switch form {
      case .program: "?page=1&per_page=\(GatewayPages.size)"
      case .relay: "?limit=\(GatewayPages.size)&offset=0"
      case .keeper, .documented: ""
      }
  }

  /// Turns the page; whether there is another.
  mutating func turn(_ page: JSON, _ count: Int) -> Bool {
    number += 1
    offset += count
    switch form {
    case .program:
      query = "?page=\(number)&per_page=\(GatewayPages.size)"
      return page["pagination"]?["has_next"]?.bool ?? false
    case .relay:
      query = "?limit=\(GatewayPages.size)&offset=\(offset)"
      return offset < page["total"]?.int ?? 0
    case .keeper, .documented:
      guard let cursor = page["next_cursor"]?.word else { return false }
      query = "?cursor=\(cursor.percentEncoded)"
      return true
    }
  }
}

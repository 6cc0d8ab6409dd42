import Wire

/// Which tools are chosen: whole servers, and single tools of others. What is missing now may come back, so it stays.
struct ToolChoice: Sendable, Equatable {
  private(set) var items: [Item] = []

  /// A server by its id, or one tool of it.
  struct Item: Sendable, Hashable {
    var server: String
    var tool: String?

    init(server: String, tool: String? = nil) {
      self.server = server
      self.tool = tool
    }
  }

  init(_ items: [Item] = []) {
    for item in items { choose(item) }
  }

  /// As a setting keeps it.
  init(words: [String]) { self.init(words.compactMap(Item.init(word:))) }

  var words: [String] { items.map(\.word) }
  var isEmpty: Bool { items.isEmpty }
  /// The ids of servers that something is chosen of.
  var servers: Set<String> { Set(items.map(\.server)) }

  func has(_ tool: String, of server: String) -> Bool {
    items.contains { $0.server == server && ($0.tool == nil || $0.tool == tool) }
  }

  func hasWhole(_ server: String) -> Bool { items.contains(Item(server: server)) }

  /// A whole server takes the place of its single tools.
  mutating func choose(_ item: Item) {
    guard !items.contains(item), !hasWhole(item.server) else { return }
    if item.tool == nil { items.removeAll { $0.server == item.server } }
    items.append(item)
  }

  /// - Parameter tools: what the server of the item has: those that stay when one of all is dropped.
  mutating func drop(_ item: Item, of tools: [String]) {
    guard let tool = item.tool, hasWhole(item.server) else {
      items.removeAll { $0.server == item.server && (item.tool == nil || $0.tool == item.tool) }
      return
    }
    items.removeAll { $0.server == item.server }
    items += tools.filter { $0 != tool }.map { Item(server: item.server, tool: $0) }
  }
}

extension ToolChoice.Item {
  /// `SERVER` or `SERVER/TOOL`; what would end a word, or part it, is written as in an address.
  var word: String {
    [server, tool].compactMap { $0 }.map(ToolChoice.Item.escaped).joined(separator: "/")
  }

  init?(word: String) {
    let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      .map { String($0).percentDecoded }
    guard !parts.contains("") else { return nil }
    self.init(server: parts[0], tool: parts.count > 1 ? parts[1] : nil)
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      guard scalar.properties.isWhitespace || scalar == "/" || scalar == "%" || scalar.value < 0x20 else {
        return String(scalar)
      }
      return String(scalar).utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }.joined()
  }
}

import Foundation
package import Wire

/// Snippets as a file hands them from one program to another (docs/snippets.md 3).
package struct SnippetDocument: Sendable, Equatable {
  package var snippets: [Snippet] = []
  package var categories: [SnippetCategory] = []
  /// How many entries are no snippets: they have no name or no text.
  package var unreadable = 0

  /// The names of lists of snippets, as programs call them.
  static let lists: Set<String> = ["snippets", "commands", "customCommands", "shortcuts"]

  package init(snippets: [Snippet], categories: [SnippetCategory] = []) {
    self.snippets = snippets
    self.categories = categories
  }

  /// A list, an object with lists, groups with lists of their own, or a single snippet.
  /// - Parameters:
  ///   - dates: what numbers are that stand for moments; nil finds out.
  ///   - now: milliseconds since 1970.
  /// - Returns: nil when there is nothing of that.
  package init?(_ json: JSON, dates: SnippetDates? = nil, now: Int) {
    self.init(json, dates, now: now, isOwn: false)
    for index in snippets.indices { snippets[index].isForeign = true }
  }

  /// Our own state: it is a list of snippets and nothing else.
  init?(state json: JSON) {
    guard json["snippets"]?.array != nil else { return nil }
    self.init(json, .isoMilliseconds, now: .max, isOwn: true)
    guard unreadable == 0 else { return nil }
  }

  private init?(_ json: JSON, _ dates: SnippetDates?, now: Int, isOwn: Bool) {
    func read(_ list: [JSON], in category: String?) {
      var found = list.compactMap { entry in
        Snippet(entry, dates, now: now, in: category, isOwn: isOwn).map { ($0, Snippet.position(entry)) }
      }
      unreadable += list.count - found.count
      if found.allSatisfy({ $0.1 != nil }) {
        // Stable: those of one place stay as they stand.
        found = found.enumerated().sorted { ($0.element.1 ?? 0, $0.offset) < ($1.element.1 ?? 0, $1.offset) }
          .map(\.element)
      }
      snippets += found.map(\.0)
    }
    func readGroup(_ json: JSON) -> Bool {
      guard let lists = SnippetDocument.lists(of: json), let group = SnippetCategory(json) else { return false }
      categories.append(group)
      for list in lists { read(list, in: group.name) }
      return true
    }
    if let list = json.array {
      var alone: [JSON] = []
      for entry in list where !readGroup(entry) { alone.append(entry) }
      read(alone, in: nil)
    } else if !readGroup(json) {
      let lists = SnippetDocument.lists(of: json)
      guard lists != nil || json["categories"]?.array != nil || Snippet(json, dates, now: now) != nil else {
        return nil
      }
      for entry in json["categories"]?.array ?? [] where !readGroup(entry) {
        if let category = SnippetCategory(entry) { categories.append(category) }
      }
      if let lists {
        for list in lists { read(list, in: nil) }
      } else if json["command"] != nil {
        read([json], in: nil)
      }
    }
  }

  /// nil where it has none.
  private static func lists(of json: JSON) -> [[JSON]]? {
    let found = (json.object ?? []).filter { lists.contains($0.key) }.compactMap(\.value.array)
    return found.isEmpty ? nil : found
  }
}

extension SnippetDocument {
  /// All there is to know, for this program.
  package var json: JSON { json(isOwn: false) }

  func json(isOwn: Bool) -> JSON {
    var json: JSON = ["version": 1]
    if !categories.isEmpty { json["categories"] = .array(categories.map(\.json)) }
    json["snippets"] = .array(snippets.map { $0.json(.isoMilliseconds, isOwn: isOwn) })
    return json
  }

  /// The bare list that programs read whose commands always have each of these fields: what is lacking is what they
  /// give a new one.
  /// - Parameter now: when one was made of which nobody knows it, in milliseconds since 1970.
  package func list(_ dates: SnippetDates, now: Int) -> JSON {
    .array(
      snippets.map { snippet in
        var full = snippet
        full.createdAt = snippet.createdAt ?? now
        full.color = snippet.color ?? categories.first { $0.name == snippet.category }?.color ?? "#007AFF"
        full.icon = snippet.icon ?? "terminal"
        var json = full.json(dates)
        if json["category"] == nil { json["category"] = "" }
        let id = json["id"]?.string ?? snippet.name
        if UUID(uuidString: id) == nil { json["id"] = .string(SnippetDocument.uuid(of: id)) }
        return json
      })
  }

  /// The same one for the same name, so that a second file names the same snippets.
  private static func uuid(of name: String) -> String {
    let digits = Array(sha256(Array(name.utf8)).uppercased())
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return parts.map { String(digits[$0]) }.joined(separator: "-")
  }
}

import Wire

/// A snippet as an object (docs/snippets.md 3).
extension Snippet {
  /// - Parameters:
  ///   - dates: what numbers are that stand for moments; nil finds out.
  ///   - category: of the group that it stands in.
  ///   - isOwn: whether the file is our own state, and its word on what was looked at counts.
  /// - Returns: nil when it has no name or no text.
  init?(_ json: JSON, _ dates: SnippetDates?, now: Int, in category: String? = nil, isOwn: Bool = false) {
    var members = ObjectMembers(json)
    // The name that others give it says that the other two have other names as well.
    let isShortcut = json["name"]?.string == nil
    guard let name = members.text("name") ?? members.text("label"), let text = members.text("command"),
      !name.allSatisfy(\.isWhitespace), !text.allSatisfy(\.isWhitespace)
    else { return nil }
    let count = members.count("usageCount") ?? (isShortcut ? members.count("usage") : nil)
    // Where it stands is its place.
    if isShortcut { _ = members.count("position") }
    self.init(
      name: name, text: text, kind: members.choice("kind", Kind.init) ?? .message,
      category: members.text("category", isOptional: true) ?? category,
      color: members.text("color", isOptional: true), icon: members.text("icon", isOptional: true),
      isActive: members.flag("isActive") ?? true, createdAt: members.moment("createdAt", dates, now),
      usageCount: min(max(0, count ?? 0), Snippet.mostUses), lastUsedAt: members.moment("lastUsedAt", dates, now),
      isForeign: (members.flag("isForeign") ?? false) && isOwn)
    rest = members.others
  }

  /// The place in a list whose order is a number of each.
  static func position(_ json: JSON) -> Int? { json["name"] == nil ? json["position"]?.int : nil }

  func json(_ dates: SnippetDates, isOwn: Bool = false) -> JSON {
    var json: JSON = ["name": .string(name), "command": .string(text)]
    if kind != .message { json["kind"] = .string(kind.rawValue) }
    if let category { json["category"] = .string(category) }
    if let color { json["color"] = .string(color) }
    if let icon { json["icon"] = .string(icon) }
    json["isActive"] = .bool(isActive)
    if let createdAt { json["createdAt"] = dates.json(createdAt) }
    json["usageCount"] = .int(usageCount)
    if let lastUsedAt { json["lastUsedAt"] = dates.json(lastUsedAt) }
    if isOwn, isForeign { json["isForeign"] = true }
    return json.with(rest)
  }
}

extension SnippetCategory {
  init?(_ json: JSON) {
    var members = ObjectMembers(json)
    guard let name = members.text("name"), !name.allSatisfy(\.isWhitespace) else { return nil }
    self.init(name: name, color: members.text("color", isOptional: true))
    // Those of it are told apart by their own word.
    members.drop(SnippetDocument.lists)
    rest = members.others
  }

  var json: JSON {
    var json: JSON = ["name": .string(name)]
    if let color { json["color"] = .string(color) }
    return json.with(rest)
  }
}

/// The members of an object, of which those that are understood are taken out.
private struct ObjectMembers {
  /// Those that were not understood: what is nested so deep that it would make the file unreadable is left out.
  var others: [JSON.Member]

  init(_ json: JSON) {
    // Below the file, its list and the object.
    others = (json.object ?? []).filter { $0.value.isReadable(within: 3) }
  }

  mutating func text(_ key: String, isOptional: Bool = false) -> String? {
    guard let text = value(key)?.string else { return nil }
    drop([key])
    return isOptional && text.isEmpty ? nil : text
  }

  mutating func count(_ key: String) -> Int? {
    guard let count = value(key)?.int else { return nil }
    drop([key])
    return count
  }

  mutating func flag(_ key: String) -> Bool? {
    guard let flag = value(key)?.bool else { return nil }
    drop([key])
    return flag
  }

  mutating func choice<Choice>(_ key: String, _ choice: (String) -> Choice?) -> Choice? {
    guard let choice = value(key)?.string.flatMap(choice) else { return nil }
    drop([key])
    return choice
  }

  mutating func moment(_ key: String, _ dates: SnippetDates?, _ now: Int) -> Int? {
    guard let moment = value(key).flatMap({ SnippetDates.moment($0, dates, now: now) }) else { return nil }
    drop([key])
    return moment
  }

  mutating func drop(_ keys: Set<String>) { others.removeAll { keys.contains($0.key) } }

  private func value(_ key: String) -> JSON? { others.last { $0.key == key }?.value }
}

extension JSON {
  /// With what else was said of it, but for what it says itself.
  fileprivate func with(_ rest: [JSON.Member]) -> JSON {
    let own = Set((object ?? []).map(\.key))
    return .object((object ?? []) + rest.filter { !own.contains($0.key) })
  }
}

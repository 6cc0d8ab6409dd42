import Wire

/// The file of `Permissions`.
enum PermissionsFile {
  /// nil when it is no list of permissions.
  static func entries(_ json: JSON) -> [Permissions.Entry]? {
    guard let allowed = json["allowed"]?.array else { return nil }
    var entries: [Permissions.Entry] = []
    for item in allowed {
      guard let entry = Permissions.Entry(item) else { return nil }
      entries.append(entry)
    }
    return entries
  }

  /// Keys of the file that this version does not know stay. Those of an entry do not: it is of a tool that was allowed
  /// anew by this version.
  static func json(_ entries: [Permissions.Entry], keepingUnknownOf older: JSON?) -> JSON {
    let items = entries.map { entry in
      older?["allowed"]?.array?.last { Permissions.Entry($0) == entry } ?? entry.json
    }
    let list: JSON = ["version": .int(max(1, older?["version"]?.int ?? 1)), "allowed": .array(items)]
    return older.map { list.adding($0, except: []) } ?? list
  }
}

extension Permissions.Entry {
  fileprivate init?(_ json: JSON) {
    guard let place = json["place"]?.string, let tool = json["tool"]?.string, let digest = json["digest"]?.string
    else { return nil }
    self.init(
      place: place, server: json["server"]?.string ?? "", tool: tool, digest: digest,
      allowedAt: json["allowedAt"]?.int ?? 0)
  }

  fileprivate var json: JSON {
    [
      "place": .string(place), "server": .string(server), "tool": .string(tool), "digest": .string(digest),
      "allowedAt": .int(allowedAt),
    ]
  }
}

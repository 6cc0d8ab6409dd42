import Chat
import Store
import Text
import Wire

/// The part of `/server` that is about what the person has set on the server itself (docs/chatui.md 7).
enum RemoteSetting {
  static func list(_ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let settings = try await settings(&shell)
    let all = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await settings.all() }
    let isShown = !asJSON && shell.desk.options.output == .text
    try await shell.desk.show(
      Listing(
        columns: [Listing.Column("SETTING", "key"), Listing.Column("VALUE", "shown")],
        rows: rows(of: all, isShown: isShown),
        whenEmpty: "nothing is set there", wrapsLast: true),
      asJSON: asJSON)
  }

  /// Each entry of a map is a row of its own.
  /// - Parameter isShown: whether a map that is empty is to show how its entries are named.
  private static func rows(of all: JSON, isShown: Bool) -> [JSON] {
    (all.object ?? []).flatMap { member -> [JSON] in
      guard let entries = member.value.object else { return [row(member.key, member.value)] }
      // What a map could have is not told; how it is named is.
      guard !entries.isEmpty else { return isShown ? [row(member.key + ".MODEL", .null)] : [] }
      return entries.map { row(member.key + "." + $0.key, $0.value) }
    }
  }

  private static func row(_ key: String, _ value: JSON) -> JSON {
    ["key": .string(key), "value": value, "shown": .string(value.string ?? (value.isNull ? "" : value.serialized()))]
  }

  static func set(_ name: String, to text: String, _ shell: inout Shell) async throws(ShellError) {
    let settings = try await settings(&shell)
    let all = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await settings.all() }
    let (key, entry) = try place(name, in: all)
    let before = entry.map { all[key]?[$0] } ?? all[key]
    let value = try value(text, like: before ?? kind(of: key, all[key]), of: name)
    let isRemoval = entry != nil && text.isEmpty
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await settings.set(key, entry: entry, to: isRemoval ? nil : value)
    }
    shell.desk.say(isRemoval ? "\(name) is not set there any more" : "\(name) is set there")
  }

  /// The key, and behind its first dot the entry of its map: names of models have dots in them too.
  private static func place(_ name: String, in all: JSON) throws(ShellError) -> (key: String, entry: String?) {
    let key = String(name.prefix { $0 != "." })
    let entry = key.count < name.count ? String(name.dropFirst(key.count + 1)) : nil
    let keys = (all.object ?? []).map(\.key)
    guard let known = all[key], (known.object != nil) == (entry != nil) else {
      throw .unknown(.remoteSetting, name, nearest: Nearest.words(to: key, among: keys))
    }
    return (key, entry)
  }

  /// Of the entries of a map, which may be empty: those of these names are switches (docs/chatui.md 7).
  private static func kind(of key: String, _ map: JSON?) -> JSON? {
    if let known = map?.object?.first?.value { return known }
    let switches = ["toolsOverrides", "artifactsOverrides", "reasoningOverrides", "multimodalOverrides"]
    return switches.contains(key) || ["customPromptsEnabled", "hidePromptExamples"].contains(key) ? true : nil
  }

  /// A value of the kind that is there: servers refuse another with a mere failure.
  private static func value(_ text: String, like known: JSON?, of name: String) throws(ShellError) -> JSON {
    switch known {
    case .bool?:
      switch text {
      case "on", "true": return true
      case "off", "false": return false
      case "": return .null
      default: throw .noSuchChoice(text, of: name, known: ["on", "off"])
      }
    case .int?, .double?, .exact?:
      // What is no number of JSON may be one of Swift's.
      if let written = try? JSON(parsing: text), written.double != nil { return written }
      guard let number = Double(text) else { throw .badNumber(text, command: "server settings") }
      return Int(exactly: number).map(JSON.int) ?? .double(number)
    default: return .string(text)
    }
  }

  private static func settings(_ shell: inout Shell) async throws(ShellError) -> any RemoteSettings {
    let link = try await shell.links.connected(&shell.desk)
    guard let settings = link.backend.settings else {
      throw .notKeptThere(server: link.server.name, what: "settings of yours")
    }
    return settings
  }
}

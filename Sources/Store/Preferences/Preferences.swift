/// The settings in effect, with where each comes from: one JSON object with the keys of `Setting.all`, flat and as
/// they are typed (`"timeout.connect": 10`).
///
/// A change re-reads the file under a lock and edits the text of the one value, so that comments, order and keys of
/// other versions survive, and two shells do not undo each other's changes.
package struct Preferences: Sendable {
  package let path: String
  /// What is wrong with the file, for one notice each.
  package private(set) var warnings: [PreferenceWarning] = []

  private var values: [String: SettingValue] = [:]
  private var overlays: [String: (value: SettingValue, origin: SettingOrigin)] = [:]
  private var stamp: FileStamp?
  private let writes: Bool

  /// Reads the file. What cannot be read has its default and a warning.
  /// - Parameter writes: false reads the file this once and keeps changes in memory, for this run: nothing is made or
  ///   written beside it.
  package init(_ path: String, writes: Bool = true) {
    self.path = path
    self.writes = writes
    read()
  }

  /// A setting's value in effect; `unset` for a key there is not.
  package subscript(_ key: String) -> SettingValue { effective(key).value }

  package func origin(of key: String) -> SettingOrigin { effective(key).origin }

  /// Sets a value for this run only; the file stays as it is.
  package mutating func overlay(_ key: String, _ text: String, from origin: SettingOrigin) throws(SettingError) {
    overlays[key] = (try Setting.named(key).value(from: text), origin)
  }

  /// Reads the file again when it is another one than was read, such as after another shell's change; true then.
  package mutating func refresh() -> Bool {
    guard writes, FileStamp(path) != stamp else { return false }
    read()
    return true
  }

  /// Sets a value in the file, for this run and later ones; for this run only where nothing is written.
  package mutating func set(_ key: String, _ text: String) throws(PreferenceError) -> PreferenceChange {
    let value: SettingValue
    do { value = try Setting.named(key).value(from: text) } catch { throw .setting(error) }
    return try set(key, to: value)
  }

  /// Sets a list in the file, as `set`; its words may hold spaces. An empty one is a value too.
  package mutating func set(_ key: String, list words: [String]) throws(PreferenceError) -> PreferenceChange {
    let setting: Setting
    do { setting = try Setting.named(key) } catch { throw .setting(error) }
    guard setting.kind == .list else {
      throw .setting(.badValue(key: key, value: words.joined(separator: " "), accepted: setting.accepted))
    }
    return try set(key, to: .list(words))
  }

  private mutating func set(_ key: String, to value: SettingValue) throws(PreferenceError) -> PreferenceChange {
    guard writes else { return held(key, value, .run) }
    let aside = try PreferenceFile(path).change { json in json.setting(key, to: value.literal) }
    return changed(key, aside)
  }

  /// Takes a value out of the file, so that its default holds again.
  package mutating func reset(_ key: String) throws(PreferenceError) -> PreferenceChange {
    let standard: SettingValue
    do { standard = try Setting.named(key).standard } catch { throw .setting(error) }
    guard writes else { return held(key, standard, .standard) }
    let aside = try PreferenceFile(path).change { json in json.removing(key) }
    return changed(key, aside)
  }

  /// Sets a broken file aside, as the next change would; gives its new name, nil when the file is not broken or
  /// is not to be written.
  package mutating func setAside() throws(PreferenceError) -> String? {
    guard writes else { return nil }
    let aside = try PreferenceFile(path).change { json in json.bytes }
    read()
    return aside
  }

  private mutating func held(_ key: String, _ value: SettingValue, _ origin: SettingOrigin) -> PreferenceChange {
    overlays[key] = (value, origin)
    return PreferenceChange(value: value, setAside: nil)
  }

  private mutating func changed(_ key: String, _ aside: String?) -> PreferenceChange {
    overlays[key] = nil
    read()
    return PreferenceChange(value: self[key], setAside: aside)
  }

  private func effective(_ key: String) -> (value: SettingValue, origin: SettingOrigin) {
    if let overlay = overlays[key] { return overlay }
    if let value = values[key] { return (value, .file) }
    return ((try? Setting.named(key))?.standard ?? .unset, .standard)  // a key there is not has no value
  }

  private mutating func read() {
    // Taken first: a change in between is then noticed by the next refresh.
    stamp = FileStamp(path)
    values = [:]
    warnings = []
    do throws(PreferenceError) {
      guard let json = try PreferenceFile(path).read() else { return }
      take(json)
    } catch {
      warnings = [PreferenceWarning(error, path: path)]
    }
  }

  private mutating func take(_ json: CommentedJSON) {
    for member in json.members where member.key != "version" {
      do throws(SettingError) {
        values[member.key] = try Setting.named(member.key).value(from: member.value)
      } catch {
        // A key of another version is none of our business, unless it looks like a slip.
        if case .unknownKey(_, let nearest) = error, nearest.isEmpty { continue }
        warn(.setting(error), at: member, in: json)
      }
    }
    guard let version = json.members.last(where: { $0.key == "version" }) else { return }
    if let found = json.version {
      if found > PreferenceFile.version {
        warn(.newer(found: found, known: PreferenceFile.version), at: version, in: json)
      }
    } else {
      let accepted = "a whole number from 1 on"
      warn(.setting(.badValue(key: "version", value: "", accepted: accepted)), at: version, in: json)
    }
  }

  private mutating func warn(
    _ problem: PreferenceWarning.Problem, at member: CommentedJSON.Member, in json: CommentedJSON
  ) {
    let (line, column) = CommentedJSON.position(of: member.range.lowerBound, in: json.bytes)
    warnings.append(PreferenceWarning(path: path, line: line, column: column, problem: problem))
  }
}

/// Where a setting's value comes from.
package enum SettingOrigin: Sendable, Equatable {
  case standard
  /// The preferences file.
  case file
  /// A variable of this name.
  case environment(String)
  /// An option or `--set` of this run.
  case commandLine
  /// A change in a run that writes nothing.
  case run
}

/// What a change did.
package struct PreferenceChange: Sendable, Equatable {
  /// What is in effect now.
  package var value: SettingValue
  /// The new name of a broken file that made way.
  package var setAside: String?
}

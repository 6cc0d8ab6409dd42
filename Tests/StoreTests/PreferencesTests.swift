import Chat
import Foundation
import TestSupport
import Testing

@testable import Store

private func withFile<T>(_ text: String?, _ body: (String) async throws -> T) async throws -> T {
  try await withTemporaryDirectory { directory in
    let path = directory.path + "/preferences.json"
    if let text { try AtomicFile.write(Array(text.utf8), to: path) }
    return try await body(path)
  }
}

private func text(_ path: String) throws -> String? {
  try AtomicFile.read(path).map { String(decoding: $0, as: UTF8.self) }
}

@Suite struct SettingTests {
  @Test(arguments: [
    ("temperature", "0.4", SettingValue.number(0.4)), ("temperature", "unset", .unset), ("max-tokens", "none", .unset),
    ("max-tokens", "512", .integer(512)), ("reasoning", "HIDE", .text("hide")), ("timing", "on", .flag(true)),
    ("timeout.idle", "5m", .number(300)), ("timeout.first-token", "none", .unset),
    ("timeout.connect", "2.5", .number(2.5)),
    ("stop", " web  files ", .list(["web", "files"])), ("system-prompt", "Be brief. ", .text("Be brief. ")),
  ])
  func `a setting reads what is typed`(_ key: String, _ text: String, _ value: SettingValue) throws {
    #expect(try Setting.named(key).value(from: text) == value)
  }

  @Test(arguments: [
    ("temperature", "hot", "a number from 0 to 2, or unset"), ("temperature", "2.1", "a number from 0 to 2, or unset"),
    ("temperature", "nan", "a number from 0 to 2, or unset"),
    ("max-tokens", "0", "a whole number from 1 to 10000000, or unset"),
    ("reasoning", "fancy", "show, dim, fold, hide"), ("timing", "perhaps", "on, off"),
    ("timeout.connect", "none", "seconds from 0.1 to 3600, or 5m, 1h"),
    ("seed", "-1", "a whole number from 0 on, or unset"),
  ])
  func `a bad value names what is accepted`(_ key: String, _ text: String, _ accepted: String) {
    #expect(throws: SettingError.badValue(key: key, value: text, accepted: accepted)) {
      try Setting.named(key).value(from: text)
    }
  }

  @Test(arguments: [
    ("temprature", "temperature"), ("Temperature", "temperature"), ("max_tokens", "max-tokens"),
    ("idle", "timeout.idle"),
    ("colour", "color"), ("promt", "prompt"),
  ])
  func `an unknown key suggests the nearest`(_ typed: String, _ meant: String) {
    #expect(Setting.nearest(to: typed).first == meant)
  }

  @Test func `a key like no other suggests nothing`() {
    #expect(throws: SettingError.unknownKey("zzzzzz", nearest: [])) { try Setting.named("zzzzzz") }
  }

  @Test func `every default is a value that its setting takes`() throws {
    for setting in Setting.all {
      #expect(try setting.value(from: setting.standard.text) == setting.standard, "\(setting.key)")
    }
    #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
  }
}

@Suite struct PreferencesTests {
  @Test func `without a file every setting has its default`() async throws {
    try await withFile(nil) { path in
      let preferences = Preferences(path)
      #expect(preferences.warnings.isEmpty)
      #expect(preferences["temperature"] == .number(0.7))
      #expect(preferences.origin(of: "temperature") == .standard)
      #expect(preferences.timeouts == Timeouts())
      #expect(preferences.systemPrompt == "You are a helpful assistant.")
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `setting and resetting a value writes and unwrites it`() async throws {
    try await withFile(nil) { path in
      var preferences = Preferences(path)
      let change = try preferences.set("temperature", "0.4")
      #expect(change == PreferenceChange(value: .number(0.4), setAside: nil))
      #expect(try text(path) == "{\n  \"version\": 1,\n  \"temperature\": 0.4\n}\n")
      #expect(preferences.origin(of: "temperature") == .file)
      #expect(Preferences(path).sampling.temperature == 0.4)
      _ = try preferences.reset("temperature")
      #expect(try text(path) == "{\n  \"version\": 1\n}\n")
      #expect(preferences["temperature"] == .number(0.7))
    }
  }

  @Test func `a value for this run shadows the file until it is set anew`() async throws {
    try await withFile(#"{"temperature": 1}"#) { path in
      var preferences = Preferences(path)
      try preferences.overlay("temperature", "0.1", from: .commandLine)
      #expect(preferences["temperature"] == .number(0.1))
      #expect(preferences.origin(of: "temperature") == .commandLine)
      #expect(throws: SettingError.self) { try preferences.overlay("temperature", "9", from: .commandLine) }
      _ = try preferences.set("editing", "vi")
      #expect(preferences["temperature"] == .number(0.1))
      let after = try text(path)
      #expect(after == #"{"temperature": 1, "editing": "vi"}"#)
      _ = try preferences.set("temperature", "2")
      #expect(preferences.origin(of: "temperature") == .file)
    }
  }

  @Test func `where nothing is written a change holds for the run and makes no file`() async throws {
    try await withTemporaryDirectory { directory in
      var preferences = Preferences(directory.path + "/config/preferences.json", writes: false)
      #expect(try preferences.set("seed", "5") == PreferenceChange(value: .integer(5), setAside: nil))
      #expect(preferences["seed"] == .integer(5))
      #expect(preferences.origin(of: "seed") == .run)
      #expect(throws: PreferenceError.self) { _ = try preferences.set("seed", "x") }
      #expect(throws: PreferenceError.self) { _ = try preferences.reset("zzzzzz") }
      _ = try preferences.reset("seed")
      #expect(preferences["seed"] == .unset)
      let aside = try preferences.setAside()
      #expect(aside == nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
  }

  @Test func `where nothing is written the file is read at the start and stays as it is`() async throws {
    try await withFile(#"{"temperature": 1, "seed": 3}"#) { path in
      var preferences = Preferences(path, writes: false)
      #expect(preferences["seed"] == .integer(3))
      _ = try preferences.set("temperature", "0.2")
      _ = try preferences.reset("seed")
      #expect(preferences["temperature"] == .number(0.2))
      #expect(preferences["seed"] == .unset)
      #expect(preferences.origin(of: "seed") == .standard)
      let after = try text(path)
      #expect(after == #"{"temperature": 1, "seed": 3}"#)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory(of: path)) == ["preferences.json"])
      try AtomicFile.write(Array(#"{"seed": 9}"#.utf8), to: path)
      let noticed = preferences.refresh()
      #expect(!noticed)
      #expect(preferences["temperature"] == .number(0.2))
    }
  }

  @Test(arguments: [
    ("9223372036854775807", SettingValue.integer(.max)), ("9223372036854775806", .integer(.max - 1)),
    ("9007199254740993", .integer(9_007_199_254_740_993)), ("1e3", .integer(1000)), ("100.0", .integer(100)),
  ])
  func `a whole number in the file is read exactly`(_ number: String, _ value: SettingValue) async throws {
    try await withFile("{\"seed\": \(number)}") { path in
      let preferences = Preferences(path)
      #expect(preferences["seed"] == value)
      #expect(preferences.warnings.isEmpty)
      #expect(preferences.sampling.seed == preferences.integer("seed"))
      #expect((preferences.number("seed") ?? 0) > 0)
    }
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1e19", "1e400", "-1e400",
    "99999999999999999999999999",
  ])
  func `a number that is no seed is refused, however large`(_ number: String) async throws {
    try await withFile("{\"version\": 1, \"seed\": \(number), \"max-tokens\": \(number), \"timeout.idle\": -1}") {
      path in
      var preferences = Preferences(path)
      #expect(preferences["seed"] == .unset)
      #expect(preferences.warnings.count == 3)
      #expect(throws: PreferenceError.self) { _ = try preferences.set("seed", number) }
      #expect(throws: PreferenceError.self) { _ = try preferences.set("temperature", number + "9") }
      #expect(throws: PreferenceError.self) { _ = try preferences.set("timeout.idle", number + "99h") }
    }
  }

  @Test func `the largest whole number is written, read and kept with a session`() async throws {
    try await withFile(nil) { path in
      var preferences = Preferences(path)
      _ = try preferences.set("seed", String(Int.max))
      #expect(Preferences(path)["seed"] == .integer(.max))
      #expect(preferences["seed"].text == "9223372036854775807")
      let history = try History.inMemory()
      var session = Session()
      session.sampling = preferences.sampling
      try await history.say("?", in: &session)
      #expect(try await history.session(session.id)?.sampling.seed == Int.max)
    }
  }

  @Test func `a bad value has its default and is named once with its line`() async throws {
    let file =
      "{\n  // mine\n  \"temperature\": \"hot\",\n  \"temprature\": 1,\n  \"their-key\": {\"a\": [1]},\n  \"seed\": 7,\n}"
    try await withFile(file) { path in
      let preferences = Preferences(path)
      #expect(preferences["temperature"] == .number(0.7))
      #expect(preferences["seed"] == .integer(7))
      #expect(preferences.warnings.map(\.line) == [3, 4])
      #expect(preferences.warnings.map(\.column) == [3, 3])
      #expect(
        preferences.warnings.map(\.problem) == [
          .setting(.badValue(key: "temperature", value: "hot", accepted: "a number from 0 to 2, or unset")),
          .setting(.unknownKey("temprature", nearest: ["temperature"])),
        ])
    }
  }

  @Test(arguments: [
    ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3), ("{\"a\": 1", 1, 8), ("[]", 1, 1), ("{} x", 1, 4), ("{\"a\": 01}", 1, 8),
    ("{\"a\": \"\\ud800\"}", 1, 14), ("{\"a\": tru}", 1, 7), ("{\"a\": /* ", 1, 7), ("{,}", 1, 2),
    ("// only this", 1, 13),
  ])
  func `a broken file is named, not overwritten, and set aside by a change`(
    _ broken: String, _ line: Int, _ column: Int
  ) async throws {
    try await withFile(broken) { path in
      var preferences = Preferences(path)
      #expect(preferences["temperature"] == .number(0.7))
      #expect(preferences.warnings.count == 1)
      #expect(preferences.warnings.first?.line == line)
      #expect(preferences.warnings.first?.column == column)
      #expect(try text(path) == broken)
      let change = try preferences.set("seed", "3")
      let aside = try #require(change.setAside)
      #expect(name(of: aside).hasPrefix("preferences.broken-"))
      #expect(try text(aside) == broken)
      #expect(try text(path) == "{\n  \"version\": 1,\n  \"seed\": 3\n}\n")
      #expect(preferences.warnings.isEmpty)
    }
  }

  @Test func `a file of a later version is read and never written`() async throws {
    try await withFile(#"{"version": 2, "seed": 5}"#) { path in
      var preferences = Preferences(path)
      #expect(preferences["seed"] == .integer(5))
      #expect(preferences.warnings.map(\.problem) == [.newer(found: 2, known: 1)])
      #expect(throws: PreferenceError.newer(found: 2, known: 1)) { _ = try preferences.set("seed", "6") }
      let after = try text(path)
      #expect(after == #"{"version": 2, "seed": 5}"#)
    }
  }

  @Test func `another shell's change is noticed and kept`() async throws {
    try await withFile(nil) { path in
      var here = Preferences(path)
      var there = Preferences(path)
      _ = try there.set("seed", "1")
      let noticed = here.refresh()
      #expect(noticed)
      #expect(here["seed"] == .integer(1))
      let again = here.refresh()
      #expect(!again)
      _ = try there.set("reasoning", "hide")
      _ = try here.set("editing", "vi")
      #expect(here["reasoning"] == .text("hide"))
    }
  }

  @Test func `a list is set with its words as they are`() async throws {
    try await withFile(nil) { path in
      var preferences = Preferences(path)
      let words = ["peer/add", "a b", "\"c\"", "unset"]
      let change = try preferences.set("tools.selected", list: words)
      #expect(change.value == .list(words))
      #expect(Preferences(path)["tools.selected"] == .list(words))
      _ = try preferences.set("tools.selected", list: [])
      #expect(Preferences(path)["tools.selected"] == .list([]))
      #expect(preferences.origin(of: "tools.selected") == .file)
      let refusal = PreferenceError.setting(
        .badValue(key: "seed", value: "1 2", accepted: try Setting.named("seed").accepted))
      #expect(throws: refusal) { try preferences.set("seed", list: ["1", "2"]) }
      var hidden = Preferences(path, writes: false)
      _ = try hidden.set("tools.selected", list: words)
      #expect(hidden["tools.selected"] == .list(words))
      #expect(Preferences(path)["tools.selected"] == .list([]))
    }
  }

  @Test func `the time-out of a tool is one of the time-outs`() async throws {
    try await withFile(#"{"timeout.tool": "2m"}"#) { path in
      #expect(Preferences(path).timeouts.tool == 120)
      #expect(Preferences(path + "x").timeouts == Timeouts())
    }
  }

  @Test func `many writers at once lose no change`() async throws {
    try await withFile("{}") { path in
      let keys = ["seed", "max-tokens", "timeout.idle", "timeout.connect"]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for key in keys {
          group.addTask {
            var preferences = Preferences(path)
            for value in 1...25 { _ = try preferences.set(key, String(value)) }
          }
        }
        try await group.waitForAll()
      }
      let preferences = Preferences(path)
      #expect(preferences.warnings.isEmpty)
      for key in keys { #expect(preferences[key].text == "25") }
    }
  }

  @Test func `a link to a dotfile stays a link, and a broken dotfile is set aside beside its own name`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/config/preferences.json"
      try AtomicFile.makeDirectory(directory.path + "/config")
      try AtomicFile.makeDirectory(directory.path + "/dotfiles")
      symlink("../dotfiles/parley.json", path)
      try AtomicFile.write([], to: directory.path + "/dotfiles/parley.json")
      var preferences = Preferences(path)
      #expect(preferences.warnings.isEmpty)
      _ = try preferences.set("seed", "1")
      try AtomicFile.write(Array("{".utf8), to: directory.path + "/dotfiles/parley.json")
      let change = try preferences.set("seed", "2")
      let aside = try #require(change.setAside)
      #expect(name(of: aside).hasPrefix("parley.broken-"))
      let dotfile = try text(directory.path + "/dotfiles/parley.json") ?? ""
      #expect(dotfile.contains("\"seed\": 2"))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "../dotfiles/parley.json")
    }
  }
}

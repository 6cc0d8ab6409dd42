import TestSupport
import Testing
import Wire

@testable import Store

/// Random objects with comments, odd spacing and trailing commas.
extension SeededNumbers {
  fileprivate mutating func space() -> String {
    let pieces = ["", "", " ", "\n", "\r\n", "\t", "\n    ", "/* , } \" */", "// , \" } {\n", "/**/"]
    return (0..<Int.random(in: 0...2, using: &self)).map { _ in pick(pieces) }.joined()
  }

  fileprivate mutating func value(_ depth: Int = 0) -> String {
    let plain = ["1", "-0.5e+3", "true", "null", "\"\"", "\"a \\\" // no } , \\u00e9\"", "\"é🙂\""]
    guard depth < 3, Bool.random(using: &self) else { return pick(plain) }
    let items = (0..<Int.random(in: 0...3, using: &self)).map { _ in value(depth + 1) }
    let comma = !items.isEmpty && Bool.random(using: &self) ? "," : ""
    if Bool.random(using: &self) {
      return "[" + space() + items.joined(separator: "," + space()) + comma + space() + "]"
    }
    return "{" + items.map { space() + "\"k\"" + space() + ":" + $0 }.joined(separator: ",") + comma + space() + "}"
  }

  fileprivate mutating func object(_ keys: [String]) -> String {
    var text = space() + "{"
    for (index, key) in keys.enumerated() {
      text += space() + JSON.string(key).serialized() + space() + ":" + space() + value() + space()
      let isLast = index == keys.count - 1
      if !isLast || Bool.random(using: &self) { text += "," }
    }
    return text + space() + "}" + space()
  }
}

private func members(_ json: CommentedJSON) -> [String: String] {
  Dictionary(
    json.members.map { ($0.key, String(decoding: json.bytes[$0.valueRange], as: UTF8.self)) }, uniquingKeysWith: { $1 })
}

/// What is left when the strings' insides are kept and only the comments are looked for.
private func comments(_ bytes: [UInt8]) -> Int {
  String(decoding: bytes, as: UTF8.self).split(separator: "/*", omittingEmptySubsequences: false).count
}

@Suite struct CommentedJSONTests {
  private let keys = ["a", "seed", "é\"", "render", "b.c"]

  @Test func `without comments and last commas it is plain JSON`() throws {
    let text = """
      \u{FEFF}// before
      {"a": [1, 2, /* , */ ], "b//": {"c": "/* no */,}", }, "d": {"e": [[],],},\r
      }
      // behind
      """
    #expect(
      try JSON(commented: text) == ["a": [1, 2], "b//": ["c": "/* no */,}"], "d": ["e": [[]]]])
    #expect(throws: CommentedJSONProblem(line: 2, reason: "':' expected")) { try JSON(commented: "{\n\"a\" 1}") }
    #expect(throws: CommentedJSONProblem.self) { try JSON(commented: "[1]") }
  }

  @Test func `setting a key that is there changes no byte outside its value`() throws {
    for seed in 0..<1_000 {
      var random = SeededNumbers(seed: UInt64(seed))
      let text = Array(random.object(Array(keys.prefix(.random(in: 1...5, using: &random)))).utf8)
      let json = try CommentedJSON(text)
      let member = try #require(json.members.randomElement(using: &random))
      let after = json.setting(member.key, to: "42")
      #expect(after == text[..<member.valueRange.lowerBound] + Array("42".utf8) + text[member.valueRange.upperBound...])
      var expected = members(json)
      expected[member.key] = "42"
      #expect(try members(CommentedJSON(after)) == expected, "seed \(seed)")
    }
  }

  @Test func `adding a key keeps everything else`() throws {
    for seed in 0..<1_000 {
      var random = SeededNumbers(seed: UInt64(seed))
      let text = Array(random.object(Array(keys.prefix(.random(in: 0...5, using: &random)))).utf8)
      let json = try CommentedJSON(text)
      let after = json.setting("new", to: "[1]")
      var expected = members(json)
      expected["new"] = "[1]"
      let again = try CommentedJSON(after)
      #expect(members(again) == expected, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
      #expect(again.members.map(\.key) == json.members.map(\.key) + ["new"])
      #expect(comments(after) == comments(text))
      #expect((again.trailingComma == nil) == (json.trailingComma == nil))
    }
  }

  @Test func `removing a key keeps the others`() throws {
    for seed in 0..<1_000 {
      var random = SeededNumbers(seed: UInt64(seed))
      let text = Array(random.object(Array(keys.prefix(.random(in: 1...5, using: &random)))).utf8)
      let json = try CommentedJSON(text)
      let key = try #require(json.members.randomElement(using: &random)).key
      var expected = members(json)
      expected[key] = nil
      let after = json.removing(key)
      let again = try CommentedJSON(after)
      #expect(members(again) == expected, "seed \(seed)")
      if again.members.count > 0 {
        #expect((again.trailingComma == nil) == (json.trailingComma == nil), "seed \(seed)")
      }
    }
  }

  @Test func `bytes that are no such object are an error and never a crash`() {
    for seed in 0..<5_000 {
      var random = SeededNumbers(seed: UInt64(seed))
      var text = Array(random.object(keys).utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: text.removeSubrange(index...)
        default: text.insert(contentsOf: text[..<index], at: index)
        }
        if text.isEmpty { break }
      }
      do throws(CommentedJSON.Fault) {
        let json = try CommentedJSON(text)
        #expect(json.close < text.count)
      } catch {
        #expect(error.offset <= text.count)
      }
    }
    let deep = Array(("{\"a\":" + String(repeating: "[", count: 100_000)).utf8)
    #expect(throws: CommentedJSON.Fault.self) { try CommentedJSON(deep) }
  }

  @Test func `a comment behind a removed value goes with it, the line above stays`() throws {
    let json = try CommentedJSON(
      Array("{\n  // about a\n  \"a\": 1, // one\n  /* about b */\n  \"b\": 2 // two\n}\n".utf8))
    #expect(
      String(decoding: json.removing("a"), as: UTF8.self)
        == "{\n  // about a\n  /* about b */\n  \"b\": 2 // two\n}\n")
    #expect(
      String(decoding: json.removing("b"), as: UTF8.self)
        == "{\n  // about a\n  \"a\": 1 // one\n  /* about b */\n}\n")
    #expect(
      String(decoding: json.setting("c", to: "3"), as: UTF8.self)
        == "{\n  // about a\n  \"a\": 1, // one\n  /* about b */\n  \"b\": 2, // two\n  \"c\": 3\n}\n")
  }

  @Test func `Windows line ends, a byte order mark and doubled keys are taken as they are`() throws {
    let json = try CommentedJSON([0xEF, 0xBB, 0xBF] + Array("{\r\n\t\"a\": 1,\r\n\t\"a\": 2\r\n}".utf8))
    #expect(
      String(decoding: json.setting("b", to: "3").dropFirst(3), as: UTF8.self)
        == "{\r\n\t\"a\": 1,\r\n\t\"a\": 2,\r\n\t\"b\": 3\r\n}")
    #expect(
      String(decoding: json.setting("a", to: "3").dropFirst(3), as: UTF8.self).contains("\"a\": 1,\r\n\t\"a\": 3"))
    #expect(try CommentedJSON(json.removing("a")).members.isEmpty)
  }
}

import TestSupport
import Testing

@testable import Wire

struct JSONTests {
  private static let documents: [(String, JSON)] = [
    ("null", JSON.null), (" true ", true), ("false", false), ("0", 0), ("-0", .exact("-0")), ("-12", -12), ("1.5", 1.5),
    ("1e3", 1000.0), ("-2.5E-1", -0.25), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ("9223372036854775808", .exact("9223372036854775808")), ("1e400", .exact("1e400")),
    ("0.30000000000000004", 0.30000000000000004), ("\"\"", ""), ("[]", []), ("{}", [:]),
    ("[1,[2,{\"a\":null}]]", [1, [2, ["a": .null]]]), ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "a\"\\/\u{8}\u{C}\n\r\t"),
    ("\"\\u00e9\\uD83D\\uDE00\"", "é😀"), ("\"\\ud83d\"", "\u{FFFD}"), ("\"\\ud83dx\"", "\u{FFFD}x"),
    ("\"\\ude00\\ud83d\"", "\u{FFFD}\u{FFFD}"), ("\"\\ud83d\\u0041\"", "\u{FFFD}A"),
    ("\"\\ud83d\\ud83d\\ude00\"", "\u{FFFD}😀"), ("\"\\u0000\"", "\0"),
    ("\"日本語 and more than eight\"", "日本語 and more than eight"),
    ("{\"b\":1,\"a\":2}", .object([.init("b", 1), .init("a", 2)])), ("{\"\\u0061\":1}", ["a": 1]),
  ]

  @Test(arguments: documents)
  func `documents are read`(text: String, expected: JSON) throws {
    #expect(try JSON(parsing: text) == expected)
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "True", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "[1,]", "[,1]", "[1 2]",
    "[", "]",
    "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\":1 \"b\":2}", "\"a", "\"\\x\"",
    "\"\\u12g4\"",
    "\"\\", "\"\\u12", "\"a\nb\"", "\"tab\tin a string that is long enough\"", "1 2", "{}{}", "[1}", "{\"a\":1]", "//",
    "\u{FEFF}\u{FEFF}1",
  ])
  func `what is not a document is an error`(text: String) {
    #expect(throws: JSON.Failure.self) { try JSON(parsing: text) }
    let bytes = Array(text.utf8)
    #expect(throws: JSON.Failure.self, "skipping finds it too") {
      try bytes.withUnsafeBufferPointer { (buffer) throws(JSON.Failure) in
        var reader = JSONReader(buffer)
        try reader.skip()
        try reader.end()
      }
    }
  }

  @Test func `an error says what and where`() {
    #expect(throws: JSON.Failure(reason: .unexpected, offset: 4)) { try JSON(parsing: "[1, x]") }
    #expect(throws: JSON.Failure(reason: .endOfInput, offset: 3)) { try JSON(parsing: "[1,") }
    #expect(throws: JSON.Failure(reason: .badEscape, offset: 2)) { try JSON(parsing: "\"\\q\"") }
    #expect(throws: JSON.Failure(reason: .controlCharacter, offset: 1)) { try JSON(parsing: "\"\u{1}\"") }
  }

  @Test func `nesting has a limit`() throws {
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try JSON(parsing: nested(128))
    #expect(throws: JSON.Failure(reason: .tooDeep, offset: 128)) { try JSON(parsing: nested(129)) }
    #expect(throws: JSON.Failure.self) { try JSON(parsing: String(repeating: "[", count: 100_000)) }
  }

  @Test func `bytes that are not utf-8 are replaced`() throws {
    #expect(try JSON(parsing: [0x22, 0x61, 0xFF, 0x62, 0x22]) == "a\u{FFFD}b")
  }

  @Test(arguments: [
    ("\u{1}\u{1F}\u{7F}\u{9B}\u{2028}\u{2029}", "\"\\u0001\\u001f\\u007f\\u009b\\u2028\\u2029\""),
    ("a\"\\\n\r\té😀/", "\"a\\\"\\\\\\n\\r\\té😀/\""),
  ])
  func `strings are written with their escapes`(text: String, expected: String) {
    #expect(JSON.string(text).serialized() == expected)
  }

  @Test func `documents are written on one line or indented`() {
    let json: JSON = ["b": [1, 2.5, true, .null], "a": [:], "c": [], "d": ["e": "f"], "n": .double(.nan)]
    #expect(json.serialized() == #"{"b":[1,2.5,true,null],"a":{},"c":[],"d":{"e":"f"},"n":null}"#)
    let nested: JSON = ["a": [1, ["b": "c"]], "e": []]
    #expect(
      nested.serialized(pretty: true) == """
        {
          "a": [
            1,
            {
              "b": "c"
            }
          ],
          "e": []
        }
        """)
  }

  @Test func `what is written is read back`() throws {
    let json: JSON = ["a": ["\u{0}\u{2028}é😀\"", .int(.min), 0.1, 1e300, -5e-300], "": .null]
    #expect(try JSON(parsing: json.serialized()) == json)
    #expect(try JSON(parsing: json.serialized(pretty: true)) == json)
  }

  @Test func `members are reached, set and removed`() throws {
    var json = try JSON(parsing: #"{"a":[{"b":1.0}],"c":"x","c":"y"}"#)
    #expect(json["a"]?[0]?["b"]?.int == 1)
    #expect(json["a"]?[0]?["b"]?.double == 1)
    #expect(json["a"]?[1] == nil)
    #expect(json["a"]?["b"] == nil)
    #expect(json["c"]?.string == "y")
    json["d"] = true
    json["c"] = nil
    json["a"] = 3
    #expect(json.serialized() == #"{"a":3,"d":true}"#)
    #expect(JSON.double(1.5).int == nil)
    #expect(JSON.double(1e300).int == nil)
    #expect(JSON.exact("1e400").int == nil)
    #expect(JSON.exact("1152921504606846976.0").int == 1_152_921_504_606_846_976)
    #expect(JSON.exact("9007199254740993.5").int == nil)
  }

  @Test func `a reader takes what is asked for and passes the rest`() throws {
    let bytes = Array(#" {"skip":{"a":[1,{"x":"\"}]"}]},"text":"h\u00e9","list":[1,"two",false]} "#.utf8)
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSON.Failure) in
      var reader = JSONReader(buffer)
      var text: [UInt8] = []
      var kinds: [JSONReader.Kind] = []
      try reader.beginObject()
      while let key = try reader.nextKey() {
        switch key {
        case "text": try reader.appendString(to: &text)
        case "list":
          try reader.beginArray()
          while try reader.nextElement() {
            kinds.append(try reader.kind())
            try reader.skip()
          }
        default: try reader.skip()
        }
      }
      try reader.end()
      #expect(text == Array("hé".utf8))
      #expect(kinds == [.number, .string, .bool])
    }
  }

  @Test(arguments: [
    "18446744073709551616", "-12345678901234567890123", "1e400", "-1E-400", "0.1234567890123456789",
    "9007199254740993.0",
    "1e99999999999999999999",
  ])
  func `a number that is too large or too long keeps its text`(text: String) throws {
    let json = try JSON(parsing: "{\"a\":[\(text)]}")
    #expect(json["a"]?[0] == .exact(text))
    #expect(json.serialized() == "{\"a\":[\(text)]}")
  }

  @Test(arguments: ["0.1", "1.50", "1e3", "2.2250738585072014e-308", "1.7976931348623157e308", "0e999", "0.0000001"])
  func `a number that keeps its digits is a double`(text: String) throws {
    #expect(try JSON(parsing: text) == .double(Double(text) ?? .nan))
  }

  @Test func `damaged documents are errors or documents, never more`() throws {
    var random = SeededNumbers(seed: 11)
    let document = Array(#"{"a":[1,-2.5e3,"x\ud83d\ude00\n",null,true],"b":{"c":"a longer string, é"}}"#.utf8)
    for _ in 0..<5000 {
      var damaged = document
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        if Bool.random(using: &random) {
          damaged[place] = UInt8.random(in: 0...255, using: &random)
        } else {
          damaged.removeSubrange(place...)
        }
        if damaged.isEmpty { break }
      }
      let built = Result { () throws(JSON.Failure) in try JSON(parsing: damaged) }
      let skipped = Result { () throws(JSON.Failure) in
        try damaged.withUnsafeBufferPointer { (buffer) throws(JSON.Failure) in
          var reader = JSONReader(buffer)
          try reader.skip()
          try reader.end()
        }
      }
      switch (built, skipped) {
      case (.success(let json), .success): #expect(try JSON(parsing: json.serialized()) == json)
      case (.failure(let one), .failure(let other)): #expect(one == other)
      default: Issue.record("building and skipping disagree on \(String(decoding: damaged, as: UTF8.self))")
      }
    }
  }
}

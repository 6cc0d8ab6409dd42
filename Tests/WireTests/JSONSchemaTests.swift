import Testing

@testable import Wire

@Suite struct JSONSchemaTests {
  private func misfit(_ schema: String, _ value: String) throws -> JSONSchema.Misfit? {
    try JSONSchema(JSON(parsing: Array(schema.utf8))).misfit(of: JSON(parsing: Array(value.utf8)))
  }

  @Test(arguments: [
    (#"{}"#, #"[1]"#), (#"true"#, "null"), (#"{"type": "integer"}"#, "3.0"), (#"{"type": "number"}"#, "3"),
    (#"{"type": ["string", "null"]}"#, "null"), (#"{"enum": [1, {"b": 2, "a": 1.0}]}"#, #"{"a": 1, "b": 2}"#),
    (#"{"const": 1.0}"#, "1"), (#"{"minLength": 1, "maxLength": 1}"#, #""\ud83d\ude00""#),
    (#"{"pattern": "b+"}"#, #""abc""#), (#"{"pattern": "^\\d{2}$"}"#, #""42""#), (#"{"multipleOf": 0.1}"#, "0.3"),
    (#"{"required": ["a"]}"#, #""no object""#), (#"{"properties": {"a": {"type": "string"}}}"#, #"{"b": 1}"#),
    (#"{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}"#, #"["a", 1, 2]"#),
    (#"{"items": [{"type": "string"}], "additionalItems": false}"#, #"["a"]"#),
    (#"{"contains": {"const": 2}, "maxContains": 1}"#, "[1, 2]"), (#"{"contains": {}, "minContains": 0}"#, "[]"),
    (#"{"uniqueItems": true}"#, #"[1, "1", [1], {"a": 1}]"#),
    (#"{"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}"#, #"{"x1": 1}"#),
    (#"{"anyOf": [{"type": "string"}, {"minimum": 3}]}"#, "4"), (#"{"not": {"type": "string"}}"#, "1"),
    (#"{"if": {"type": "integer"}, "then": {"minimum": 1}, "else": {"type": "string"}}"#, #""x""#),
    (
      ##"{"$ref": "#/$defs/node", "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}}}"##,
      #"{"next": {"next": {}}}"#
    ),
    (##"{"$ref": "#/$defs/a~1b%25%3Cc%3E", "$defs": {"a/b%<c>": {"type": "null"}}}"##, "null"),
    (#"{"multipleOf": 3}"#, "9e2"), (#"{"exclusiveMinimum": 9007199254740992}"#, "9007199254740993"),
    (#"{"type": "integer"}"#, "18446744073709551616"),
    // Patterns are those of ECMA-262.
    (#"{"pattern": "^[^]\\u00e9\\u{1F600}$"}"#, #""\né😀""#), (#"{"pattern": "^\\S(?=x)x\\/$"}"#, #""ax/""#),
    (#"{"pattern": ""}"#, #""""#),
    // A long text is no slow pattern.
    (#"{"pattern": "^(?:[^\"\\\\]|\\\\.)*$"}"#, "\"\(String(repeating: "word ", count: 100_000))\""),
    // One pattern in two ways to write its accent.
    ("{\"not\": {\"allOf\": [{\"pattern\": \"^\u{E9}$\"}, {\"pattern\": \"^e\u{301}$\"}]}}", "\"\u{E9}\""),
    (#"{"pattern": "\\w+@\\w+"}"#, "\"\(String(repeating: "word ", count: 100_000))a@b\""),
    (##"{"format": "email"}"##, ##""x""##),
  ]) func `a value fits`(_ schema: String, _ value: String) throws {
    #expect(try misfit(schema, value) == nil)
  }

  @Test(
    arguments: [
      (#"false"#, "1", "", .value), (#"{"type": "integer"}"#, "3.5", "", .type(found: "number", wanted: ["integer"])),
      (
        #"{"items": {"properties": {"a/b": {"maximum": 3}}}}"#, #"[{"a/b": 1}, {"a/b": 4}]"#, "/1/a~1b",
        .limit(keyword: "maximum", value: "3")
      ),
      (#"{"required": ["a", "b"]}"#, #"{"a": 1}"#, "", .missing(key: "b")),
      (#"{"additionalProperties": false, "properties": {"a": {}}}"#, #"{"a": 1, "c": 1}"#, "", .unexpected(key: "c")),
      (#"{"propertyNames": {"maxLength": 1}}"#, #"{"ab": 1}"#, "", .unexpected(key: "ab")),
      (#"{"enum": [1, 2]}"#, "3", "", .value), (#"{"const": "a"}"#, #""b""#, "", .value),
      (#"{"exclusiveMinimum": 0}"#, "0", "", .limit(keyword: "exclusiveMinimum", value: "0")),
      (#"{"pattern": "^a"}"#, #""ba""#, "", .limit(keyword: "pattern", value: #""^a""#)),
      (#"{"pattern": "^a$"}"#, #""a\n""#, "", .limit(keyword: "pattern", value: #""^a$""#)),
      (#"{"pattern": "^\\d$"}"#, #""\u0663""#, "", .limit(keyword: "pattern", value: #""^\\d$""#)),
      // Two ways to write one accent.
      (
        #"{"required": ["caf\u00e9"]}"#, #"{"cafe\u0301": 1}"#, "", .missing(key: "caf\u{e9}")
      ),
      (
        #"{"dependentRequired": {"e\u0301": ["b"], "\u00e9": ["c"]}}"#, #"{"\u00e9": 1}"#, "", .missing(key: "c")
      ),
      (
        #"{"exclusiveMaximum": 9223372036854775807}"#, "9223372036854775808", "",
        .limit(keyword: "exclusiveMaximum", value: "9223372036854775807")
      ),
      (#"{"maxProperties": 1}"#, #"{"\u00e9": 1, "e\u0301": 1}"#, "", .limit(keyword: "maxProperties", value: "1")),
      // More than a double holds.
      (
        #"{"maximum": 9007199254740992}"#, "9007199254740993", "",
        .limit(keyword: "maximum", value: "9007199254740992")
      ),
      (#"{"const": "\u00e9"}"#, #""e\u0301""#, "", .value),
      (#"{"uniqueItems": true}"#, "[1, 1.0]", "", .limit(keyword: "uniqueItems", value: "true")),
      (#"{"prefixItems": [{"type": "string"}]}"#, "[1]", "/0", .type(found: "integer", wanted: ["string"])),
      (#"{"items": [{"type": "string"}], "additionalItems": false}"#, #"["a", 1]"#, "/1", .value),
      (#"{"contains": {"const": 2}}"#, "[1]", "", .combination(keyword: "contains")),
      (#"{"oneOf": [{}, {"type": "null"}]}"#, "null", "", .combination(keyword: "oneOf")),
      (#"{"dependentRequired": {"a": ["b"]}}"#, #"{"a": 1}"#, "", .missing(key: "b")),
      (#"{"allOf": [{"minLength": 2}, {"maxLength": 1}]}"#, #""ab""#, "", .limit(keyword: "maxLength", value: "1")),
      (#"{"if": {"type": "integer"}, "then": {"minimum": 1}}"#, "0", "", .limit(keyword: "minimum", value: "1")),
      (#"{"multipleOf": 1000}"#, "1790093621500", "", .limit(keyword: "multipleOf", value: "1000")),
      (
        ##"{"$ref": "#/components/P", "components": {"P": {"type": "null"}}}"##, "1", "",
        .type(found: "integer", wanted: ["null"])
      ),
    ] as [(String, String, String, JSONSchema.Misfit.Reason)])
  func `a value does not fit, and where`(
    _ schema: String, _ value: String, _ place: String, _ reason: JSONSchema.Misfit.Reason
  ) throws {
    #expect(try misfit(schema, value) == JSONSchema.Misfit(place: place, reason: reason))
  }

  @Test(arguments: [
    (#"{"items": {"pattern": "^(a+)+$"}}"#, #"["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"]"#),
    (#"{"items": {"type": "integer"}}"#, "[\(Array(repeating: "1", count: 5000).joined(separator: ","))]"),
  ])
  func `a check ends when nobody waits for it`(_ schema: String, _ value: String) throws {
    let schema = try JSONSchema(JSON(parsing: Array(schema.utf8)))
    var asked = 0
    #expect(throws: JSONSchema.Unchecked.stopped) {
      try schema.misfit(of: try JSON(parsing: Array(value.utf8))) {
        asked += 1
        return asked > 1
      }
    }
  }

  /// Each character more would double the time.
  private static let slow = #""\#(String(repeating: "a", count: 50))!""#

  // A part that could not be looked at makes neither a fit nor a misfit of what stands around it.
  @Test(
    arguments: [
      (#"{"not": {"items": {"pattern": "^(a+)+$"}}}"#, "[\(slow)]", .slowPattern("^(a+)+$", place: "/0")),
      (#"{"contains": {"pattern": "^(a+)+$"}, "minContains": 0}"#, "[\(slow)]", .slowPattern("^(a+)+$", place: "")),
      (#"{"oneOf": [{}, {"pattern": "^(a+)+$"}]}"#, slow, .slowPattern("^(a+)+$", place: "")),
      (#"{"if": {"pattern": "^(a+)+$"}, "then": false}"#, slow, .slowPattern("^(a+)+$", place: "")),
      (#"{"patternProperties": {"^(a+)+$": false}}"#, "{\(slow): 1}", .slowPattern("^(a+)+$", place: "")),
      // Few steps, but each of them walks far.
      (
        #"{"pattern": "x.*x[^yz]*[yz]"}"#, "\"\(String(repeating: "x", count: 32_000))\"",
        .slowPattern("x.*x[^yz]*[yz]", place: "")
      ),
      // Each repeat is remembered until the end.
      (
        #"{"pattern": "^(?:(x)|y)*z"}"#, "\"\(String(repeating: "x", count: 4_000_000))\"",
        .slowPattern("^(?:(x)|y)*z", place: "")
      ),
      (
        ##"{"not": {"$ref": "#/$defs/x"}, "$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}]}}}"##, "1",
        .tooDeep(place: "")
      ),
      // References that go round: one that never ends, and one that would take for ever.
      (##"{"$ref": "#"}"##, "1", .tooDeep(place: "")),
      (##"{"allOf": [{"not": {"$ref": "#"}}, {"$ref": "#"}]}"##, "1", .tooDeep(place: "")),
      (
        #"{"items": {"enum": [\#(Array(repeating: "0", count: 2000).joined(separator: ","))]}}"#,
        "[\(Array(repeating: "0", count: 1000).joined(separator: ","))]", .tooMuch(place: "/499")
      ),
    ] as [(String, String, JSONSchema.Unchecked)])
  func `a value is not looked at whole, and why`(
    _ schema: String, _ value: String, _ why: JSONSchema.Unchecked
  ) throws {
    #expect(throws: why) { try misfit(schema, value) }
  }

  @Test(arguments: ["dependentRequired", "dependentSchemas"])
  func `many dependencies of many members are looked up once each`(keyword: String) throws {
    let names = (0..<20_000).map { "\"k\($0)\":" }
    let dependency = keyword == "dependentRequired" ? "[\"k0\"]" : "true"
    let schema = "{\"\(keyword)\":{" + names.map { $0 + dependency }.joined(separator: ",") + "}}"
    #expect(try misfit(schema, "{" + names.map { $0 + "1" }.joined(separator: ",") + "}") == nil)
  }

  @Test(
    arguments: [
      ("[]", "", .badValue(keyword: "")), (#"{"type": "int"}"#, "", .badValue(keyword: "type")),
      (#"{"properties": {"a": {"minimum": "1"}}}"#, "/properties/a", .badValue(keyword: "minimum")),
      (#"{"required": "a"}"#, "", .badValue(keyword: "required")),
      (#"{"multipleOf": 0}"#, "", .badValue(keyword: "multipleOf")),
      (#"{"anyOf": [1]}"#, "/anyOf/0", .badValue(keyword: "")), (#"{"pattern": "["}"#, "", .badPattern("[")),
      (#"{"pattern": "(*UCP)a"}"#, "", .badPattern("(*UCP)a")),
      (#"{"patternProperties": {"(": {}}}"#, "", .badPattern("(")),
      (##"{"$ref": "other.json"}"##, "", .lost(reference: "other.json")),
      (##"{"$ref": "#/$defs/x"}"##, "", .lost(reference: "#/$defs/x")),
      (##"{"$ref": "#/components/P", "components": {"P": {"pattern": "["}}}"##, "/components/P", .badPattern("[")),
      (#"{"dependencies": {"a": ["b"]}}"#, "", .unsupported(keyword: "dependencies")),
      (#"{"unevaluatedProperties": false}"#, "", .unsupported(keyword: "unevaluatedProperties")),
    ] as [(String, String, JSONSchema.Flaw.Problem)])
  func `what is no schema is found at once`(_ schema: String, _ place: String, _ problem: JSONSchema.Flaw.Problem) {
    #expect(throws: JSONSchema.Flaw(place: place, problem: problem)) {
      try JSONSchema(JSON(parsing: Array(schema.utf8)))
    }
  }
}

import Foundation
import TestSupport
import Testing
import Wire

@testable import Store

/// 2026-11-26, in milliseconds since 1970.
private let now = 1_795_690_908_000

private func read(_ text: String, _ dates: SnippetDates? = nil) throws -> SnippetDocument? {
  SnippetDocument(try JSON(parsing: text), dates: dates, now: now)
}

/// A name, a text or a sign, of whatever scalars.
private func anything(_ numbers: inout SeededNumbers, most: Int = 12) -> String {
  let scalars: [Unicode.Scalar] = [
    "a", "Z", "0", " ", "\n", "\t", "\"", "\\", "'", "$", "{", "}", "\u{1B}", "\u{202E}", "é", "🦜", "\u{200D}",
    "\u{7F}", "=",
  ]
  return String(String.UnicodeScalarView((0...numbers.below(most)).map { _ in numbers.pick(scalars) }))
}

private func snippet(_ numbers: inout SeededNumbers, named name: String) -> Snippet {
  let moment = { (numbers: inout SeededNumbers) in
    // From 2002 on, to the millisecond.
    numbers.below(4) == 0 ? nil : Optional(1_010_000_000_000 + numbers.below(780_000_000_000))
  }
  var rest: [JSON.Member] = []
  for key in ["id", "colour", "tags", "n"] where numbers.below(2) == 0 {
    rest.append(
      JSON.Member(key, numbers.pick([.null, 7, 0.5, .string(anything(&numbers)), ["a": [1, .null, ["b": true]]], []])))
  }
  return Snippet(
    name: name, text: "x" + anything(&numbers, most: 40), kind: numbers.pick(Snippet.Kind.allCases),
    category: numbers.below(2) == 0 ? nil : "c" + anything(&numbers), color: numbers.pick([nil, "#007AFF", "red"]),
    icon: numbers.pick([nil, "terminal", "👩‍💻"]), isActive: numbers.below(2) == 0, createdAt: moment(&numbers),
    usageCount: numbers.below(1000), lastUsedAt: moment(&numbers), rest: rest)
}

@Suite struct SnippetDocumentTests {
  @Test func `what is exported comes back whole, whatever it is`() async throws {
    var numbers = SeededNumbers(seed: SeededNumbers.seed(from: "PARLEY_SNIPPET_SEED"))
    for round in 0..<200 {
      let written = SnippetDocument(
        snippets: (0..<numbers.below(8)).map { snippet(&numbers, named: "name \($0)") },
        categories: [SnippetCategory(name: "c", color: "red", rest: [.init("id", .int(round))])])
      for bytes in [written.json.bytes(), written.json.bytes(pretty: true)] {
        var back = try #require(SnippetDocument(try JSON(parsing: bytes), now: now))
        #expect(back.snippets.allSatisfy { $0.isForeign })
        for index in back.snippets.indices { back.snippets[index].isForeign = false }
        #expect(back == written)
      }
      // And through a store, that of another machine.
      var snippets = Snippets(nil)
      let taken = try snippets.take(written, onClash: .skip)
      #expect(taken.added.count == written.snippets.count && taken.renamed.isEmpty)
      #expect(snippets.entries == written.snippets && snippets.categories == written.categories)
    }
  }

  @Test(arguments: SnippetDates.allCases) func `a list of another program comes back, whatever its dates`(
    dates: SnippetDates
  ) async throws {
    var numbers = SeededNumbers(seed: SeededNumbers.seed(from: "PARLEY_SNIPPET_SEED"))
    for _ in 0..<200 {
      var written = SnippetDocument(snippets: (0..<5).map { snippet(&numbers, named: "name \($0)") })
      for index in written.snippets.indices {
        // Whole seconds, where that is all there is.
        let rounded = { (moment: Int) in dates == .iso8601 ? moment / 1000 * 1000 : moment }
        written.snippets[index].createdAt = rounded(written.snippets[index].createdAt ?? now)
        written.snippets[index].lastUsedAt = written.snippets[index].lastUsedAt.map(rounded)
        written.snippets[index].color = written.snippets[index].color ?? "#007AFF"
        written.snippets[index].icon = written.snippets[index].icon ?? "terminal"
      }
      let list = try JSON(parsing: written.list(dates, now: now).bytes())
      for entry in list.array ?? [] {
        #expect(UUID(uuidString: entry["id"]?.string ?? "") != nil && entry["category"]?.string != nil)
      }
      for known in [dates, nil] {
        var back = try #require(SnippetDocument(list, dates: known, now: now))
        for index in back.snippets.indices {
          back.snippets[index].isForeign = false
          // Given to those that had none.
          let id = written.snippets[index].rest.last { $0.key == "id" }
          back.snippets[index].rest.removeAll { $0.key == "id" }
          written.snippets[index].rest.removeAll { $0.key == "id" }
          if id != nil { #expect(list[index]?["id"] != nil) }
        }
        #expect(back.snippets.map { sorted($0) } == written.snippets.map { sorted($0) })
      }
    }
  }

  private func sorted(_ snippet: Snippet) -> Snippet {
    var snippet = snippet
    snippet.rest.sort { $0.key < $1.key }
    return snippet
  }

  @Test(
    arguments: [
      ("\"2026-11-21T11:45:00Z\"", nil, 1_795_261_500_000), ("\"2026-11-21T11:45:00.250Z\"", nil, 1_795_261_500_250),
      ("\"2026-11-21T12:45:00.25+01:00\"", nil, 1_795_261_500_250), ("\"2026-11-21T11:45:00\"", nil, 1_795_261_500_000),
      ("1795261500", nil, 1_795_261_500_000), ("1795261500.25", nil, 1_795_261_500_250),
      ("1795261500250", nil, 1_795_261_500_250), ("816954300.25", nil, 1_795_261_500_250),
      ("816954300", nil, 1_795_261_500_000), ("0", nil, 978_307_200_000), ("0", .seconds, 0),
      ("790000000", .seconds, 790_000_000_000), ("790000000", .iso8601, 790_000_000_000),
      ("816954300", .swift, 1_795_261_500_000), ("1000", .milliseconds, 1000), ("-1.5", .seconds, -1500),
      ("\"2026-11-21T11:45:00Z\"", .swift, 1_795_261_500_000), ("1609459200", nil, 1_609_459_200_000),
      ("null", nil, nil), ("\"soon\"", nil, nil), ("true", nil, nil), ("1e300", nil, nil), ("[]", nil, nil),
    ] as [(String, SnippetDates?, Int?)])
  func `a moment is understood in each form`(text: String, dates: SnippetDates?, moment: Int?) throws {
    let json = try JSON(parsing: text)
    #expect(SnippetDates.moment(json, dates, now: now) == moment)
    let document = try read(#"[{"name":"a","command":"b","createdAt":\#(text)}]"#, dates)
    #expect(document?.snippets.first?.createdAt == moment)
    // What was not understood is kept as it stands.
    #expect(document?.snippets.first?.rest.contains { $0.value == json } == (moment == nil))
  }

  @Test func `moments are written in each form`() {
    let moment = 1_795_261_500_250
    #expect(SnippetDates.iso8601.json(moment) == "2026-11-21T11:45:00Z")
    #expect(SnippetDates.isoMilliseconds.json(moment) == "2026-11-21T11:45:00.250Z")
    #expect(SnippetDates.isoMilliseconds.json(-1) == "1969-12-31T23:59:59.999Z")
    #expect(SnippetDates.seconds.json(moment) == .double(1_795_261_500.25))
    #expect(SnippetDates.milliseconds.json(moment) == .int(moment))
    #expect(SnippetDates.swift.json(moment) == .double(816_954_300.25))
    #expect(SnippetDates.swift.json(978_307_200_000) == 0)
  }

  private static let command =
    ##"{"id":"5C0A6B2E-7A3F-4A56-9A33-0D8B8A9A5E11","name":"Git Status","command":"git status","category":"Git","##
    + ##""color":"#F05033","icon":"arrow.triangle","isActive":false,"createdAt":816954300,"usageCount":12}"##

  @Test(arguments: [
    "[COMMAND]", #"{"snippets":[COMMAND]}"#, #"{"commands":[COMMAND],"app":1}"#, #"{"customCommands":[COMMAND]}"#,
    "COMMAND", #"[{"id":"g","name":"Tools","color":"red","commands":[COMMAND]}]"#,
    #"{"categories":[{"name":"Tools","commands":[COMMAND]},{"name":"Empty","color":"red"}]}"#,
    #"{"name":"Tools","commands":[COMMAND]}"#,
  ]) func `a command is found in each shape`(shape: String) throws {
    let document = try #require(try read(shape.replacing("COMMAND", with: SnippetDocumentTests.command)))
    #expect(
      document.snippets == [
        Snippet(
          name: "Git Status", text: "git status", category: "Git", color: "#F05033", icon: "arrow.triangle",
          isActive: false, createdAt: 1_795_261_500_000, usageCount: 12, isForeign: true,
          rest: [.init("id", "5C0A6B2E-7A3F-4A56-9A33-0D8B8A9A5E11")])
      ])
    #expect(document.unreadable == 0)
  }

  @Test func `groups keep their colour and what else is said of them, and name what has no category`() throws {
    let document = try #require(
      try read(
        #"[{"id":"g","name":"Git","color":"red","sort":3,"commands":[{"name":"a","command":"b","category":""}]},"#
          + #"{"name":"Empty","color":"blue","commands":[]},{"name":"alone","command":"c"},{"name":"no text"},7]"#))
    #expect(
      document.categories == [
        SnippetCategory(name: "Git", color: "red", rest: [.init("id", "g"), .init("sort", 3)]),
        SnippetCategory(name: "Empty", color: "blue"),
      ])
    #expect(document.snippets.map(\.name) == ["a", "alone"])
    #expect(document.snippets.map(\.category) == ["Git", nil])
    #expect(document.unreadable == 2)
  }

  @Test func `shortcuts come in the order of their positions`() throws {
    let document = try #require(
      try read(
        #"[{"id":"b","label":"pwd","command":"pwd","position":1,"category":"default","usage":4,"createdAt":"2021-01-01T00:00:00.000Z"},"#
          + #"{"id":"a","label":"ls","command":"ls -la","position":0,"category":"default","usage":0,"createdAt":1609459200}]"#
      ))
    #expect(document.snippets.map(\.name) == ["ls", "pwd"])
    #expect(document.snippets.map(\.usageCount) == [0, 4])
    #expect(document.snippets.map(\.createdAt) == [1_609_459_200_000, 1_609_459_200_000])
    #expect(document.snippets.map(\.rest) == [[.init("id", "a")], [.init("id", "b")]])
    // With a name of its own, what is called so is another thing.
    let named = try #require(try read(#"[{"name":"n","label":"l","command":"c","position":9,"usage":2}]"#))
    #expect(named.snippets.first?.usageCount == 0 && named.snippets.first?.rest.count == 3)
  }

  @Test(arguments: ["{}", "7", "null", #"{"servers":[]}"#, #"{"name":"a"}"#]) func `other files have none`(
    text: String
  ) throws {
    #expect(try read(text) == nil)
  }

  @Test func `a file does not say what was looked at`() throws {
    let own = try #require(try read(#"{"snippets":[{"name":"a","command":"b","isForeign":false}]}"#))
    #expect(own.snippets.first?.isForeign == true && own.snippets.first?.rest == [])
  }
}

@Suite struct TakingSnippetsTests {
  private func list() throws -> Snippets {
    var snippets = Snippets(nil)
    try snippets.add(Snippet(name: "a", text: "mine", usageCount: 5))
    try snippets.add(Snippet(name: "b", text: "same", usageCount: 5))
    return snippets
  }

  private let document = SnippetDocument(
    snippets: [
      Snippet(name: "a", text: "theirs"), Snippet(name: "b", text: "same"), Snippet(name: "c", text: "1"),
      Snippet(name: "c", text: "2"), Snippet(name: "c", text: "2"), Snippet(name: "d\u{1B}[2J\n e", text: "x"),
      Snippet(name: "--json", text: "y"), Snippet(name: "\u{1B}", text: "z"),
    ], categories: [SnippetCategory(name: "k", color: "red")])

  @Test func `what has the name stays`() throws {
    var snippets = try list()
    let taken = try snippets.take(document, onClash: .skip)
    #expect(taken.skipped == ["a"] && taken.replaced.isEmpty)
    #expect(taken.added == ["c", "c-2", "d [2J e", "json", "snippet"])
    #expect(
      taken.renamed.map { "\($0.from)>\($0.to)" } == [
        "c>c-2", "d\u{1B}[2J\n e>d [2J e", "--json>json", "\u{1B}>snippet",
      ])
    #expect(snippets.named("a")?.text == "mine" && snippets.named("b")?.usageCount == 5)
    #expect(snippets.entries.map(\.name) == ["a", "b", "c", "c-2", "d [2J e", "json", "snippet"])
    // Once more adds nothing but what was renamed for want of a name.
    let again = try snippets.take(SnippetDocument(snippets: [document.snippets[2]]), onClash: .skip)
    #expect(again.unchanged == ["c"] && again.added.isEmpty)
  }

  @Test func `the file's take their place where that was asked for`() throws {
    var snippets = try list()
    let taken = try snippets.take(document, onClash: .replace)
    #expect(taken.replaced == ["a", "b"] && taken.skipped.isEmpty)
    #expect(snippets.entries.prefix(2) == [document.snippets[0], document.snippets[1]])
    var other = SnippetDocument(snippets: [], categories: [SnippetCategory(name: "k", color: "blue")])
    _ = try snippets.take(other, onClash: .skip)
    #expect(snippets.categories.map(\.color) == ["red"])
    other.categories[0].color = "green"
    _ = try snippets.take(other, onClash: .replace)
    #expect(snippets.categories.map(\.color) == ["green"])
  }

  @Test func `both stay where the file's get other names`() throws {
    var snippets = try list()
    let taken = try snippets.take(document, onClash: .rename)
    #expect(taken.renamed.first.map { [$0.from, $0.to] } == ["a", "a-2"])
    #expect(taken.unchanged.contains("b"))
    #expect(snippets.named("a")?.text == "mine" && snippets.named("a-2")?.text == "theirs")
  }
}

import Chat
import Foundation
import GRDB
import TestSupport
import Testing
import Wire

@testable import Store

/// Sessions out of one history and into another.
@Suite struct ExchangeTests {
  @Test func `what is exported and taken in elsewhere is the same, as JSON and as lines`() async throws {
    var random = SeededNumbers(seed: 11)
    let sessions = (0..<40).map { _ in random.keptSession() }
    try await withHistory { history, _ in
      for session in sessions { #expect(try await history.take(session) == .added) }
      let (json, lines) = try await exports(of: history)
      for text in [json, lines] {
        try await withHistory { other, _ in
          var file = try ImportedFile(Array(text.utf8))
          var count = 0
          while let session = try file.session() {
            #expect(try await other.take(session) == .added)
            count += 1
          }
          #expect(count == sessions.count)
          #expect(try await exports(of: other) == (json, lines))
        }
      }
    }
  }

  @Test func `what was really said, done and sent along is in it`() async throws {
    try await withHistory { history, _ in
      var session = Session(server: Server(name: "gpu1", kind: "openai", url: "http://gpu1/v1"), model: "m")
      let notes = AttachedFile(path: "/home/a/notes.txt", name: "notes.txt", bytes: Array("notes".utf8))
      let first = try await history.ask(
        NewTurn(session: session, parent: nil, question: .text("look\nhere"), files: [notes, notes]))
      let call = ToolCall(id: "c1", name: "peer_add", arguments: .object(["a": 2]))
      let step = try await history.step(
        first.id, ToolStep(text: "I shall.", calls: [StoredCall(call, tool: "add", server: "peer")]))
      try await history.result(step, call: 0, StoredResult(.done, text: "5", whole: #"{"x":1}"#, milliseconds: 7))
      try await history.finish(
        first.id,
        StoredAnswer(
          text: "It is 5.", reasoning: "hm", status: .length, model: "m-7b", server: "gpu1",
          usage: Usage(promptTokens: 3, cost: 0.25), timing: Timing(firstTokenMs: 5, totalMs: 9)))
      session.head = first.id
      try await history.say("second", in: &session, answer: StoredAnswer(text: "b", status: .complete))
      session.head = first.id
      try await history.say("beside it", in: &session)
      _ = try await history.tag(session.id, adding: ["garden"], removing: [])
      let kept = try #require(try await history.kept(session.id))
      #expect(kept.turns.map(\.number) == [1, 2, 3] && kept.turns.map(\.parent) == [nil, 1, 1] && kept.head == 3)
      try await withHistory { other, _ in
        var file = try ImportedFile(Array(try await exports(of: history).lines.utf8))
        let read = try #require(try file.session())
        #expect(try await other.take(read) == .added)
        for number in 1...3 {
          let here = try #require(try await history.turn(number: number, of: session.id))
          let there = try #require(try await other.turn(number: number, of: session.id))
          #expect((here.question, here.steps, here.answer) == (there.question, there.steps, there.answer))
          #expect(try await other.reading(there.files) == (number == 1 ? [notes, notes] : []))
        }
        #expect(try await other.path(of: session.id).map(\.question) == ["look\nhere", "beside it"])
        #expect(try await other.search(["second"]).count == 1)
        #expect(try await other.session(session.id)?.tags == ["garden"])
        #expect(try await other.take(read) == .isThere)
      }
    }
  }

  @Test func `a session dated in the future is not the latest once another was used`() async throws {
    let moment = 1_800_000_000_000
    let dated = Session(id: SessionID(randomID()), title: "ahead")
    var ahead = KeptSession(dated, opening: "", head: nil, turns: [])
    ahead.session.updatedAt = moment + 86_400_000
    try await withHistory(now: { moment }) { history, path in
      let taken = try await history.take(ahead)
      #expect(taken == .added)
      let stored = try #require(try await history.session(ahead.session.id))
      #expect(stored.updatedAt == moment)
      // The clock of this machine may have been ahead too.
      try await history.write { db in
        try db.execute(sql: "UPDATE session SET updated_at = ?", arguments: [moment + 2 * 86_400_000])
      }
      let session = Session(title: "used")
      _ = try await history.ask(NewTurn(session: session, parent: nil, question: .text("hello")))
      let latest = try await history.latest()
      #expect(latest?.id == session.id)
    }
    // A clock that was never set says nothing about a date.
    try await withHistory(now: { 1_000 }) { history, _ in
      let taken = try await history.take(ahead)
      #expect(taken == .added)
      let latest = try await history.latest()
      #expect(latest?.updatedAt == ahead.session.updatedAt)
    }
  }

  @Test func `an answer that is being written counts as interrupted`() async throws {
    try await withHistory { history, _ in
      let session = Session()
      _ = try await history.ask(NewTurn(session: session, parent: nil, question: .text("x"), isBeingAsked: true))
      #expect(try await history.kept(session.id)?.turns[0].messages.last?.status == .interrupted)
    }
  }

  @Test func `an answer without an end does not count as one that is being written`() throws {
    let line = #"{"number":1,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#
    let turn = try #require(KeptTurn(try JSON(parsing: line)))
    #expect(turn.messages.map(\.status) == [nil, .interrupted])
  }

  @Test func `a count that nobody reckons with is not taken in`() throws {
    let line = #"""
      {"number":1,"contextEnd":-1,"attachments":[{"name":"a","sha256":"x","size":9223372036854775807}],"messages":[
      {"role":"assistant","content":"b","promptTokens":9223372036854775807,"completionTokens":-9223372036854775808}]}
      """#
    let turn = try #require(KeptTurn(try JSON(parsing: line)))
    #expect(turn.messages.map(\.usage) == [Usage()] && turn.files.isEmpty && turn.contextEnd == nil)
  }

  @Test func `names and numbers that no history has are replaced`() async throws {
    let document = #"""
      {"parley":"history","version":1,"sessions":[{"id":"\u001b]0;x\u0007","createdAt":-5,"tags":["a b","ok",""],"head":9,
      "turns":[{"number":2,"parent":3,"messages":[{"role":"user","content":"nul \u0000 in it"},{"role":"boss","content":""}]},
      {"number":3,"parent":2,"messages":[]},{"number":3,"messages":[]}]}]}
      """#
    try await withHistory { history, _ in
      var file = try ImportedFile(Array(document.utf8))
      let session = try #require(try file.session())
      #expect(try await history.take(session) == .added)
      let id = session.session.id
      #expect(id.text.count == 36 && session.session.tags == ["ok"] && session.session.createdAt == 0)
      // Two that go on from each other do not: the way from the head ends.
      #expect(try await history.path(of: id).count <= 2)
      #expect(try await history.turn(number: 2, of: id)?.question == "nul \u{FFFD} in it")
    }
  }

  @Test(arguments: [
    ("PK\u{3}\u{4}rest", .archive("zip")), ("PK\u{5}\u{6}", .archive("zip")), ("BZh9", .archive("bzip2")),
    ("", ImportProblem.unknown), ("hello", .unknown), ("{}", .unknown), ("[]", .unknown),
    ("{\"sessions\":[]}", .unknown),
    (#"{"parley":"history","version":2,"sessions":[]}"#, .newer(version: 2)),
    ("{\"parley\":\"history\",\"version\":7}\n{\"type\":\"session\"}", .newer(version: 7)),
    ("{\"parley\":\"history\",\"version\":1,\"sessions\":[\n{\"id\":\"a\",\"tur", .broken(line: 2)),
    ("{\"parley\":\"history\",\"version\":1,\"sessions\":[\n\n{\"id\":\"a\"}]}", .noSession(line: 3)),
    ("{\"parley\":\"history\",\"version\":1}\n{\"type\":\"turn\"}\n", .noSession(line: 2)),
    ("{\"parley\":\"history\",\"version\":1}\n{\"type\":\"session\",\"id\":\"a\"}\n{\"type\":\"tu", .broken(line: 3)),
    (
      "{\"parley\":\"history\",\"version\":1}\n{\"type\":\"session\",\"id\":\"a\"}\n{\"type\":\"turn\"}",
      .noSession(line: 3)
    ),
    (
      """
      {"parley":"history","version":1,"sessions":[
      {"id":"a","turns":[{"number":1,"messages":[]},{"number":0,"messages":[]}]}]}
      """, .noTurn(line: 2, after: 1)
    ),
  ])
  func `what cannot be read says where`(_ text: String, _ problem: ImportProblem) {
    #expect(throws: problem) {
      var file = try ImportedFile(Array(text.utf8))
      while try file.session() != nil {}
    }
  }

  @Test func `a mark at the beginning, blanks and an order of another hand do not matter`() throws {
    let text = "\u{FEFF} \n{ \"sessions\" : [ { \"turns\" : [ ], \"id\" : \"a\" } ] , \"parley\" : \"history\" }\n\n"
    var file = try ImportedFile(Array(text.utf8))
    #expect(try file.session()?.session.id.text == "a")
    #expect(try file.session() == nil)
    var none = try ImportedFile(Array("{\"parley\":\"history\",\"version\":1}\r\n".utf8))
    #expect(try none.session() == nil)
  }

  @Test func `a damaged file ends the import, and harms nothing`() async throws {
    var random = SeededNumbers(seed: 12)
    let session = random.keptSession()
    let whole = [HistoryDocument.json, .jsonl].map { document in
      Array((document.begin + document.pieces(of: session, isFirst: true).joined() + document.end).utf8)
    }
    let history = try History.inMemory()
    var (read, refused) = (0, 0)
    for number in 0..<600 {
      var bytes = whole[number % 2]
      for _ in 0...random.below(3) {
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.remove(at: place)
        default:
          bytes.insert(contentsOf: Array(random.pick(["9", "-", "\"", "null", "[", "\\u0000", "e99"]).utf8), at: place)
        }
      }
      do {
        var file = try ImportedFile(bytes)
        while let session = try file.session() {
          read += 1
          if try await history.take(session) == .added { _ = try await history.path(of: session.session.id) }
        }
      } catch is ImportProblem { refused += 1 }
    }
    #expect(read > 100 && refused > 100)
    let verdict = try await history.write { db in try String.fetchOne(db, sql: "PRAGMA integrity_check") }
    #expect(verdict == "ok")
  }

  private func exports(of history: History) async throws -> (json: String, lines: String) {
    var (json, lines) = (HistoryDocument.json.begin, HistoryDocument.jsonl.begin)
    for (index, id) in try await history.allSessions().enumerated() {
      let kept = try #require(try await history.kept(id))
      json += HistoryDocument.json.pieces(of: kept, isFirst: index == 0).joined()
      lines += HistoryDocument.jsonl.pieces(of: kept, isFirst: index == 0).joined()
    }
    return (json + HistoryDocument.json.end, lines)
  }
}

extension SeededNumbers {
  private mutating func hostile() -> String {
    let parts = [
      "word ", "\n", "\u{1B}]0;title\u{7}", "\u{202E}", "\"quoted\\", "{\"type\":\"session\"}", "\r\n", "\u{9B}31m",
      "👩‍👩‍👧‍👦",
      "\u{2028}", "```\n", "\u{FFFD}", "\u{FEFF}", "e\u{301}", "</script>", "\t", "\u{7F}", "漢字",
    ]
    return (0..<below(9)).map { _ in pick(parts) }.joined()
  }

  fileprivate mutating func keptSession() -> KeptSession {
    var session = Session(
      id: SessionID(randomID()), title: below(2) == 0 ? hostile() : nil, systemPrompt: below(2) == 0 ? hostile() : nil,
      sampling: Sampling(
        temperature: below(2) == 0 ? Double(below(1000)) / 999 : nil, topP: below(3) == 0 ? 1 : nil,
        maxTokens: below(3) == 0 ? below(9999) : nil, seed: below(3) == 0 ? -4 : nil,
        stop: below(3) == 0 ? [hostile(), "x"] : []),
      server: below(2) == 0 ? Server(name: hostile() + "s", kind: "openai", url: "http://127.0.0.1:1/v1") : nil,
      model: below(2) == 0 ? hostile() : nil)
    session.titleIsManual = below(2) == 0
    session.createdAt = 1_700_000_000_000 + below(1_000_000)
    session.updatedAt = session.createdAt + below(1_000_000)
    session.isArchived = below(4) == 0
    session.isPinned = below(4) == 0
    session.tags = below(3) == 0 ? ["garden", "plans", "ü"] : []
    session.remote = below(5) == 0 ? hostile() : nil
    var turns: [KeptTurn] = []
    let file = AttachedFile(
      path: "/a/\(hostile())", name: "n", bytes: (0..<below(40)).map { UInt8(truncatingIfNeeded: $0 * 7) })
    for number in 1...(1 + below(7)) { turns.append(keptTurn(number, file, session.createdAt + number)) }
    return KeptSession(session, opening: FirstWords.of(hostile() + "x"), head: 1 + below(turns.count), turns: turns)
  }

  private mutating func keptTurn(_ number: Int, _ file: AttachedFile, _ moment: Int) -> KeptTurn {
    var messages = [KeptMessage(.user, hostile(), createdAt: moment)]
    if below(3) == 0 {
      var round = KeptMessage(.assistant, hostile(), createdAt: moment)
      let deep = (0..<(10 + below(100))).reduce(JSON.null) { json, _ in .array([json]) }
      let call = ToolCall(
        id: "c", name: "add", arguments: below(2) == 0 ? .object(["a": deep]) : .broken(hostile(), .notJSON))
      round.toolCalls = StoredCall.column([StoredCall(call, tool: hostile(), server: nil)])
      var result = KeptMessage(.tool, hostile(), createdAt: moment + 1)
      (result.toolName, result.toolCallID, result.toolStatus, result.toolMs) = ("add", "c", "done", below(500))
      result.toolResult = below(2) == 0 ? #"{"content":[]}"# : nil
      messages += [round, result]
    }
    if below(5) > 0 {
      var answer = KeptMessage(.assistant, hostile(), createdAt: moment + 2)
      answer.reasoning = hostile()
      answer.status = pick(AnswerStatus.allCases)
      answer.error = answer.status == .failed ? hostile() : nil
      answer.usage = Usage(promptTokens: below(2) == 0 ? below(99) : nil, cost: below(2) == 0 ? 0.1 + 0.2 : nil)
      (answer.model, answer.server) = (hostile(), "s")
      (answer.firstTokenMs, answer.totalMs) = (below(2) == 0 ? 3 : nil, below(9999))
      messages.append(answer)
    }
    var turn = KeptTurn(
      number: number, parent: number == 1 || below(4) == 0 ? nil : 1 + below(number - 1), createdAt: moment,
      remote: below(5) == 0 ? RemoteName(question: hostile(), answer: nil) : nil,
      files: below(3) == 0 ? [file] : [], messages: messages)
    turn.contextStart = below(4) == 0 ? number + below(3) : nil
    turn.contextEnd = below(4) == 0 ? number + below(3) : nil
    return turn
  }
}

import Chat
import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct SearchTests {
  private func texts(_ history: History, _ words: String..., filter: SearchFilter = SearchFilter()) async throws
    -> [String]
  {
    try await history.search(words, filter).map { $0.snippet.map(\.text).joined() }
  }

  @Test func `words are found whole, then as beginnings, then anywhere`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      for text in ["the pool is full", "pooling helps", "a whirlpool", "Crème brûlée", "数据库连接池"] {
        try await history.say(text, in: &session)
      }
      #expect(try await texts(history, "POOL") == ["the pool is full"])
      #expect(try await texts(history, "pooli") == ["pooling helps"])
      #expect(try await texts(history, "irlpoo") == ["a whirlpool"])
      #expect(try await texts(history, "creme", "brulee") == ["Crème brûlée"])
      #expect(try await texts(history, "连接") == ["数据库连接池"])
      #expect(try await texts(history, "pool", "brulee").isEmpty)
    }
  }

  @Test func `signs count as typed`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      for text in [
        "SELECT * FROM a", "SELECTED", "连接池 很 大", "Ⓐ and Ⓑ", "c is old", "c++ is newer", "say \"hi\"", "foo-bar",
        "foo bar", "100%",
      ] {
        try await history.say(text, in: &session)
      }
      #expect(try await texts(history, "SELECT *") == ["SELECT * FROM a"])
      #expect(try await texts(history, "Ⓑ", "and") == ["Ⓐ and Ⓑ"])
      #expect(try await texts(history, "Ⓒ", "and").isEmpty)
      var filter = SearchFilter()
      filter.excluded = ["连接"]
      #expect(try await texts(history, "很", filter: filter).isEmpty)
      #expect(try await texts(history, "c++") == ["c++ is newer"])
      #expect(try await texts(history, "\"") == ["say \"hi\""])
      #expect(try await texts(history, "foo-bar") == ["foo-bar"])
      #expect(Set(try await texts(history, "foo bar")) == ["foo bar", "foo-bar"])
      #expect(try await texts(history, "%") == ["100%"])
      #expect(try await texts(history, "", " ").isEmpty)
    }
  }

  @Test func `a hit names its place and marks the word`() async throws {
    try await withHistory { history, _ in
      var session = Session(title: "On pools", model: "qwen")
      let answer = StoredAnswer(text: "no", reasoning: "the deep end", status: .complete, server: "gpu1")
      let turn = try await history.say("connection pool", in: &session, answer: answer)
      let hit = try #require(try await history.search(["pool"]).first)
      #expect(hit.session == session.id)
      #expect(hit.name == "On pools")
      #expect(hit.turn == turn.id)
      #expect(hit.number == 1)
      #expect(hit.role == .user)
      #expect(hit.snippet == [.init(text: "connection ", isMatch: false), .init(text: "pool", isMatch: true)])
      let deep = try #require(try await history.search(["deep"]).first)
      #expect(deep.role == .assistant)
      #expect(deep.model == "qwen")
    }
  }

  @Test func `filters narrow a search`() async throws {
    let clock = Clock()
    try await withHistory(now: clock.next) { history, _ in
      var session = Session(server: Server(name: "gpu1", kind: "k", url: "u"), model: "qwen3")
      try await history.say("word", in: &session, answer: StoredAnswer(text: "word", status: .complete))
      let later = clock.next()
      var other = Session(model: "llama")
      try await history.say("word", in: &other, answer: StoredAnswer(text: "word", status: .failed))
      func count(_ change: (inout SearchFilter) -> Void) async throws -> Int {
        var filter = SearchFilter()
        change(&filter)
        return try await history.search(["word"], filter).count
      }
      #expect(try await count { _ in } == 4)
      #expect(try await count { $0.model = "QWEN" } == 2)
      #expect(try await count { $0.server = "gpu" } == 2)
      #expect(try await count { $0.since = later } == 2)
      #expect(try await count { $0.role = .user } == 2)
      #expect(try await count { $0.status = .failed } == 1)
      #expect(try await count { $0.session = String(other.id.text.prefix(30)) } == 2)
    }
  }

  @Test func `words can be left out, begun, or not be needed at all`() async throws {
    let clock = Clock()
    try await withHistory(now: clock.next) { history, _ in
      var pools = Session(title: "On pools")
      for text in ["pool of water", "pool of cars", "pooling cars", "c++ pool"] {
        try await history.say(text, in: &pools)
      }
      let later = clock.next()
      var other = Session(title: "Other")
      try await history.say("a fish in water", in: &other)
      func found(_ words: [String], _ change: (inout SearchFilter) -> Void = { _ in }) async throws -> Set<String> {
        var filter = SearchFilter()
        change(&filter)
        return Set(try await history.search(words, filter).map { $0.snippet.map(\.text).joined() })
      }
      #expect(try await found(["pool"]) { $0.excluded = ["cars", "c++"] } == ["pool of water"])
      #expect(try await found(["ool"]) { $0.excluded = ["cars", "c++"] } == ["pool of water"])
      #expect(try await found(["pool*", "cars"]) == ["pool of cars", "pooling cars"])
      #expect(try await found(["poo*"]).count == 4)
      #expect(try await found(["ool*"]).isEmpty)
      #expect(try await found(["cars"]) { $0.excluded = ["poo", "car"] }.count == 2)
      #expect(try await found(["ooling"]) { $0.excluded = ["car"] } == ["pooling cars"])
      #expect(try await found(["ooling"]) { $0.excluded = ["cars"] }.isEmpty)
      #expect(try await found(["water"]) { $0.until = later } == ["pool of water"])
      #expect(try await found(["water"]) { $0.session = "pools" } == ["pool of water"])
      #expect(try await found([]) { $0.session = other.id.text } == ["a fish in water"])
      #expect(
        try await found([]) {
          $0.session = "other"; $0.excluded = ["fish"]
        }.isEmpty)
      #expect(try await found([]).isEmpty)
    }
  }

  @Test func `of a word that is everywhere the newest messages are ranked`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      try await history.say("everywhere", in: &session)
      try await history.write { db in
        try db.execute(
          sql: """
            WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
            INSERT INTO turn(key, session, number, created_at) SELECT 1000 + i, 1, i, i FROM n;
            INSERT INTO message(key, id, turn, position, role, content, created_at)
              SELECT key, 'm' || key, key, 0, 'user', 'everywhere and more words ' || key, key FROM turn WHERE key > 1000;
            """)
      }
      let hits = try await history.search(["everywhere"], limit: 3)
      #expect(hits.map(\.number) == [6000, 5999, 5998])
      var filter = SearchFilter()
      #expect(try await history.sessions(with: ["everywhere"]) == [session.id])
      #expect(try await history.sessions(with: ["verywher"]) == [session.id])
      #expect(try await history.sessions(with: ["nowhere"]).isEmpty)
      filter.until = 1010
      #expect(try await history.search(["everywhere", "more"], filter).count == 8)
    }
  }

  @Test func `a message may hold any character beside what is found`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      try await history.say("\u{E001}a\u{E000} pool \u{301}<b>\u{E000} pool", in: &session)
      let hit = try #require(try await history.search(["pool"]).first)
      #expect(
        hit.snippet == [
          .init(text: "\u{E001}a\u{E000} ", isMatch: false), .init(text: "pool", isMatch: true),
          .init(text: " \u{301}<b>\u{E000} ", isMatch: false), .init(text: "pool", isMatch: true),
        ])
    }
  }

  @Test func `nothing that is typed is an error`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      try await history.say("plain words here", in: &session)
      let pieces = [
        "\"", "'", "*", "^", "(", ")", "AND", "OR", "NOT", "NEAR(", "{", "}", ":", "-", "+", "\0", "\\", "%", "é", "🙂",
        "\u{E000}", "a", " ", ";--", "content:", "\u{FFFF}",
      ]
      var random = SeededNumbers(seed: 7)
      for _ in 0..<300 {
        let words = (0..<Int.random(in: 1...4, using: &random)).map { _ in
          (0..<Int.random(in: 1...6, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }.joined()
        }
        _ = try await history.search(words)
      }
      _ = try await history.search([String(repeating: "x\"", count: 60_000)])
      _ = try await history.search(Array(repeating: "plain", count: 5_000))
    }
  }

  @Test func `search works without its index, and it can be built again`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      try await history.say("plain words", in: &session)
      try await history.write { db in
        try db.execute(sql: "INSERT INTO message_index(message_index) VALUES ('delete-all')")
      }
      #expect(try await texts(history, "words") == ["plain words"])
      #expect(try await history.health().problems == ["the search index does not match the messages"])
      try await history.rebuildIndexes()
      #expect(try await history.health().problems.isEmpty)
    }
  }

  @Test(arguments: [
    "DROP TABLE message_index", "DROP TABLE message_index_data",
    "UPDATE message_index_config SET v = 9 WHERE k = 'version'",
  ])
  func `where the index cannot be used search works all the same, and the next start mends it`(_ damage: String)
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let before = try History.open(at: path)
      var session = Session()
      for text in ["hello water", "hello fire"] { try await before.say(text, in: &session) }
      await before.close()
      try change(path, damage)
      let history = try History.open(at: path)
      var filter = SearchFilter()
      filter.excluded = ["water"]
      #expect(Set(try await texts(history, "hello")) == ["hello water", "hello fire"])
      #expect(HistoryFile(path).isSuspect)
      #expect(try await texts(history, "hello", filter: filter) == ["hello fire"])
      #expect(try await texts(history, "ello", filter: filter) == ["hello fire"])
      #expect(try await history.sessions(with: ["hello"], filter) == [session.id])
      await history.close()
      let mended = try History.open(at: path)
      #expect(!HistoryFile(path).isSuspect)
      #expect(try await mended.health().problems.isEmpty)
      #expect(try await texts(mended, "hello", filter: filter) == ["hello fire"])
      try await mended.say("hello again", in: &session)
      #expect(try await mended.path(of: session.id).map(\.question) == ["hello water", "hello fire", "hello again"])
      await mended.close()
    }
  }

  @Test func `a schema that no message fits into any more is damage, and the next start mends it`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let before = try History.open(at: path)
      var session = Session()
      try await before.say("one", in: &session)
      await before.close()
      try change(path, "DROP TABLE message_index")
      let history = try History.open(at: path)
      let error = await #expect(throws: HistoryError.self) { try await history.say("two", in: &session) }
      guard case .damaged? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      await history.close()
      let mended = try History.open(at: path)
      #expect(mended.notices.isEmpty)
      try await mended.say("two", in: &session)
      #expect(try await mended.search(["two"]).count == 1)
      #expect(try await mended.path(of: session.id).map(\.question) == ["one", "two"])
      await mended.close()
    }
  }

  @Test func `what is forgotten is in no file`() async throws {
    try await withHistory { history, path in
      var keep = Session()
      try await history.say("keepsake", in: &keep)
      var gone = Session()
      try await history.say(
        "canaryword one", in: &gone, answer: StoredAnswer(text: "canaryword two", status: .complete))
      _ = try await history.write { db in try HistoryFile(path).backUp(db, at: 1) }
      try await history.forget(gone.id)
      var turns = Session()
      let first = try await history.say("a", in: &turns)
      let second = try await history.say("canaryword three", in: &turns)
      let third = try await history.say("c", in: &turns)
      try await history.forget(second.id)
      #expect(try await history.path(of: turns.id).map(\.id) == [first.id, third.id])
      await #expect(throws: HistoryError.noSession(gone.id.text)) { try await history.forget(gone.id) }
      #expect(try await history.search(["canaryword"]).isEmpty)
      #expect(try await history.search(["keepsake"]).count == 1)
      #expect(try await history.health().problems.isEmpty)
      await history.close()
      let folder = directory(of: path)
      for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let bytes = Data(try AtomicFile.read(folder + "/" + file) ?? [])
        #expect(bytes.range(of: Data("canary".utf8)) == nil, "\(file)")
      }
    }
  }

  @Test func `old sessions are forgotten, pinned ones are not`() async throws {
    let clock = Clock()
    try await withHistory(now: clock.next) { history, _ in
      var pinned = Session(title: "pinned")
      pinned.isPinned = true
      try await history.say("a", in: &pinned)
      var old = Session(title: "old")
      try await history.say("a", in: &old)
      let moment = clock.next()
      var new = Session(title: "new")
      try await history.say("a", in: &new)
      #expect(try await history.forget(olderThan: moment).sessions == 1)
      #expect(try await history.recent().map(\.name) == ["pinned", "new"])
      history.recall.add("x")
      try await history.forgetAll()
      #expect(try await history.recent().isEmpty)
      #expect(history.recall.line(0) == nil)
    }
  }
}

@Suite struct RecallTests {
  @Test func `lines come newest first across runs and pages`() async throws {
    try await withHistory { history, path in
      for number in 0..<250 { history.recall.add("line \(number)") }
      history.recall.add("line 249")
      await history.close()
      let next = try History.open(at: path)
      next.recall.add("line 249")
      next.recall.add("new")
      #expect(next.recall.line(0) == "new")
      #expect(next.recall.line(1) == "line 249")
      #expect(next.recall.line(250) == "line 0")
      #expect(next.recall.line(251) == nil)
      #expect(next.recall.line(2) == "line 248")
      await next.close()
    }
  }

  @Test func `another thread reads while lines are added`() async throws {
    try await withHistory { history, _ in
      let recall = history.recall
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for number in 0..<100 { recall.add("line \(number)") } }
        group.addTask { for _ in 0..<100 { _ = recall.line(.random(in: 0..<100)) } }
      }
      #expect((0..<100).map { recall.line($0) } == (0..<100).reversed().map { "line \($0)" })
    }
  }
}

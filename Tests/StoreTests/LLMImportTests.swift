import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// What the program `llm` keeps, as its versions 0.31 and 0.36 wrote it (`Exports`).
@Suite struct LLMImportTests {
  /// The bytes of a database that such statements make.
  private func database(_ name: String, _ more: String = "") throws -> [UInt8] {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Exports/\(name).sql")
    let statements = try String(contentsOf: source, encoding: .utf8)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: statements + more) }
    try queue.close()
    return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func sessions(_ bytes: [UInt8]) throws -> [KeptSession] {
    var file = try ImportedFile(bytes)
    var sessions: [KeptSession] = []
    while let session = try file.session() { sessions.append(session) }
    return sessions
  }

  /// Each message of a session: its role, and what it says.
  private func told(_ session: KeptSession) -> [String] {
    session.turns.flatMap { turn in
      turn.messages.map {
        "#\(turn.number) \($0.role.rawValue): \($0.content)" + ($0.toolCalls == nil ? "" : " (call)")
      }
    }
  }

  @Test(arguments: [("llm-0.31", "0.31"), ("llm-0.36", "0.36")])
  func `conversations come as they were said`(name: String, version: String) async throws {
    let sessions = try sessions(try database(name))
    #expect(
      sessions.map(\.session.title) == [
        "What do bees eat?", "another one", "a picture", "Bees dance. What is that?", "use it", "think hard",
      ])
    let bees = sessions[0]
    #expect(bees.session.systemPrompt == "be brief" && bees.session.model == "rep" && !bees.session.titleIsManual)
    #expect(
      told(bees) == [
        "#1 user: What do bees eat?", "#1 assistant: What do bees eat?", "#2 user: And sleep?",
        "#2 assistant: And sleep?",
      ])
    #expect(bees.turns.map(\.parent) == [nil, 1] && bees.head == 2)
    let answer = try #require(bees.turns[0].messages.last)
    #expect(answer.usage == Usage(promptTokens: 7, completionTokens: 2) && answer.model == "rep")
    #expect(answer.totalMs ?? 0 > 0 && answer.status == .complete)
    #expect(abs(bees.session.createdAt - 1_795_787_721_000) < 60_000)
    // Its bytes where they were kept, and else its name.
    #expect(sessions[2].turns[0].files.map(\.name) == ["attachment.png"] && sessions[2].turns[0].files[0].size == 70)
    #expect(told(sessions[2])[2] == "#2 user: the same from a file\n[a.png]")
    #expect(told(sessions[3])[0] == "#1 user: Bees dance.\n\nWhat is that?")
    #expect(
      told(sessions[4]) == [
        "#1 user: use it", "#1 assistant: Let me look.  (call)", "#1 tool: \(version)",
        "#1 assistant: It is \(version)",
      ])
    try await withHistory { (history, _) async throws in
      for session in sessions { #expect(try await history.take(session) == .added) }
      for session in sessions { #expect(try await history.take(session) == .isThere) }
      #expect(try await history.search(["dance"]).count == 2)
    }
  }

  @Test func `a conversation that went on later is taken once`() throws {
    let old = """
      INSERT INTO conversations VALUES ('01m8emm2sfkmran3av71s1h17n', 'What do bees eat?', 'rep');
      INSERT INTO responses (id, model, prompt, response, conversation_id, datetime_utc)
        VALUES ('01', 'rep', 'What do bees eat?', 'What do bees eat?', '01m8emm2sfkmran3av71s1h17n', '2026-01-01T00:00:00');
      INSERT INTO conversations VALUES ('02', NULL, 'rep');
      INSERT INTO responses (id, model, prompt, response, conversation_id, datetime_utc)
        VALUES ('02', 'rep', 'only old', 'yes', '02', '2026-01-01T00:00:00');
      """
    let sessions = try sessions(try database("llm-0.36", old))
    #expect(sessions.count == 7)
    #expect(sessions.filter { $0.opening == "What do bees eat?" }.count == 1)
    #expect(told(sessions[0]) == ["#1 user: only old", "#1 assistant: yes"])
  }

  @Test func `one that is in WAL mode is read as well`() throws {
    var bytes = try database("llm-0.36")
    (bytes[18], bytes[19]) = (2, 2)
    #expect(try sessions(bytes).count == 6)
  }

  @Test func `another program's database and a damaged one are told apart`() throws {
    #expect(throws: ImportProblem.unknown) {
      try sessions(try database("llm-0.36", "DROP TABLE turns; DROP TABLE responses"))
    }
    let bytes = try database("llm-0.36")
    #expect(throws: ImportProblem.damaged) { try sessions(Array(bytes.prefix(5000))) }
    // Messages that go round end.
    let round = """
      UPDATE messages SET parent_hash = (SELECT tip_message_hash FROM threads WHERE name = 'another one')
        WHERE hash = (SELECT parent_message_hash FROM turns WHERE thread_id =
          (SELECT id FROM threads WHERE name = 'another one'));
      """
    let goingRound = try sessions(database("llm-0.36", round))
    #expect(goingRound.count == 6)
  }

  @Test(arguments: [
    // Versions 0.5 to 0.18 have no token counts.
    "ALTER TABLE responses DROP COLUMN input_tokens; ALTER TABLE responses DROP COLUMN output_tokens;",
    "ALTER TABLE responses DROP COLUMN duration_ms;",
  ]) func `a database without the columns of later versions is read`(statement: String) throws {
    let sessions = try sessions(try database("llm-0.31", statement))
    #expect(sessions.count == 6 && sessions[0].turns[0].messages.last?.content == "What do bees eat?")
  }

  @Test(arguments: [
    ("llm-0.31", "UPDATE tool_results SET exception = 'ValueError: no'"),
    (
      "llm-0.36",
      "UPDATE parts SET payload = json_set(payload, '$.exception', 'ValueError: no') WHERE type = 'tool_result'"
    ),
  ]) func `a tool result with an exception is kept as failed`(name: String, statement: String) throws {
    let messages = try sessions(try database(name, statement)).flatMap(\.turns).flatMap(\.messages)
    #expect(messages.compactMap(\.toolStatus) == ["failed"])
    let before = try sessions(try database(name)).flatMap(\.turns).flatMap(\.messages)
    #expect(before.compactMap(\.toolStatus) == ["done"])
  }

  @Test(arguments: [
    "UPDATE responses SET id = NULL", "UPDATE responses SET response = X'FF', prompt = X'FE', model = X'FF'",
    "UPDATE responses SET duration_ms = 9223372036854775807, input_tokens = 'n/a', output_tokens = 1e30",
    "UPDATE responses SET datetime_utc = 'never'", "UPDATE tool_calls SET name = X'FF', arguments = NULL",
    "UPDATE attachments SET content = 5, type = NULL", "UPDATE conversations SET name = X'FF'",
    "ALTER TABLE tool_calls RENAME COLUMN name TO other",
  ]) func `a value that cannot be is left out`(statement: String) throws {
    #expect(try sessions(try database("llm-0.31", statement)).count == 6)
  }

  @Test(arguments: [
    "UPDATE turns SET duration_ms = 9223372036854775807, input_tokens = 'x', tip_message_hash = X'FF'",
    "UPDATE parts SET type = X'FF'", "UPDATE parts SET payload = X'FF', text = NULL",
    "UPDATE messages SET role = X'FF'",
    "UPDATE threads SET name = X'FF'", "ALTER TABLE parts RENAME COLUMN type TO other",
  ]) func `the same in threads`(statement: String) throws {
    #expect(try sessions(try database("llm-0.36", statement)).count == 6)
  }

  @Test(arguments: [
    (
      "DROP TABLE messages; CREATE VIEW messages AS WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x) SELECT 'h' || i AS hash, 'h' AS parent_hash, 'user' AS role FROM x",
      0
    ),
    ("ALTER TABLE threads ADD COLUMN more TEXT GENERATED ALWAYS AS (printf('%.*c', 900000000, 'x')) VIRTUAL", 0),
  ])
  func `what a file asks for without end is not read`(_ statement: String, _ count: Int) throws {
    #expect(try sessions(try database("llm-0.36", statement)).count == count)
  }

  @Test func `a file that is made up when it is read is none, and one that is named by many is refused`() throws {
    let madeUp = """
      ALTER TABLE attachments RENAME COLUMN content TO kept;
      ALTER TABLE attachments ADD COLUMN content BLOB AS (zeroblob(200000000)) VIRTUAL;
      """
    let read = try sessions(database("llm-0.31", madeUp))
    #expect(read.count == 6 && read.allSatisfy { $0.turns.allSatisfy { $0.files.isEmpty } })
    let repeated = """
      UPDATE fragments SET content = CAST(zeroblob(14000000) AS TEXT);
      WITH RECURSIVE x(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM x WHERE i < 140)
        INSERT INTO prompt_fragments SELECT (SELECT response_id FROM prompt_fragments LIMIT 1),
          (SELECT id FROM fragments LIMIT 1), i FROM x;
      """
    #expect(throws: ImportProblem.damaged) { try sessions(database("llm-0.31", repeated)) }
  }

  @Test func `what is known of an answer stands with that answer`() throws {
    let statement = """
      UPDATE parts SET type = 'tool_call', tool_name = 'x', text = NULL, payload = '{}' WHERE text = 'And sleep?'
        AND message_hash IN (SELECT hash FROM messages WHERE role = 'assistant');
      UPDATE turns SET model = 'other' WHERE tip_message_hash IN (SELECT message_hash FROM parts WHERE tool_name = 'x');
      """
    let bees = try sessions(database("llm-0.36", statement))[0]
    #expect(bees.turns[0].messages.last?.model == "rep")
  }

  @Test func `no byte that is wrong ends the program`() throws {
    let bytes = try database("llm-0.36")
    var random = SeededNumbers(seed: 7)
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0..<20 { damaged[.random(in: 100..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
      do throws(ImportProblem) {
        var file = try ImportedFile(damaged)
        while try file.session() != nil {}
      } catch {
        #expect(error == .damaged || error == .unknown)
      }
    }
  }
}

import Chat
import TestSupport
import Testing
import Wire

@testable import Store

/// What a chat-ui server exports of its conversations.
@Suite struct ChatUIImportTests {
  private static func message(
    _ id: String, _ from: String, _ content: String, below ancestors: [String] = [], _ more: [JSON.Member] = []
  ) -> JSON {
    .object(
      [
        .init("from", .string(from)), .init("id", .string(id)), .init("content", .string(content)),
        .init("ancestors", .array(ancestors.map(JSON.string))), .init("createdAt", "2024-05-01T10:00:01.500Z"),
        .init("files", .array([])),
      ] + more)
  }

  private static func conversation(_ messages: [JSON], _ more: [JSON.Member] = []) -> JSON {
    .object(
      [
        .init("_id", "663212f0a1b2c3d4e5f60718"), .init("title", "Bees"), .init("model", "meta/llama"),
        .init("createdAt", "2024-05-01T10:00:00.000Z"), .init("updatedAt", "2024-05-01T10:05:00.000Z"),
        .init("messages", .array(messages)),
      ] + more)
  }

  private func sessions(_ json: JSON) throws -> [KeptSession] {
    var file = try ImportedFile(json.bytes())
    var sessions: [KeptSession] = []
    while let session = try file.session() { sessions.append(session) }
    return sessions
  }

  private func told(_ session: KeptSession) -> [String] {
    session.turns.map { turn in
      // A question without an answer stands for one itself.
      let answer = turn.messages.last
      return "#\(turn.number) below \(turn.parent ?? 0): \(turn.messages[0].content) → \(answer?.content ?? "")"
        + (answer?.reasoning.isEmpty == false ? " (thought \(answer?.reasoning ?? ""))" : "")
    }
  }

  @Test func `a conversation keeps its branches, what was thought, and how each answer ended`() async throws {
    let json = JSON.array([
      Self.conversation([
        Self.message("s", "system", "be brief"),
        Self.message("q1", "user", "What do bees eat?", below: ["s"]),
        Self.message("a1", "assistant", "Nectar.", below: ["s", "q1"], [.init("reasoning", "hm")]),
        Self.message("a2", "assistant", "Nectar and", below: ["s", "q1"], [.init("interrupted", true)]),
        Self.message("q2", "user", "And sleep?", below: ["s", "q1", "a1"]),
        Self.message(
          "b2", "assistant", "They do.", below: ["s", "q1", "a1", "q2"],
          [.init("routerMetadata", ["route": "x", "model": "qwen"])]),
      ]),
      Self.conversation([Self.message("q", "user", "another")], [.init("_id", ["$oid": "663212f0a1b2c3d4e5f60719"])]),
    ])
    let sessions = try sessions(json)
    let bees = sessions[0]
    #expect(
      told(bees) == [
        "#1 below 0: What do bees eat? → Nectar. (thought hm)", "#2 below 1: And sleep? → They do.",
        "#3 below 0: What do bees eat? → Nectar and",
      ])
    #expect(bees.session.id.text == "663212f0a1b2c3d4e5f60718" && bees.session.systemPrompt == "be brief")
    #expect((bees.session.createdAt, bees.session.updatedAt) == (1_714_557_600_000, 1_714_557_900_000))
    #expect(bees.head == 2 && bees.turns[1].messages.last?.model == "qwen")
    #expect(bees.turns[2].messages.last?.status == .interrupted)
    #expect(sessions[1].session.id.text == "663212f0a1b2c3d4e5f60719")
    try await withHistory { (history, _) async throws in
      for session in sessions { #expect(try await history.take(session) == .added) }
      #expect(try await history.path(of: bees.session.id).map(\.question) == ["What do bees eat?", "And sleep?"])
    }
  }

  @Test func `one from before there were branches is one line`() throws {
    let json = JSON.array([
      Self.conversation([
        Self.message("q1", "user", "one"), Self.message("a1", "assistant", "eins"), Self.message("q2", "user", "two"),
        Self.message("a2", "assistant", "zwei"),
      ])
    ])
    let told = try told(sessions(json)[0])
    #expect(told == ["#1 below 0: one → eins", "#2 below 1: two → zwei"])
  }

  @Test func `a message may stand before the one that it goes on from`() throws {
    let json = Self.conversation([
      Self.message("a1", "assistant", "eins", below: ["q1"]), Self.message("q2", "user", "two", below: ["q1", "a1"]),
      Self.message("q1", "user", "one"),
    ])
    let told = try told(sessions(json)[0])
    #expect(told == ["#1 below 0: one → eins", "#2 below 1: two → two"])
  }

  @Test func `messages of another program are no conversation`() throws {
    let request: JSON = ["model": "m", "messages": [["role": "user", "content": "hello"]]]
    #expect(throws: ImportProblem.unknown) { try sessions(request) }
  }

  @Test func `messages that go round, or on from none, end`() throws {
    let json = Self.conversation([
      Self.message("a", "user", "one", below: ["b"]), Self.message("b", "assistant", "two", below: ["a"]),
      Self.message("c", "user", "three", below: ["nowhere"]), Self.message("c", "user", "twice"), ["from": "user"],
      .null,
    ])
    let told = try told(sessions(json)[0])
    #expect(told.count >= 1)
  }
}

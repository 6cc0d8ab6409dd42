import Chat
import Store
import Testing

@testable import Shell

/// What a conversation takes of what a model reads at once.
@Suite struct ContextTests {
  private func turn(
    _ number: Int, _ words: String, said: Usage? = nil, thought: String = "", start: Int? = nil, end: Int? = nil
  ) -> Turn {
    var answer = StoredAnswer(text: words, reasoning: thought, status: .complete, server: "gpu1")
    answer.usage = said
    var turn = Turn.unsaved(
      in: SessionID("s"), number: number, parent: nil, question: words, answer: answer, at: 0)
    (turn.contextStart, turn.contextEnd) = (start, end)
    return turn
  }

  /// One of which nothing came.
  private func unanswered(_ number: Int, _ words: String, end: Int? = nil) -> Turn {
    var turn = turn(number, words, end: end)
    turn.answer = StoredAnswer(text: "", status: .failed)
    return turn
  }

  private func conversation(_ turns: Turn...) -> Conversation { Conversation(Session(), path: turns) }

  @Test func `what the server counted is what is used`() {
    let conversation = conversation(
      turn(1, "one"), turn(2, "two", said: Usage(promptTokens: 100, completionTokens: 20)))
    #expect(conversation.tokens(before: .new("")) == (120, true))
    #expect(conversation.contextUse(of: 200, by: "gpu1").isCounted)
    #expect(!conversation.contextUse(of: 200, by: "gpu2").isCounted)
  }

  @Test func `what was thought is not sent again`() {
    let conversation = conversation(
      turn(1, "12345678", said: Usage(promptTokens: 100, completionTokens: 40), thought: "123456781234567812345678"))
    #expect(conversation.tokens(before: .new("")).count == 110)
  }

  @Test func `turns behind the last that was counted are reckoned`() {
    let conversation = conversation(
      turn(1, "one", said: Usage(promptTokens: 100, completionTokens: 20)), turn(2, "12345678"))
    #expect(conversation.tokens(before: .new("")) == (120 + 2 * (8 / 4 + 4), false))
  }

  @Test func `a question of which nothing came takes nothing, for it is not sent`() {
    let conversation = conversation(
      turn(1, "one", said: Usage(promptTokens: 100, completionTokens: 20)),
      unanswered(2, String(repeating: "long ", count: 1000)))
    #expect(conversation.tokens(before: .new("")) == (120, true))
    #expect(conversation.contextUse(of: nil, by: "gpu1").sent == [1])
  }

  @Test func `a count stays one whoever was not answered before it, and is none of other turns than are sent`() {
    let counted = Usage(promptTokens: 100, completionTokens: 20)
    func known(_ turns: Int...) -> CountedPrompt {
      CountedPrompt(
        tokens: 100, turns: turns.map { turn($0, "").id }, server: "", model: nil, systemPrompt: nil, tools: [])
    }
    let first = conversation(unanswered(1, "one"), turn(2, "two", said: counted))
    #expect(first.tokens(before: .new(""), since: known(2)) == (120, true))
    // All turns are sent again, or one is forgotten.
    let all = conversation(turn(1, "one"), turn(2, "two", said: counted))
    #expect(all.tokens(before: .new(""), since: known(2)) == (240, false))
    #expect(all.tokens(before: .new(""), since: known(1, 7, 2)) == (2 * 2 * (3 / 4 + 4), false))
  }

  @Test func `of what was counted with turns that are left out since, their share is taken away`() {
    let counted = Usage(promptTokens: 90, completionTokens: 10)
    // The third was asked when the first was left out already.
    let before = conversation(turn(1, "one", end: 2), turn(2, "two"), turn(3, "one", said: counted))
    #expect(before.tokens(before: .new("")) == (100, true))
    let since = conversation(turn(1, "one", end: 4), turn(2, "two"), turn(3, "one"), turn(4, "two", said: counted))
    #expect(since.tokens(before: .new("")) == (75, false))
  }

  @Test func `the oldest turns are left out until the rest fits`() {
    let counted = Usage(promptTokens: 390, completionTokens: 10)
    let conversation = conversation(turn(1, "a"), turn(2, "a"), turn(3, "a"), turn(4, "a", said: counted))
    #expect(
      conversation.turnsToLeaveOut(before: .new(""), of: conversation.tokens(before: .new("")).count, within: 400) == 0)
    #expect(
      conversation.turnsToLeaveOut(before: .new(""), of: conversation.tokens(before: .new("")).count, within: 399) == 1)
    #expect(
      conversation.turnsToLeaveOut(before: .new(""), of: conversation.tokens(before: .new("")).count, within: 200) == 2)
    #expect(
      conversation.turnsToLeaveOut(before: .new(""), of: conversation.tokens(before: .new("")).count, within: 0) == 4)
  }

  @Test func `what is left out is left out of every question that follows it`() {
    let turns = [turn(1, "a", end: 3), turn(2, "b"), turn(3, "c")]
    let conversation = Conversation(Session(), path: turns)
    #expect(conversation.messages(asking: .new("d")).map(\.content) == ["b", "b", "c", "c", "d"])
    #expect(conversation.messages(asking: .edited(turns[1], text: "x")).map(\.content) == ["x"])
    #expect(conversation.messages(asking: .retry(turns[2])).map(\.content) == ["b", "b", "c"])
    // Before it nothing is left out.
    #expect(conversation.messages(asking: .retry(turns[0])).map(\.content) == ["a"])
  }

  @Test func `what is sent begins with a summary, and a summary that is asked for again is of all`() {
    let turns = [turn(1, "a"), turn(2, ContextPage.request, start: 2), turn(3, "c")]
    let conversation = Conversation(Session(), path: turns)
    #expect(conversation.messages(asking: .new("d")).map(\.content).first == ContextPage.request)
    #expect(conversation.messages(asking: .retry(turns[1])).map(\.content).prefix(2) == ["a", "a"])
  }

  @Test(arguments: [
    (Int.max, Int.max), (0, 0), (-1, -1), (Int.min, Int.min), (1_000_000_000_000, 1_000_000_000_000),
    (100, Int.min), (1_000_000_000_001, 1),
  ])
  func `counts that nobody reckons with do no harm`(prompt: Int, completion: Int) {
    let counted = Usage(promptTokens: prompt, completionTokens: completion)
    let conversation = conversation(
      turn(1, "one", end: 3), turn(2, "two", said: counted), turn(3, "three", said: counted, thought: "hm"))
    let use = conversation.contextUse(of: 1, by: "gpu1")
    #expect(use.tokens >= 0 && use.percent ?? 0 <= 999)
    #expect(
      conversation.turnsToLeaveOut(before: .new(""), of: conversation.tokens(before: .new("")).count, within: 0) <= 2)
  }

  @Test(arguments: [
    ("", 0), ("one", 1), ("one two", 2), ("one, two; three", 3), ("a1 22 Ü über", 4), ("don't", 1), ("  \n\t", 0),
    ("{\"a\":[1,2]}", 3),
  ])
  func `no tokenizer makes fewer tokens of a text than it has words`(text: String, count: Int) {
    #expect(text.fewestTokens == count)
  }

  @Test func `what was thought within an answer may not be sent`() {
    let words = "so many words of thought</think>two words"
    #expect([Message(.assistant, words)].fewestTokens == 2)
    #expect([Message(.user, words)].fewestTokens == 8)
  }
}

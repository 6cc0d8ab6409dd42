import Chat
import Testing

@testable import Shell

@Suite struct AnswerJSONTests {
  @Test func `what the rounds of a turn used is added, however much servers say it was`() {
    let rounds = [
      Usage(promptTokens: 3, completionTokens: .max, cost: 0.5), nil, Usage(promptTokens: 4, completionTokens: 1),
    ]
    #expect(AnswerJSON.sum(rounds) == Usage(promptTokens: 7, completionTokens: .max, cost: 0.5))
    #expect(AnswerJSON.sum([nil]) == Usage())
  }
}

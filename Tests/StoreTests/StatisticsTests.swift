import Chat
import TestSupport
import Testing

@testable import Store

@Suite struct StatisticsTests {
  private static let day = 86_400_000

  private static func turn(_ number: Int, at moment: Int, _ change: (inout KeptMessage) -> Void) -> KeptTurn {
    var answer = KeptMessage(.assistant, "a", createdAt: moment)
    answer.status = .complete
    change(&answer)
    return KeptTurn(
      number: number, parent: nil, createdAt: moment,
      messages: [KeptMessage(.user, "q", createdAt: moment), answer])
  }

  private func counting(_ turns: [KeptTurn], _ check: (History) async throws -> Void) async throws {
    try await withHistory { history, _ in
      var session = Session()
      session.createdAt = 20_000 * Self.day
      #expect(try await history.take(KeptSession(session, opening: "q", head: nil, turns: turns)) == .added)
      try await check(history)
    }
  }

  @Test func `answers are counted by day, model and server`() async throws {
    let turns = [
      Self.turn(1, at: 20_000 * Self.day) { answer in
        (answer.model, answer.server) = ("a", "gpu1")
        answer.usage = Usage(promptTokens: 10, completionTokens: 30, cost: 0.5)
        (answer.firstTokenMs, answer.totalMs) = (500, 3500)
      },
      Self.turn(2, at: 20_001 * Self.day - 1) { answer in
        (answer.model, answer.server, answer.status) = ("a", "gpu2", .cutOff)
        answer.usage = Usage(promptTokens: 5, completionTokens: 20)
        (answer.firstTokenMs, answer.totalMs) = (1500, 2500)
      },
      Self.turn(3, at: 20_001 * Self.day) { answer in
        (answer.model, answer.server) = ("b", "gpu1")
        answer.totalMs = 40
      },
      Self.turn(4, at: 20_001 * Self.day) { $0.toolCalls = "[]" },
    ]
    try await counting(turns) { history in
      let models = try await history.statistics(by: .model, offset: 0)
      var a = Statistic(name: "a", answers: 2, unfinished: 1, promptTokens: 15, completionTokens: 50, cost: 0.5)
      (a.firstTokenMs, a.tokensPerSecond) = (1000, 12.5)
      #expect(models == [a, Statistic(name: "b", answers: 1), Statistic()])
      let servers = try await history.statistics(by: .server, offset: 0)
      #expect(servers.map(\.name) == ["gpu1", "gpu2", nil] && servers.map(\.answers) == [2, 1, 0])
      let days = try await history.statistics(by: .day, offset: 0)
      #expect(days.map(\.name) == ["2024-10-05", "2024-10-04"] && days.map(\.answers) == [1, 2])
      let later = try await history.statistics(by: .day, offset: 3600)
      #expect(later.map(\.answers) == [2, 1])
      let (all, sessions, since) = try await history.statistics()
      #expect((all.answers, all.unfinished, sessions, since) == (3, 1, 1, 20_000 * Self.day))
    }
  }

  @Test func `what no server should say does no harm`() async throws {
    let turns = (1...3).map { number in
      Self.turn(number, at: 0) { answer in
        answer.usage = Usage(promptTokens: .max, completionTokens: .min, cost: 1e308)
        (answer.firstTokenMs, answer.totalMs) = (.max, -5)
      }
    }
    try await counting(turns) { history in
      let all = try await history.statistics().all
      #expect((all.answers, all.promptTokens, all.completionTokens, all.cost) == (3, 1_000_000_000_000_000, 0, nil))
    }
  }

  @Test func `an empty history has nothing to count`() async throws {
    try await withHistory { history, _ in
      let (all, sessions, since) = try await history.statistics()
      #expect((all, sessions, since) == (Statistic(), 0, nil))
      let days = try await history.statistics(by: .day, offset: 0)
      #expect(days.isEmpty)
    }
  }
}

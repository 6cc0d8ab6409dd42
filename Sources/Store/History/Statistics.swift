import Chat
import GRDB

/// What answers are counted by.
package enum StatisticsPart: String, Sendable, CaseIterable { case day, model, server }

/// What the answers of a day, a model or a server have in common.
package struct Statistic: Sendable, Equatable {
  /// Such as `2026-11-27`; nil for those of which it is not known.
  package var name: String?
  /// Those that are over, each that was asked for again too.
  package var answers = 0
  /// Of these, those that are not whole.
  package var unfinished = 0
  package var promptTokens: Int?
  package var completionTokens: Int?
  package var cost: Double?
  /// The mean of those that say it.
  package var firstTokenMs: Int?
  /// Tokens of answers by the seconds from their first one to their end.
  package var tokensPerSecond: Double?

  package init(
    name: String? = nil, answers: Int = 0, unfinished: Int = 0, promptTokens: Int? = nil, completionTokens: Int? = nil,
    cost: Double? = nil, firstTokenMs: Int? = nil, tokensPerSecond: Double? = nil
  ) {
    self.name = name
    self.answers = answers
    self.unfinished = unfinished
    self.promptTokens = promptTokens
    self.completionTokens = completionTokens
    self.cost = cost
    self.firstTokenMs = firstTokenMs
    self.tokensPerSecond = tokensPerSecond
  }
}

extension History {
  /// Of all that is kept: days the newest first, models and servers with the most answers first.
  /// - Parameter offset: seconds that the clock is ahead of universal time, by which days are told.
  package func statistics(by part: StatisticsPart, offset: Int) async throws(HistoryError) -> [Statistic] {
    let name =
      switch part {
      case .day: "date(created_at / 1000 + \(offset), 'unixepoch')"
      case .model: "model"
      case .server: "server"
      }
    return try await read { db in
      try Row.fetchAll(
        db, sql: Statistic.select(name) + " GROUP BY name ORDER BY \(part == .day ? "name" : "answers") DESC, name"
      ).map(Statistic.init)
    }
  }

  /// Of all sessions together, and since when: nil where there is none.
  package func statistics() async throws(HistoryError) -> (all: Statistic, sessions: Int, since: Int?) {
    try await read { db in
      let all = try Row.fetchOne(db, sql: Statistic.select("NULL")).map(Statistic.init) ?? Statistic()
      let row = try Row.fetchOne(db, sql: "SELECT count(*) AS sessions, min(created_at) AS since FROM session")
      let sessions: Int = row?.value("sessions") ?? 0
      return (all, sessions, sessions > 0 ? row?.moment("since") : nil)
    }
  }
}

extension Statistic {
  /// Sums are reckoned in floating point: what a server says of its tokens may be anything.
  fileprivate static func select(_ name: String) -> String {
    let isAnswer = "tool_calls IS NULL AND status IS NOT 'streaming'"
    let whole = [AnswerStatus.complete, .filtered].map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let time = "total_ms - coalesce(first_token_ms, 0)"
    return """
      SELECT \(name) AS name, total(\(isAnswer)) AS answers, total(\(isAnswer) AND status NOT IN (\(whole))) AS unfinished,
        sum(0.0 + prompt_tokens) AS prompt, sum(0.0 + completion_tokens) AS completion, sum(0.0 + cost) AS cost,
        avg(first_token_ms) AS first,
        sum(CASE WHEN \(time) > 0 THEN 1000.0 * completion_tokens END) AS counted,
        sum(CASE WHEN \(time) > 0 AND completion_tokens IS NOT NULL THEN 0.0 + \(time) END) AS took
      FROM message WHERE role = 'assistant'
      """
  }

  fileprivate init(_ row: Row) {
    name = row.value("name")
    answers = row.count("answers") ?? 0
    unfinished = row.count("unfinished") ?? 0
    promptTokens = row.count("prompt")
    completionTokens = row.count("completion")
    cost = (row.value("cost") as Double?).flatMap { $0.isFinite ? $0 : nil }
    firstTokenMs = row.count("first")
    if let counted: Double = row.value("counted"), let took: Double = row.value("took"), took > 0 {
      tokensPerSecond = counted / took
    }
  }
}

extension Row {
  fileprivate func count(_ column: String) -> Int? {
    guard let number: Double = value(column), number.isFinite else { return nil }
    return Int(Swift.min(Swift.max(0, number), 1e15).rounded())
  }
}

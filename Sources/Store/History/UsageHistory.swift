package import Chat
import GRDB

extension History {
  /// What the answers of a server took, as far as it said so, the newest first. A turn that was asked again counts each
  /// time. An answer tells the name of who gave it: that counts, and not where its session went on.
  /// - Parameter others: what other servers are called. One that is none of these may be what this one was called before.
  package func usage(of server: Server, besides others: [String]) async throws(HistoryError) -> [UsageRecord] {
    let isOther = Array(repeating: "?", count: others.count).joined(separator: ", ")
    return try await read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT session.id AS session, coalesce(session.title, session.opening) AS title, message.model AS model,
            message.created_at AS moment, prompt_tokens, completion_tokens, cost
          FROM message JOIN turn ON turn.key = message.turn JOIN session ON session.key = turn.session
          WHERE message.role = 'assistant' AND message.status IS NOT 'streaming'
            AND (message.server = ? OR session.server_url = ? AND coalesce(message.server, '') NOT IN (\(isOther)))
            AND coalesce(prompt_tokens, completion_tokens, cost) IS NOT NULL
          ORDER BY message.created_at DESC, message.key DESC
          """, arguments: StatementArguments([server.name, server.url] + others)
      ).map { row in
        let (prompt, completion): (Int?, Int?) = (row.value("prompt_tokens"), row.value("completion_tokens"))
        let counts = [prompt, completion].compactMap(\.self)
        return UsageRecord(
          session: row.value("session") ?? "", title: row.value("title"), model: row.value("model"),
          at: row.moment("moment"),
          tokens: counts.isEmpty ? nil : counts.reduce(0) { $0.addingReportingOverflow($1).partialValue },
          promptTokens: prompt, completionTokens: completion, cost: row.value("cost"), messages: 1)
      }
    }
  }
}

import Chat
import Store
import Text
import Wire

/// The conversations that a server keeps, as a list.
enum RemotePage {
  /// - Parameters:
  ///   - here: those that are kept here too, by the server's names.
  ///   - current: the one that messages go to.
  static func listing(
    _ sessions: [RemoteSession], here: [String: SessionSummary], current: String?, now: Int
  ) -> Listing {
    Listing(
      columns: [
        Listing.Column("ID") { "\(String(($0["id"]?.string ?? "").prefix(8)))" },
        Listing.Column("AGE") { $0["updatedAt"]?.int.map { age(of: $0, at: now) } ?? "" },
        Listing.Column("MODEL", "model"),
        Listing.Column("HERE") { "\(String(($0["here"]?.string ?? "").prefix(8)))" },
        Listing.Column("") { row in
          if row["running"] == true { return "being written" }
          return row["current"] == true ? "current" : ""
        },
        Listing.Column("TITLE", "title"),
      ],
      rows: sessions.map { session in row(of: session, here: here[session.id], isCurrent: session.id == current) },
      whenEmpty: "the server keeps no conversations of yours")
  }

  private static func row(of session: RemoteSession, here: SessionSummary?, isCurrent: Bool) -> JSON {
    [
      "id": .string(session.id), "title": .string(session.title ?? ""),
      "model": session.model.map(JSON.string) ?? .null, "updatedAt": session.updatedAt.map(JSON.int) ?? .null,
      "running": .bool(session.isRunning), "shared": .bool(session.isShared),
      "here": here.map { .string($0.id.text) } ?? .null, "current": .bool(isCurrent),
    ]
  }

  /// One with what was counted in it.
  static func object(_ session: RemoteSession, here: SessionSummary?, isCurrent: Bool) -> JSON {
    var object = row(of: session, here: here, isCurrent: isCurrent)
    object["createdAt"] = session.createdAt.map(JSON.int) ?? .null
    object["systemPrompt"] = session.systemPrompt.map(JSON.string) ?? .null
    object["messages"] = session.countedMessages.map(JSON.int) ?? .null
    object["tokens"] = session.tokens.map(JSON.int) ?? .null
    object["cost"] = session.cost.map(JSON.double) ?? .null
    return object
  }

  /// The same for a person. - Parameter canBeRead: whether the server tells what was said in it.
  static func detail(
    _ session: RemoteSession, here: SessionSummary?, canBeRead: Bool, offset: Int, columns: Int?
  ) -> StyledText {
    DetailLines.text(
      [
        ("title", VisibleText.oneLine(session.title ?? "")), ("id", VisibleText.oneLine(session.id)),
        ("model", VisibleText.oneLine(session.model ?? "")),
        ("system", VisibleText.oneLine(session.systemPrompt ?? "").cut(to: 200)),
        ("made", session.createdAt.map { Moments.local($0, offset: offset) } ?? ""),
        ("changed", session.updatedAt.map { Moments.local($0, offset: offset) } ?? ""),
        ("messages", session.countedMessages.map { "\($0)" } ?? ""),
        ("tokens", session.tokens.map { "\($0)" } ?? ""),
        ("cost", session.cost.map { "\(ModelPage.amount($0))" } ?? ""),
        ("shared", session.isShared ? "everybody who has the link can read it" : ""),
        ("state", session.isRunning ? "an answer is being written" : ""),
        (
          "here",
          here.map { "/history show \($0.id.text.prefix(8)) prints what is kept of it" }
            ?? (canBeRead ? "nothing yet: /sessions open reads it" : "nothing: the server does not tell what was said")
        ),
      ], columns: columns)
  }

  static func object(_ totals: RemoteTotals) -> JSON {
    [
      "sessions": totals.sessions.map(JSON.int) ?? .null, "running": totals.running.map(JSON.int) ?? .null,
      "messages": totals.messages.map(JSON.int) ?? .null, "tokens": totals.tokens.map(JSON.int) ?? .null,
      "cost": totals.cost.map(JSON.double) ?? .null, "models": .array(totals.models.map(JSON.string)),
    ]
  }

  /// The same for a person.
  static func detail(_ totals: RemoteTotals, columns: Int?) -> StyledText {
    DetailLines.text(
      [
        ("sessions", totals.sessions.map { "\($0)" } ?? ""),
        ("at work", totals.running.map { "\($0)" } ?? ""),
        ("messages", totals.messages.map { "\($0)" } ?? ""), ("tokens", totals.tokens.map { "\($0)" } ?? ""),
        ("cost", totals.cost.map { "\(ModelPage.amount($0))" } ?? ""),
        ("models", VisibleText.oneLine(totals.models.joined(separator: ", "))),
      ], columns: columns)
  }
}

extension RemoteSession {
  /// As the server counts them, else as they were read: a turn that was asked in another way shares its question.
  fileprivate var countedMessages: Int? {
    if let messages { return messages }
    guard !turns.isEmpty else { return nil }
    return Set(turns.compactMap(\.name.question)).count + turns.filter { $0.name.answer != nil }.count
  }
}

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
      rows: sessions.map { session in
        [
          "id": .string(session.id), "title": .string(session.title ?? ""),
          "model": session.model.map(JSON.string) ?? .null, "updatedAt": session.updatedAt.map(JSON.int) ?? .null,
          "running": .bool(session.isRunning), "shared": .bool(session.isShared),
          "here": here[session.id].map { .string($0.id.text) } ?? .null, "current": .bool(session.id == current),
        ]
      }, whenEmpty: "the server keeps no conversations of yours")
  }
}

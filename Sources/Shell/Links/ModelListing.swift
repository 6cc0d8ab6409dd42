import Chat
import Text
import Wire

extension Link {
  /// The state, and why it is so.
  private static func state(_ row: JSON) -> SafeText {
    "\([row["state"]?.string, row["note"]?.string].compactMap { $0 }.joined(separator: ": "))"
  }

  /// Its models, the one that is asked marked. - Parameter now: milliseconds since 1970.
  func listing(now: Int) -> Listing {
    Listing(
      columns: [
        Listing.Column("MODEL", "name"), Listing.Column("STATE", Link.state),
        Listing.Column("CONTEXT", "contextWindow"),
      ] + (models.contains { $0.details != nil } ? ModelPage.columns : []) + [
        Listing.Column("SERVER", "server"), Listing.Column("") { $0["current"] == true ? "current" : "" },
      ],
      rows: models.map { model in
        let row: JSON = [
          "name": .string(model.id), "state": model.state.map(JSON.string) ?? .null,
          "contextWindow": model.contextWindow.map(JSON.int) ?? .null, "server": .string(server.name),
          "current": .bool(model.id == self.model), "isReady": .bool(model.isReady),
          "note": model.note.map(JSON.string) ?? .null,
          "ageSeconds": modelsFetchedAt.map { .int((now - $0) / 1000) } ?? .null,
        ]
        return model.details.map { ModelPage.adding($0, to: row) } ?? row
      },
      whenEmpty: "server '\(server.name)' has no models")
  }
}

import Chat
import Store
import Text
import Wire

/// What the person let tools do, listed and taken back.
extension Toolbox {
  func listPermissions(in session: SessionID, asJSON: Bool, _ desk: Desk) async throws(ShellError) {
    if let problem = permissions.problem { desk.say(Wording.permissions(problem), .warning) }
    let listing = Listing(
      columns: [
        Listing.Column("TOOL", "tool"), Listing.Column("SERVER", "server"), Listing.Column("AT", "place"),
        Listing.Column("SCOPE", "scope"),
        Listing.Column("SINCE") { row in row["allowedAt"]?.int.map { "\(Moments.day($0 / 1000))" } ?? "" },
      ],
      rows: allowedForGood + allowed(in: session), whenEmpty: "each tool is asked about before it runs")
    try await desk.show(listing, asJSON: asJSON)
  }

  private var allowedForGood: [JSON] {
    permissions.entries.map { entry in
      [
        "tool": .string(entry.tool), "server": .string(entry.server), "place": .string(entry.place),
        "scope": "always", "allowedAt": .int(entry.allowedAt),
      ]
    }
  }

  /// What is allowed for good is not listed twice.
  private func allowed(in session: SessionID) -> [JSON] {
    grants.entries(in: session).filter { grant in
      !permissions.entries.contains { $0.place == grant.place && $0.tool == grant.tool }
    }.map { grant in
      [
        "tool": .string(grant.tool), "server": .string(grant.server), "place": .string(grant.place),
        "scope": "session", "allowedAt": .null,
      ]
    }
  }

  /// By the name of a tool or of a server: what is meant by either is taken back.
  mutating func revoke(_ word: String, in session: SessionID, _ desk: Desk) throws(ShellError) {
    let entries = permissions.entries
    let isMeant: (_ server: String, _ tool: String) -> Bool = { server, tool in
      word == "all" || [server, tool, "\(server)/\(tool)"].contains(word)
    }
    let meant = entries.filter { isMeant($0.server, $0.tool) }
    let hadGrants = grants.revoke { isMeant($0, $1) }
    guard word == "all" || !meant.isEmpty || hadGrants else {
      let known = entries.flatMap { [$0.tool, $0.server] }
      let granted = grants.entries(in: session).flatMap { [$0.tool, $0.server] }
      throw .unknown(.tool, word, nearest: Nearest.words(to: word, among: known + granted))
    }
    for entry in meant {
      do throws(FileError) { try permissions.revoke(entry.tool, of: entry.place) } catch { throw .permissions(error) }
    }
    let names = Set(meant.map(\.tool)).sorted().joined(separator: ", ")
    desk.say(word == "all" ? "every tool is asked about again" : "asked about again: \(names.isEmpty ? word : names)")
  }
}

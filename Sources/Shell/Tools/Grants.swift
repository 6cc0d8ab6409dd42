import Chat
import Store

/// What the person lets tools do until the session ends: a tool of one server, as it describes itself, in one session.
struct Grants: Sendable {
  private struct Key: Hashable { var place, tool, digest: String, session: SessionID }

  private var keys: Set<Key> = []
  /// Whether it was said how a result is looked at.
  var hasSaidWhereResultsAre = false

  mutating func allow(_ tool: OfferedTool, in session: SessionID) { keys.insert(key(tool, session)) }

  func allows(_ tool: OfferedTool, in session: SessionID) -> Bool { keys.contains(key(tool, session)) }

  /// Takes everything back; of one tool or one server when `matching` says so.
  mutating func revoke(where matching: (_ place: String, _ tool: String) -> Bool) {
    keys = keys.filter { !matching($0.place, $0.tool) }
  }

  private func key(_ tool: OfferedTool, _ session: SessionID) -> Key {
    Key(place: tool.server.place, tool: tool.ownName, digest: ToolDigest.of(tool), session: session)
  }
}

extension Permissions {
  enum Standing { case never, changed, allowed }

  /// What was said of a tool before, for good.
  func standing(of tool: OfferedTool) -> Standing {
    let known = entries.filter { $0.place == tool.server.place && $0.tool == tool.ownName }
    if known.isEmpty { return .never }
    return known.contains { $0.digest == ToolDigest.of(tool) } ? .allowed : .changed
  }
}

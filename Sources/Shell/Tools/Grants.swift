import Chat
import Store

/// What the person lets tools do until the session ends: a tool of one server, as it describes itself, in one session.
struct Grants: Sendable {
  private struct Key: Hashable {
    var place, server, tool, digest: String
    var session: SessionID
  }

  private var keys: Set<Key> = []
  /// Whether it was said how a result is looked at.
  var hasSaidWhereResultsAre = false

  mutating func allow(_ tool: OfferedTool, in session: SessionID) { keys.insert(key(tool, session)) }

  func allows(_ tool: OfferedTool, in session: SessionID) -> Bool { keys.contains(key(tool, session)) }

  /// What is allowed in a session, by place, server and tool.
  func entries(in session: SessionID) -> [(place: String, server: String, tool: String)] {
    keys.filter { $0.session == session }.map { ($0.place, $0.server, $0.tool) }
      .sorted { ($0.1, $0.2, $0.0) < ($1.1, $1.2, $1.0) }
  }

  /// Takes back what is meant; whether there was something.
  mutating func revoke(where isMeant: (_ server: String, _ tool: String) -> Bool) -> Bool {
    let before = keys.count
    keys = keys.filter { !isMeant($0.server, $0.tool) }
    return keys.count < before
  }

  private func key(_ tool: OfferedTool, _ session: SessionID) -> Key {
    Key(
      place: tool.server.place, server: tool.server.name, tool: tool.ownName, digest: tool.digest, session: session)
  }
}

extension OfferedTool {
  /// What makes it the tool that was allowed: all that it says of itself, under its own name (RELIABILITY A8).
  var digest: String {
    var tool = tool
    tool.name = ownName
    return ToolDigest.of(tool)
  }
}

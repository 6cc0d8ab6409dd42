import Store

/// What the person lets tools do until the session ends.
struct Grants: Sendable {
  private struct Key: Hashable {
    var tool: ToolIdentity
    var session: SessionID
  }

  private var keys: Set<Key> = []
  /// Whether it was said how a result is looked at.
  var hasSaidWhereResultsAre = false

  mutating func allow(_ tool: ToolIdentity, in session: SessionID) { keys.insert(Key(tool: tool, session: session)) }

  func allows(_ tool: ToolIdentity, in session: SessionID) -> Bool { keys.contains(Key(tool: tool, session: session)) }

  /// What is allowed in a session, by place, server and tool.
  func entries(in session: SessionID) -> [(place: String, server: String, tool: String)] {
    keys.filter { $0.session == session }.map { ($0.tool.place, $0.tool.server, $0.tool.name) }
      .sorted { ($0.1, $0.2, $0.0) < ($1.1, $1.2, $1.0) }
  }

  /// Takes back what is meant; whether there was something.
  mutating func revoke(where isMeant: (_ server: String, _ tool: String) -> Bool) -> Bool {
    let before = keys.count
    keys = keys.filter { !isMeant($0.tool.server, $0.tool.name) }
    return keys.count < before
  }
}

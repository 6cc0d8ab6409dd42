import Chat
package import Store

/// The servers of a run: those that the person keeps, and the one in use.
package struct Links {
  package var kept: Servers
  /// The one in use; nil until one is needed.
  var front: Link?
  /// Agents that run on while another server is in use, by address.
  var behind: [String: Link] = [:]
  /// What agents asked while a line was typed.
  var asked: [(link: Link, question: AgentQuestion)] = []
  /// Terminals that are looked at from behind the prompt, in the order in which that began.
  var watched: [WatchedTerminal] = []
  /// The lists that were last looked at, for their numbers.
  var browsed: [BrowseTopic: SeenList] = [:]

  /// What the server in use is being asked for behind the prompt, and what was last seen there.
  var pending: PendingOverview?
  var known = RemoteNames()

  package init(kept: Servers) { self.kept = kept }

  /// The one in use, where there is one: whoever asks has seen to that by `connected`.
  var link: Link {
    get {
      guard let front else { preconditionFailure("no server is in use") }
      return front
    }
    set { front = newValue }
  }

  /// What the platform in use has for tools; nil where it is none.
  var tooling: (any Tooling)? { front?.backend.tooling }
}

/// A list that was looked at in this run, and whose it is.
struct SeenList {
  var server: String
  var record: BrowseRecord
}

import Chat
import Store
import Text

/// The parts of `/agent` that are about the sessions that an agent keeps.
enum AgentSessions {
  static func clear(_ shell: inout Shell) async throws(ShellError) {
    let agent = try await shell.links.frontAgent(&shell.desk)
    let name = shell.links.link.server.name
    guard try await shell.desk.confirm("Begin a new session with '\(name)'? It forgets this one; the history keeps it.")
    else { return }
    let before = agent.state.options
    shell.leaveSession()
    let session = shell.talk.conversation.session.id.text
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.begin(session) }
    shell.desk.say("new session")
    try await choose(before, of: agent, &shell)
  }

  /// What was chosen in the session before holds in the new one, such as the mode in which the agent asks.
  private static func choose(
    _ before: [AgentOption], of agent: any Agent, _ shell: inout Shell
  ) async throws(ShellError) {
    for option in before {
      guard let now = agent.state.options.first(where: { $0.id == option.id }), now.value != option.value,
        now.choices.contains(where: { $0.value == option.value })
      else { continue }
      try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
        try await agent.set(option.id, to: option.value)
      }
      shell.desk.say("\(option.key): \(option.value)")
    }
  }

  static func list(asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let agent = try await shell.links.frontAgent(&shell.desk)
    let found = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.conversations() }
    guard let found else { throw .cannot(server: shell.links.link.server.name, .keepsConversations) }
    try await shell.desk.show(AgentPage.conversations(found, current: agent.state.conversation), asJSON: asJSON)
  }

  /// One of the sessions that the agent keeps, by its name there or the beginning of it.
  private static func kept(
    _ word: String, by agent: any Agent, _ shell: inout Shell
  ) async throws(ShellError) -> AgentConversation {
    let found = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.conversations() }
    guard let found else { throw shell.links.link.failure(.notOffered("a list of its sessions")) }
    let exact = found.filter { $0.id == word }
    let matches = exact.isEmpty ? found.filter { $0.id.hasPrefix(word) } : exact
    if matches.count > 1 { throw .ambiguous(.session, word, matches: matches.map(\.id)) }
    guard let only = matches.first else { throw .unknown(.agentSession, word, nearest: []) }
    return only
  }

  /// Goes on with a session that the agent keeps; what was said in it before is the agent's to know.
  static func open(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let agent = try await shell.links.frontAgent(&shell.desk)
    let wanted = try await kept(word, by: agent, &shell)
    shell.leaveSession()
    try await shell.talk.stand(inRemote: wanted.id, title: wanted.title, of: shell.links.link.server, shell.desk)
    let session = shell.talk.conversation.session.id.text
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await agent.enter(session, known: wanted.id)
    }
    guard agent.state.conversation == wanted.id else {
      shell.leaveSession()
      throw .unknown(.agentSession, word, nearest: [])
    }
    shell.desk.say("session resumed: the agent goes on where it was")
  }

  static func fork(_ shell: inout Shell) async throws(ShellError) {
    let agent = try await shell.links.frontAgent(&shell.desk)
    _ = try await Commands.agentOptions(of: agent, &shell)
    let (next, title) = (Session(), shell.sessionName.map { "\($0) (branch)" })
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.fork(for: next.id.text) }
    shell.leaveSession()
    shell.talk.conversation.session = next
    if let remote = agent.state.conversation {
      shell.talk.takeRemote(remote, title: title, of: shell.links.link.server)
    }
    shell.desk.say("a branch of the session: the one before stays as it is")
  }

  static func forget(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let agent = try await shell.links.frontAgent(&shell.desk)
    let wanted = try await kept(word, by: agent, &shell)
    guard try await shell.desk.confirm("Have the agent forget '\(wanted.title ?? wanted.id)' for good?") else { return }
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.forget(wanted.id) }
    if shell.remoteConversation == wanted.id { shell.leaveSession() }
    shell.desk.say("forgotten by the agent; what parley kept of it is in /history")
  }
}

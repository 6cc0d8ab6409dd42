import Chat
import Store
import Text
import Waiting
import Wire

/// What a server has, asked for behind the prompt: a start waits for no network, and Tab knows what has come so far.
final class PendingOverview: Sendable {
  /// Whose it is.
  let url: String
  private let state = Locked(State())
  private let asking: Task<Void, Never>

  private struct State {
    /// What has come, and was not taken yet.
    var overview: Overview?
    var isDone = false
  }

  init(of url: String, _ look: @escaping Overview.Look) {
    self.url = url
    // Ours: it ends with the run, or when another server comes in front.
    asking = Task { [state] in
      await look { part in
        state.withLock { state in
          var overview = state.overview ?? Overview()
          overview.add(part)
          state.overview = overview
        }
      }
      state.withLock { $0.isDone = true }
    }
  }

  deinit { cancel() }

  /// What has come so far; nil before anything has.
  var overview: Overview? { state.withLock { $0.overview } }

  /// What has come since it was last taken, and whether more may come.
  func take() -> (overview: Overview?, isDone: Bool) {
    state.withLock { state in
      defer { state.overview = nil }
      return (state.overview, state.isDone)
    }
  }

  func cancel() { asking.cancel() }
}

extension Links {
  /// Asks the server that has come in front for its lists, where a person is there to use them.
  mutating func beginOverview(_ desk: Desk) {
    endOverview()
    guard desk.options.isInteractive, let look = link.backend.overview else { return }
    pending = PendingOverview(of: link.server.url, look)
  }

  /// Takes what has come, before a prompt.
  mutating func takeOverview(_ desk: inout Desk) {
    guard let pending else { return }
    let (arrived, isDone) = pending.take()
    if isDone { self.pending = nil }
    guard let overview = arrived, let front, front.server.url == pending.url else { return }
    known.take(overview)
    if let models = overview.models, !models.isEmpty {
      link.models = models
      link.modelsFetchedAt = desk.world.now()
      link.isListWhole = true
      keepModels(&desk)
    }
    if overview.wantsSignIn { desk.sayOnce("you are not signed in to \(front.server.name) any more: /login", .warning) }
  }

  /// No server is in use any more.
  mutating func leaveFront() {
    front = nil
    endOverview()
  }

  /// Ends what is asked behind the prompt, and forgets what came of it.
  mutating func endOverview() {
    pending?.cancel()
    pending = nil
    known = RemoteNames(terminals: known.terminals)
  }
}

/// What was last seen on the server in use, for Tab: nothing is asked for it.
struct RemoteNames: Sendable {
  var sessions: [(id: String, title: String)] = []
  var projects: [(name: String, about: String)] = []
  /// MCP servers and their tools.
  var tools: [(name: String, about: String)] = []
  /// Terminals, what runs in them, and whether a server keeps them.
  var terminals: [(name: String, about: String, isElsewhere: Bool)] = []
  /// Keys of settings; those of maps end in a dot.
  var settings: [(key: String, value: String)] = []

  mutating func take(_ overview: Overview) {
    if let sessions = overview.sessions { take(sessions) }
    guard let members = overview.settings?.object else { return }
    settings = members.flatMap { member -> [(key: String, value: String)] in
      guard let entries = member.value.object else { return [(member.key, member.value.shown)] }
      return entries.map { ("\(member.key).\($0.key)", $0.value.shown) } + [(member.key + ".", "for each model")]
    }
  }

  /// The newest first; those that were seen before stay.
  mutating func take(_ sessions: [RemoteSession]) {
    let new = Set(sessions.map(\.id))
    self.sessions = sessions.map { ($0.id, $0.title ?? "") } + self.sessions.filter { !new.contains($0.id) }
  }

  mutating func forget(session: String) { sessions.removeAll { $0.id == session } }

  mutating func take(_ projects: [Project]) {
    self.projects = projects.map { ($0.name, $0.path ?? "") }
  }

  mutating func take(_ servers: [RemoteToolServer]) {
    tools = servers.flatMap { server in
      [(server.id, server.about ?? "")] + server.tools.map { ($0.name, $0.about ?? "") }
    }
  }
}

extension JSON {
  /// A value of a setting in a line.
  fileprivate var shown: String { string ?? (isNull ? "" : serialized()) }
}

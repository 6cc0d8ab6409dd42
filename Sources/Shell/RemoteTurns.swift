import Chat
import Store
import Text

/// Conversations that a server keeps and shows: what happened to them elsewhere is looked at before they are gone on with.
extension Shell {
  /// Before the first message of a run to a conversation: somebody may have gone on with it.
  mutating func catchUpWithServer() async throws(ShellError) {
    guard !talk.conversation.isCaughtUp, let remote = remoteConversation, let link = links.front,
      let sessions = link.backend.sessions, sessions.abilities.contains(.read)
    else { return }
    do throws(ShellError) {
      let before = talk.conversation.path.last
      let running = try await takeIn(remote, from: sessions, of: link.server)
      showGrown(since: before)
      if let running {
        desk.say("the server is still writing the answer to #\(running.number): /resume shows it", .warning)
      }
    } catch {
      // Without a history the answer still comes.
      guard case .history = error else { throw error }
      desk.warn("what came to this session elsewhere is not kept: \(Complaint(error).text)")
    }
  }

  /// What came to the answer on the screen while nobody read it stands there before anything follows it.
  func showGrown(since before: Turn?) {
    guard desk.options.isInteractive, let before, let now = talk.conversation.path.first(where: { $0.id == before.id }),
      now.answer?.text != before.answer?.text
    else { return }
    talk.show(now, desk)
  }

  /// The same before a command chooses one of its turns. A server that cannot be asked now is asked by the message.
  mutating func catchUpBeforeChoosing() async throws(ShellError) {
    await talk.keepUnkept(desk)
    guard !talk.conversation.isCaughtUp else { return }
    do throws(ShellError) { try await catchUpWithServer() } catch {
      if case .interrupted = error { throw error }
    }
  }

  /// Reads a conversation from its server and keeps it.
  /// - Returns: the turn whose answer is being written there; nil when none is.
  mutating func takeIn(
    _ name: String, from sessions: any RemoteSessions, of server: Server
  ) async throws(ShellError) -> Turn? {
    let remote = try await links.asking(&desk) { _ throws(BackendError) in try await sessions.read(name) }
    let taken = try await talk.takeIn(remote, of: server, desk)
    for words in Talk.news(taken) { desk.say(words) }
    guard let running = taken.running else { return nil }
    return talk.conversation.path.last { $0.id == running }
  }

  /// Looks at what became of a conversation on its server.
  /// - Returns: the turn whose answer is being written there; nil when none is.
  mutating func meetServer() async throws(ShellError) -> Turn? {
    guard let remote = talk.conversation.session.remote, let url = talk.conversation.session.server?.url,
      links.front?.server.url == url, let link = links.front, let sessions = link.backend.sessions,
      sessions.abilities.contains(.read)
    else { return nil }
    return try await takeIn(remote, from: sessions, of: link.server)
  }

  /// Takes up an earlier session, where its server stands by now if it keeps it too; what is kept here can be read without
  /// the server.
  mutating func resume(_ words: String?) async throws(ShellError) -> Next {
    do throws(ShellError) { try await talk.resume(words, shows: false, &links, &desk) } catch {
      // One that only the server has is named by the same words.
      guard let words, case .unknown(.session, _, _) = error, links.front?.backend.showsConversations == true else {
        throw error
      }
      return try await Commands.openRemote(words, &self)
    }
    var running: Turn?
    do throws(ShellError) { running = try await meetServer() } catch {
      if case .interrupted = error { throw error }
      desk.complain(Complaint(error), isForgiven: true)
    }
    talk.showPlace(desk)
    return goOn(with: running)
  }

  /// Goes on with an answer that is being written.
  func goOn(with running: Turn?) -> Next {
    guard let running, desk.options.isInteractive else { return .prompt }
    desk.say("the server is still writing this answer: it goes on here")
    return .send(.continuing(running))
  }
}

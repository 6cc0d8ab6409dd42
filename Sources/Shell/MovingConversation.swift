import Chat
import Store
import Text

/// Moving a conversation to another server: every turn of it is sent there.
extension Shell {
  /// Reports how much of the conversation goes to another server. On a terminal asks first, once for each session and
  /// server (setting `ask-before-moving`). Throws `leftAsItIs` if the user declines.
  mutating func allowMove(of question: Question, to link: Link) async throws(ShellError) {
    let conversation = talk.conversation
    guard let last = conversation.session.server?.name, link.backend.isSentAll else { return }
    // The servers that answered: the session's own may be one that the last message failed to reach.
    var servers = conversation.sent(before: question).filter(\.isSent).map { $0.answer?.server ?? last }
    // A turn that is asked again was already sent to a server.
    if !question.isNew { servers.append(last) }
    // Turns before an answer of this server were sent to it together with that question.
    let others = servers.reversed().prefix { $0 != link.server.name }
    let move = Move(session: conversation.session.id, server: link.server.url)
    guard !others.isEmpty, !talk.moves.contains(move) else { return }
    let turns = servers.count
    let names = Set(others).sorted().joined(separator: ", ")
    let tokens = conversation.reckonedTokens(before: question) + (question.isNew ? 0 : question.tokens)
    let text: SafeText =
      "\(turns == 1 ? "1 turn" : "\(turns) turns") of this session (about \(tokens) tokens), so far with \(names), "
    let (name, host) = (link.server.name, Link.hostName(of: link.server.url))
    let place: SafeText = name == host ? "\(name)" : "\(name) (\(host))"
    if desk.options.canType, !desk.options.answersYes, desk.preferences.flag("ask-before-moving") {
      guard try await desk.agrees("Send \(text)to \(place) too?") else {
        desk.say(desk.asTyped("/new starts a session without them"))
        throw .leftAsItIs
      }
    } else {
      desk.warn("\(text)\(turns == 1 ? "goes" : "go") to \(place) too")
    }
    talk.moves.insert(move)
  }
}

/// A session, and a server that is sent what another one answered in it.
struct Move: Hashable {
  let session: SessionID
  /// Its address.
  let server: String
}

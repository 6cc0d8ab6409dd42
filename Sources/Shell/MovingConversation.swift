import Chat
import Store
import Text

/// A conversation that goes to another server than the one that answered it so far: all that was said in it is sent there.
extension Shell {
  /// Reports how much of the conversation goes to another server. On a terminal asks first, once for each session and
  /// server (setting `ask-before-moving`). Throws `leftAsItIs` when the person does not want it.
  mutating func allowMove(of question: Question, to link: Link) async throws(ShellError) {
    let conversation = talk.conversation
    guard let before = conversation.session.server, before.url != link.server.url, link.backend.isSentAll else {
      return
    }
    // Of a turn that is asked again the message itself was said before.
    let turns = conversation.sent(before: question).filter(\.isSent).count + (question.isNew ? 0 : 1)
    let move = Move(session: conversation.session.id, server: link.server.url)
    guard turns > 0, !talk.moves.contains(move) else { return }
    let tokens = conversation.reckonedTokens(before: question) + (question.isNew ? 0 : question.tokens)
    let text: SafeText =
      "\(turns == 1 ? "1 turn" : "\(turns) turns") of this session (about \(tokens) tokens), so far with \(before.name), "
    let (name, host) = (link.server.name, Link.hostName(of: link.server.url))
    let place: SafeText = name == host ? "\(name)" : "\(name) (\(host))"
    if desk.options.canType, !desk.options.answersYes, desk.preferences.flag("ask-before-moving") {
      guard try await desk.agrees("Send \(text)to \(place) too?") else {
        desk.say(desk.asTyped("/new starts a session without them"))
        throw .leftAsItIs
      }
    } else {
      desk.say("\(text)\(turns == 1 ? "goes" : "go") to \(place) too", .warning)
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

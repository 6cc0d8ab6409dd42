import Chat
import Store
import Text

/// Titles from models, where the person wants them (`titles`): asked for behind the prompt, one at a time.
struct Titling {
  fileprivate var pending: PendingTitle?
  /// How often each session's was asked for in this run.
  fileprivate var tries: [SessionID: Int] = [:]
  fileprivate static let mostTries = 3
}

extension Talk {
  /// Asks who has just answered for a title, where the session has none and a person is there to use it.
  mutating func seekTitle(_ links: Links, _ desk: Desk) {
    let session = conversation.session
    guard desk.preferences.asksForTitles, desk.isAtPrompt, desk.options.canType,
      desk.world.terminal.endingSignal == nil,
      titling.pending == nil, session.title == nil, !session.titleIsManual,
      titling.tries[session.id, default: 0] < Titling.mostTries,
      // One that is gone with this run needs no title.
      let opened, opened.path != nil, let last = conversation.path.last, last.isKept, last.answer?.status == .complete,
      let link = links.front, link.server.url == session.server?.url, link.backend.answersAside,
      let turn = conversation.path[...].sent.first(where: {
        $0.isKept && $0.answer?.status == .complete && !$0.isSummary
      })
    else { return }
    var request = TitleRequest.request(
      about: turn, model: link.model, desk.preferences.sampling, desk.preferences.timeouts)
    request.hasDefaultTemperature = desk.preferences.hasDefaultTemperature
    if desk.options.isVerbose { desk.say("for a title, \(Wording.request(request, to: link.server))") }
    titling.tries[session.id, default: 0] += 1
    titling.pending = PendingTitle(request, about: turn, of: link, in: opened)
  }

  /// Takes a title that has come, before a prompt and before what was typed there is acted on, and gives up one that is
  /// asked of a server or a model that is not in use any more.
  mutating func takeTitle(_ links: Links) async {
    guard let pending = titling.pending else { return }
    guard pending.ended == nil else { return learnTitle(of: pending) }
    if pending.url != links.front?.server.url || pending.model != links.front?.model { await leaveTitle() }
  }

  /// What the model has said is known to the line that was typed behind it.
  mutating func settleTitle() async {
    guard let pending = titling.pending else { return }
    await pending.settle()
    learnTitle(of: pending)
  }

  /// Gives up a title that is asked for: many a server does one thing after the other, and the person's comes first.
  mutating func leaveTitle() async {
    guard let pending = titling.pending else { return }
    await pending.stop()
    learnTitle(of: pending)
  }

  private mutating func learnTitle(of pending: PendingTitle) {
    guard let ended = pending.ended else { return }
    titling.pending = nil
    guard let stored = ended.session, stored.id == conversation.session.id, !conversation.session.titleIsManual else {
      return
    }
    conversation.session.title = stored.title
    conversation.session.titleIsManual = stored.titleIsManual
  }
}

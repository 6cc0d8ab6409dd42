import Chat
import Store
import Text
import Wire

/// Agents between messages: whose session it is, and what they say unasked.
extension Shell {
  /// Another agent stands in front: the session with the one before waits for it.
  mutating func goOver(from before: String?, to url: String) {
    let conversation = talk.conversation
    if let before, !conversation.path.isEmpty, conversation.session.server?.url == before {
      talk.parked[before] = conversation
    }
    if let parked = talk.parked.removeValue(forKey: url) {
      talk.unkept.note(conversation)
      talk.conversation = parked
      desk.say("session resumed: \"\(SessionPage.name(parked.session, parked.path))\"")
    } else {
      leaveSession()
      desk.say("new session")
    }
  }

  /// Says what came while nobody read an answer, asks what agents wait for, and keeps what is part of an answer.
  /// - Parameter whileTyping: only what the agent in front says; what it asks is left to the next prompt, and said to be
  ///   there.
  mutating func tellNews(whileTyping: Bool = false) async {
    for (link, news) in whileTyping ? links.takeNewsOfFront() : links.takeNews() {
      var late: (text: String, session: String)?
      var activities = ActivityOutput(desk)
      for piece in news {
        if case .text(let text, let session) = piece, late == nil || late?.session == session {
          late = ((late?.text ?? "") + text, session)
          continue
        }
        await tellLate(&late, of: link.server)
        switch piece {
        case .text(let text, let session): late = (text, session)
        case .activity(let activity): tell(activity, &activities)
        case .question(let question) where whileTyping:
          guard question.isOpen() else { continue }
          links.asked.append((link, question))
          desk.say("\(link.server.name) asks something: Enter shows it", .warning)
        case .question(let question):
          guard question.isOpen() else { continue }
          let folder = link.backend.agent?.state.folder
          question.reply(await toolbox.reply(to: question, of: link.server, in: folder, &desk))
        case .askedElsewhere(let text): tell("from another device, to \(link.server.name):", text)
        case .saidElsewhere(let text): tell("\(link.server.name), to another device:", text)
        case .ended: desk.say(Wording.ended(link.server), .warning)
        }
      }
      await tellLate(&late, of: link.server)
    }
  }

  /// What goes on between the agent and somebody else: it is shown, and no part of our session.
  private func tell(_ introduction: SafeText, _ text: String) {
    guard desk.options.output == .text, !desk.options.isQuiet else { return }
    desk.say(introduction)
    desk.world.terminal.write(BarredText.block(text.trimmed, width: desk.noticeColumns), to: .notices)
  }

  private func tell(_ activity: Activity, _ activities: inout ActivityOutput) {
    if desk.options.output == .jsonLines { desk.show(AnswerJSON.event(activity)) }
    let lines = activities.lines(for: activity)
    if desk.options.output == .text, !desk.options.isQuiet { desk.world.terminal.write(lines, to: .notices) }
  }

  private mutating func tellLate(_ late: inout (text: String, session: String)?, of server: Server) async {
    guard let (text, session) = late else { return }
    late = nil
    switch desk.options.output {
    case .text where !desk.options.isQuiet:
      desk.say("late, from \(server.name):")
      desk.world.terminal.write(BarredText.block(text.trimmed, width: desk.noticeColumns), to: .notices)
    case .jsonLines: desk.show(["event": "late", "text": .string(text)])
    case .text, .json: break
    }
    await talk.keepLateText(text, in: session, of: server.url, desk)
  }
}

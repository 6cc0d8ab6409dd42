import Chat
import Store
import Text
import Wire

/// One message to several servers at once: each answers in its own time, and their answers are siblings in the session.
extension Shell {
  /// Asks the same of several. - Parameter places: `SERVER` or `SERVER:MODEL` each.
  mutating func ask(_ text: String, of places: [String]) async throws(ShellError) {
    try await confirmSecret(in: text)
    await talk.leaveTitle()
    await talk.keepUnkept(desk)
    var links = try await linked(places)
    do throws(ShellError) { try noteMentioned(in: text) } catch {
      if desk.isAtPrompt { talk.draft = lastLine }
      throw error
    }
    let (question, forms, conversation) = try await ready(.new(text), for: &links)
    let asked = await keepSiblings(question, of: links)
    let uptime = desk.world.uptime
    let sent = question.withTextsInWords
    let answers = zip(asked, forms).map { asked, form in
      asked.link.backend.answer(
        ChatRequest(
          model: asked.link.model, messages: conversation.messages(asking: sent, as: form),
          sampling: desk.preferences.sampling, hasDefaultTemperature: desk.preferences.hasDefaultTemperature,
          timeouts: desk.preferences.timeouts,
          conversation: SessionID.random().text, files: form == .files ? sent.files : []))
    }
    desk.world.terminal.whenInterrupted { _ in for answer in answers { answer.stop() } }
    var told: [Turn?] = asked.map { _ in nil }
    var waiting: WaitingIndicator? = indicator(0, of: asked.count)
    await withTaskGroup(of: (Int, Outcome).self) { group in
      for (index, answer) in answers.enumerated() {
        group.addTask { (index, await Outcome(reading: answer, uptime: uptime)) }
      }
      var count = 0
      var unshown: [Int: Outcome] = [:]
      var next = 0
      for await (index, outcome) in group {
        count += 1
        waiting?.stop()
        told[index] = await talk.storeSibling(outcome, of: asked[index], question, desk)
        unshown[index] = outcome
        // A person reads each answer when it comes; a pipe gets them in the order in which the servers were named.
        if desk.world.terminal.traits.outputIsTerminal { next = index }
        while let outcome = unshown.removeValue(forKey: next) {
          show(outcome, of: asked[next].link, as: told[next])
          next += 1
        }
        waiting = count < asked.count ? indicator(count, of: asked.count) : nil
      }
    }
    waiting?.stop()
    desk.world.terminal.whenInterrupted(nil)
    await standAtFirst(told.compactMap(\.self), question)
  }

  /// The question with what goes along, the form of that for each of them, and what was said before. Texts are words for
  /// all, so that all are asked the same.
  private mutating func ready(
    _ asked: Question, for links: inout [Link]
  ) async throws(ShellError) -> (Question, [AttachmentForm], Conversation) {
    do throws(ShellError) {
      let files = try talk.files(for: asked, desk)
      let question = asked.attaching(talk.attachment).with(try await talk.reading(files, desk))
      let hasImages = talk.conversation.hasImages(asking: question)
      var forms: [AttachmentForm] = []
      for index in links.indices {
        let form = try await links[index].attachmentForm(hasImages: hasImages, desk)
        try links[index].require(files, as: form == .files ? .images : form)
        if let window = links[index].window, question.tokens > window {
          try await confirmLength(question.tokens, isCounted: false, on: links[index])
        }
        forms.append(form)
      }
      for link in links { try await allowMove(of: question, to: link) }
      let conversation = try await talk.conversationToSend(as: forms.contains(.images) ? .images : .words, desk)
      for file in files { desk.say(file.file.line) }
      talk.letGo()
      return (question, forms, conversation)
    } catch {
      talk.mentioned = []
      if desk.isAtPrompt { talk.draft = lastLine }
      throw error
    }
  }

  /// A question for each of them. The session stays with its own server, which may keep it too.
  private mutating func keepSiblings(_ question: Question, of links: [Link]) async -> [AskedLink] {
    let own = talk.conversation.session.server == nil ? self.links.front ?? links.first : nil
    var asked: [AskedLink] = []
    for link in links {
      let kept = await talk.storeQuestion(question, to: asked.isEmpty ? own : nil, desk)
      // The next one is no branch of another shell's.
      if let kept { talk.conversation.session.head = kept.turn }
      asked.append(AskedLink(link: link, kept: kept))
    }
    // Who is killed meanwhile goes on from where it would go on.
    if let first = asked.first?.kept {
      try? await first.history.moveHead(of: talk.conversation.session.id, to: first.turn)  // else from the last
      talk.conversation.session.head = first.turn
    }
    return asked
  }

  private func indicator(_ count: Int, of all: Int) -> WaitingIndicator {
    let waiting = desk.waiting()
    waiting.explain("\(count) of \(all) have answered")
    return waiting
  }

  /// A link to each, with its model; the server in front stays there.
  private mutating func linked(_ places: [String]) async throws(ShellError) -> [Link] {
    let front = links.front
    var found: [Link] = []
    do throws(ShellError) {
      for place in places {
        let (server, model) = AskCommand.split(place)
        try await links.use(server: server, &desk)
        if let model {
          links.link.model = try await links.model(called: model, &desk)
          links.link.isModelChosen = true
        } else {
          try await links.connectedWithModel(for: Session(), &desk)
        }
        found.append(links.link)
      }
    } catch {
      links.front = front ?? links.front
      throw error
    }
    links.front = front ?? links.front
    return found
  }

  /// Shows an answer below its label. In a pipe the label of a text is part of the output, to tell the answers apart.
  /// - Parameter turn: nil if the answer could not be saved.
  private mutating func show(_ outcome: Outcome, of link: Link, as turn: Turn?) {
    let text = outcome.growing.text
    let complaint = outcome.complaint(link.server)
    switch desk.options.output {
    case .text:
      let label = AskPage.label(
        link.server.name, outcome.growing.model ?? link.model, number: turn?.number, outcome.status, outcome.timing)
      let isInOutput = !desk.world.terminal.traits.outputIsTerminal && !text.isBlank
      if isInOutput { desk.world.terminal.write(label, to: .output) }
      if !isInOutput || complaint != nil { desk.world.terminal.write(label, to: .notices) }
      for notice in outcome.notices { desk.say(Wording.notice(notice), .warning) }
      var view = AnswerView(
        on: desk.world.terminal, reasoningStyle: nil, rendersMarkdown: desk.rendersMarkdown,
        uptime: desk.world.uptime, pause: desk.world.pause)
      if !text.isBlank { view.show(text: text) }
      view.end()
    case .json, .jsonLines: desk.show(object(outcome, link, turn))
    }
    if outcome.status == .interrupted {
      if !desk.options.isInteractive || desk.scriptDepth > 0 { desk.failure = .interrupted }
    } else if let complaint {
      desk.complain(complaint)
    } else if text.isBlank {
      desk.say("the answer is empty", .warning)
    }
  }

  private func object(_ outcome: Outcome, _ link: Link, _ turn: Turn?) -> JSON {
    let complaint = outcome.complaint(link.server)
    return [
      "event": "answer", "text": .string(outcome.growing.text), "reasoning": .string(outcome.growing.reasoning),
      "status": .string(outcome.status.rawValue), "server": .string(link.server.name),
      "model": (outcome.growing.model ?? link.model).map(JSON.string) ?? .null,
      "session": .string(talk.conversation.session.id.text), "turn": turn.map { .int($0.number) } ?? .null,
      "usage": AnswerJSON.usage(outcome.growing.usage ?? Usage()),
      "error": complaint.map { .string($0.text.string) } ?? .null,
    ]
  }

  /// The talk goes on from the first one named that has answered, until the person keeps another.
  private mutating func standAtFirst(_ turns: [Turn], _ question: Question) async {
    guard let first = turns.first(where: { !$0.isUnanswered }) ?? turns.first else { return }
    await talk.keep(first, answering: question, desk)
    guard turns.count > 1, desk.options.isInteractive else { return }
    desk.say("the session goes on from #\(first.number): /keep #N goes on from another")
  }
}

/// Somebody of several who are asked.
struct AskedLink {
  let link: Link
  /// nil when the question could not be kept.
  let kept: KeptTurn?
}

extension Outcome {
  /// Reads an answer to its end, and shows nothing of it.
  fileprivate init(reading answer: Answer, uptime: @Sendable () -> Double) async {
    var growing = GrowingAnswer(began: uptime())
    var failure: BackendError?
    var notices: [Notice] = []
    do throws(BackendError) {
      for try await event in answer {
        growing.absorb(event, at: uptime())
        if case .notice(let notice) = event, notice.isOfRequest { notices.append(notice) }
        // Nobody is there to be asked by several at once.
        if case .question(let question) = event { question.reply(.refuse) }
      }
    } catch { failure = error }
    self.init(growing: growing, error: failure, uptime: uptime(), hidden: 0)
    self.notices = notices
  }
}

extension Notice {
  /// Whether the event reports a part of the request that the server refused.
  fileprivate var isOfRequest: Bool {
    switch self {
    case .systemPromptMoved, .settingLeftOut: true
    default: false
    }
  }
}

import Chat
import Text
import Wire

/// Where an answer's events go while it is written: the screen, JSON lines, or nowhere until the end.
struct AnswerOutput {
  private let terminal: any Terminal
  private let isQuiet: Bool
  private let isVerbose: Bool
  private let isJSONLines: Bool
  private let observer: (any TurnObserver)?
  /// Whether somebody sees what is said beside the answer.
  private let isShown: Bool
  private var waiting: WaitingIndicator
  private let world: World
  private var view: AnswerView?
  private var activities: ActivityOutput
  private let showImages: ([ToolContent]) -> Void
  /// Notices that came within the answer's text: they follow it.
  private var later: StyledText = []
  private var hasText = false
  /// What was shown of the answer.
  private var said = ""

  /// - Parameters:
  ///   - name: who answers.
  ///   - server: where that is.
  ///   - watch: tells how far the request has come.
  ///   - follows: whether the turn has said something before.
  ///   - earlier: the beginning of the answer, where that was shown before.
  init(
    _ desk: Desk, by name: String, of server: String, watching watch: TransferWatch? = nil, follows: Bool = false,
    after earlier: String? = nil
  ) {
    terminal = desk.world.terminal
    isQuiet = desk.options.isQuiet
    isVerbose = desk.options.isVerbose
    isJSONLines = desk.options.output == .jsonLines
    observer = desk.observer
    isShown = desk.options.output == .text
    if desk.options.output == .text, observer == nil {
      view = AnswerView(
        on: terminal, reasoningStyle: desk.reasoningStyle,
        foldsReasoning: desk.preferences.reasoning == "fold" && !desk.options.isQuiet, follows: follows,
        after: earlier, rendersMarkdown: desk.rendersMarkdown, uptime: desk.world.uptime, pause: desk.world.pause)
    }
    world = desk.world
    activities = ActivityOutput(desk)
    showImages = { desk.show(imagesOf: $0) }
    waiting = desk.waiting(
      for: "waiting for \(Filter.inline(name, width: 40))",
      on: watch.map { WatchedRequest(to: Filter.inline(server, width: 40), $0) })
  }

  mutating func show(_ event: ChatEvent) {
    observer?.happened(.answer(event))
    switch event {
    case .text(let text):
      said += text
      waiting.stop()
      view?.show(text: text)
      hasText = true
      line(["event": "text", "text": .string(text)])
    case .reasoning(let text):
      if view == nil || view?.showsReasoning == true { waiting.stop() }
      view?.show(reasoning: text)
      line(["event": "reasoning", "text": .string(text)])
    case .notice(let notice): show(notice)
    case .usage(let usage): line(["event": "usage", "usage": AnswerJSON.usage(usage)])
    case .started(let model): line(["event": "start", "model": model.map(JSON.string) ?? .null])
    case .toolCallComing(let name): wait(for: name)
    case .activity(let activity): show(activity)
    case .title(let title): line(["event": "title", "title": title.map(JSON.string) ?? .null])
    case .revised(let text): revise(text)
    case .conversation(let id): line(["event": "conversation", "id": .string(id)])
    case .toolCall, .finished, .named, .question: break
    }
  }

  /// What was shown is not the answer: all of it is shown anew, for what is on a screen cannot be taken back.
  private mutating func revise(_ text: String) {
    line(["event": "revised", "text": .string(text)])
    waiting.stop()
    // What was only cut stands there already.
    let isCut = said.hasSuffix(text) || said.hasPrefix(text)
    said = text
    guard view != nil, !isCut else { return }
    view?.end()
    if !isQuiet { terminal.write(.text(Wording.revised + "\n", .warning), to: .notices) }
    view?.show(text: text)
    hasText = true
  }

  private mutating func show(_ activity: Activity) {
    line(AnswerJSON.event(activity))
    let lines = activities.lines(for: activity)
    if !lines.isEmpty, !isQuiet, view != nil {
      pause()
      terminal.write(lines, to: .notices)
      if activity.status.isOver { showImages(of: activity) }
    }
    // What is stated where nothing is redrawn would stand behind the words.
    guard !activity.status.isOver, terminal.traits.redraws || view?.isWithinLine != true else { return }
    waiting.stop()
    waiting = WaitingIndicator(on: terminal, isQuiet: isQuiet, uptime: world.uptime, pause: world.pause)
    waiting.explain(ActivityPage.name(activity).cut(to: max(1, terminal.traits.columns - 10)))
  }

  private func showImages(of activity: Activity) {
    let blocks = activity.content.compactMap { if case .block(let block) = $0 { block } else { nil } }
    showImages(blocks)
  }

  /// Makes room for a question.
  mutating func pause(for question: AgentQuestion) {
    activities.note(question)
    pause()
  }

  /// Ends the line that is being written, so that something else may be shown.
  private mutating func pause() {
    waiting.stop()
    view?.end()
  }

  /// The arguments of a call may be long in coming.
  private mutating func wait(for call: String?) {
    // In a pipe the text may go on behind the call, as it came.
    if terminal.traits.outputIsTerminal, hasText { view?.end() }
    waiting.stop()
    waiting = WaitingIndicator(on: terminal, isQuiet: isQuiet, uptime: world.uptime, pause: world.pause)
    waiting.explain(ToolWording.coming(call))
  }

  /// What a script's notices said of the wait last: each second of it is news for a screen alone.
  private var saidWait: (kind: Notice.Wait, seconds: Int)?

  /// Whether another wait has begun.
  private mutating func isNew(_ kind: Notice.Wait, _ seconds: Int) -> Bool {
    defer { saidWait = (kind, seconds) }
    guard let saidWait else { return true }
    return saidWait.kind != kind || seconds > saidWait.seconds
  }

  /// Ends the answer's line; what comes afterwards stands on its own.
  mutating func end() {
    waiting.stop()
    view?.end()
    if !later.isEmpty { terminal.write(later, to: .notices) }
    later = []
  }

  /// How many invisible characters were taken out.
  var hidden: Int { view?.hidden ?? 0 }

  private mutating func show(_ notice: Notice) {
    line(["event": "notice", "notice": .string(Wording.notice(notice).string)])
    switch notice {
    case .waiting(let kind, let seconds):
      waiting.explain(Wording.notice(notice), isTimed: true)
      // Whoever reads a script's notices should know why nothing comes.
      if !isQuiet, !terminal.traits.noticesAreTerminal, isNew(kind, seconds) {
        say(.text(Wording.notice(notice) + "\n", .dim))
      }
    case .unreadable:
      if isVerbose { say(.text(Wording.notice(notice) + "\n", .dim)) }
    case .notStreamed:
      if isVerbose { say(.text(Wording.notice(notice) + "\n", .dim)) }
    case .toolsInText:
      if isVerbose { say(.text(Wording.notice(notice) + "\n", .dim)) }
    case .log:
      if isVerbose { aside(.text(Wording.notice(notice) + "\n", .dim)) }
    case .newConversation, .resumedConversation, .stillBusy, .stopped, .connectionLost, .connectedAgain,
      .nothingHeard, .said, .leftOut, .wentOnElsewhere, .mayRunOn, .routed, .foldsHistory,
      .modelReplaced, .systemPromptMoved, .settingLeftOut:
      if !isQuiet { aside(.text(Wording.notice(notice) + "\n", notice.isGood ? .dim : .warning)) }
    case .refusal, .imaginedResult, .forgotHistory, .otherAnswers, .callNotUnderstood:
      if !isQuiet { say(.text(Wording.notice(notice) + "\n", .warning)) }
    }
  }

  /// What an agent tells of itself stands where it came.
  private mutating func aside(_ text: StyledText) {
    guard isShown else { return }
    waiting.stop()
    // In a pipe the text may go on behind it, as it came.
    if terminal.traits.outputIsTerminal { view?.makeWay() }
    terminal.write(text, to: .notices)
  }

  private mutating func say(_ text: StyledText) {
    guard isShown else { return }
    if hasText { later += text } else { terminal.write(text, to: .notices) }
  }

  private func line(_ object: JSON) {
    guard isJSONLines else { return }
    let stamped = AnswerJSON.stamped(object, at: world.now())
    terminal.write(.text(SafeText.json(stamped.serialized()) + "\n"), to: .output)
  }
}

extension Notice {
  /// Whether it says that all is well.
  fileprivate var isGood: Bool {
    switch self {
    case .resumedConversation, .connectedAgain, .routed, .foldsHistory: true
    default: false
    }
  }
}

import Chat
import Store
import Text
import Wire

/// What an agent waits for: the person's leave, or an answer of theirs (docs/acp.md 5).
extension Toolbox {
  /// The person's reply. Without a person nothing is allowed that was not before (docs/rules.md A1); what is not waited
  /// for any more is not asked.
  /// - Parameter folder: where the agent works.
  mutating func reply(
    to question: AgentQuestion, of agent: Server, in folder: String?, _ desk: inout Desk
  ) async -> AgentQuestion.Reply {
    guard question.isOpen() else { return .refuse }
    switch question.subject {
    case .words(let message, let subject):
      let asked = ToolQuestion(message: message, subject: subject, reply: { _ in })
      return .words(await reply(to: asked, of: ToolServer(agent), desk))
    case .permission(let activity, let options):
      let wish = AgentWish(activity, of: agent, in: folder)
      return await permission(for: activity, options, wish, question, &desk)
    case .act(let act):
      return await leave(for: act, AgentWish(act, of: agent, in: folder), question, &desk)
    }
  }

  private static let mostOptions = 20

  private mutating func permission(
    for activity: Activity, _ options: [PermissionOption], _ wish: AgentWish, _ question: AgentQuestion,
    _ desk: inout Desk
  ) async -> AgentQuestion.Reply {
    let once = options.first { $0.kind == .allowOnce }
    let refused: AgentQuestion.Reply = options.first { $0.kind == .rejectOnce }.map { .option($0) } ?? .refuse
    if desk.preferences.toolApproval == .never { return refused }
    guard (1...Toolbox.mostOptions).contains(options.count) else {
      desk.complain(Complaint.notAnswerable(activity, options.count, agent: wish.agent))
      return .refuse
    }
    if let once, mayPass(wish, desk) {
      desk.sayOfTurn(ActivityPage.begun(activity, marks: desk.marks, columns: desk.noticeColumns) + " (allowed)")
      return .option(once)
    }
    guard desk.options.canAsk else {
      desk.complain(
        Complaint.notAllowed(activity, agent: wish.agent, isAlways: desk.preferences.toolApproval == .always))
      return refused
    }
    let ways = PermissionPage.Ways(
      mayAllow: once != nil, mayKeep: once != nil && wish.isConcrete, options: options)
    let page = PermissionPage(activity, by: wish.agent, columns: desk.noticeColumns)
    switch await word(about: page, of: activity, ways, desk) {
    case .yes: return once.map { .option($0) } ?? refused
    case .always:
      keep(wish, for: question, desk)
      return once.map { .option($0) } ?? refused
    case .no: return refused
    case .option(let option): return .option(option)
    case nil: return .cancel
    }
  }

  private mutating func leave(
    for act: AgentAct, _ wish: AgentWish, _ question: AgentQuestion, _ desk: inout Desk
  ) async -> AgentQuestion.Reply {
    if desk.preferences.toolApproval == .never { return .refuse }
    if !act.isUnusual, mayPass(wish, desk) {
      desk.sayOfTurn(wish.words.cut(to: (desk.noticeColumns ?? 161) - 1))
      return .allow
    }
    guard desk.options.canAsk else {
      desk.complain(Complaint.notAllowed(act, agent: wish.agent, isAlways: desk.preferences.toolApproval == .always))
      return .refuse
    }
    let page = PermissionPage(act, by: wish.agent, columns: desk.noticeColumns)
    switch await word(about: page, of: Activity(act), PermissionPage.Ways(mayKeep: wish.isConcrete), desk) {
    case .yes: return .allow
    case .always:
      keep(wish, for: question, desk)
      return .allow
    case .no, .option: return .refuse
    case nil: return .cancel
    }
  }

  /// Whether the person has said yes to exactly this before, or to everything.
  private func mayPass(_ wish: AgentWish, _ desk: Desk) -> Bool {
    if desk.preferences.toolApproval == .always { return true }
    guard wish.isConcrete else { return false }
    if case .allowed = permissions.allows(place: wish.place, tool: wish.name, digest: wish.digest) { return true }
    return false
  }

  private enum Word {
    case yes, always, no
    case option(PermissionOption)
  }

  /// Shows a page and asks until one of the ways is typed; nil when the person left.
  private func word(
    about page: PermissionPage, of activity: Activity, _ ways: PermissionPage.Ways, _ desk: Desk
  ) async -> Word? {
    let traits = desk.world.terminal.traits
    let long = LongConsent(page, ways, columns: traits.columns, rows: traits.rows)
    desk.present(page.text + (long == nil ? PermissionPage.choices(ways.options) : []))
    let prompt = PermissionPage.prompt(ways, canView: long != nil)
    do throws(ShellError) {
      while true {
        if let long { desk.present(long.recap) }
        let word = try await desk.answer(
          to: prompt, among: ways.alternatives(for: activity, page)
        ).lowercased()
        switch word {
        case "y" where ways.mayAllow, "yes" where ways.mayAllow: return .yes
        case "a" where ways.mayKeep, "always" where ways.mayKeep: return .always
        case "", "n", "no": return .no
        case "v" where long != nil, "view" where long != nil:
          if let long { try await desk.view(long) }
        default:
          if let number = Int(word), ways.options.indices.contains(number - 1) {
            return .option(ways.options[number - 1])
          }
          desk.say(PermissionPage.reminder(ways, canView: long != nil), .warning)
        }
      }
    } catch { return nil }
  }

  /// For good, where what was allowed is still waited for.
  private func keep(_ wish: AgentWish, for question: AgentQuestion, _ desk: Desk) {
    guard question.isOpen() else { return desk.say("not kept: the agent does not wait for it any more", .warning) }
    do throws(FileError) {
      try permissions.allow(
        Permissions.Entry(
          place: wish.place, server: wish.agent, tool: wish.name, digest: wish.digest, allowedAt: desk.world.now()))
    } catch {
      desk.say("allowed this once only: \(Complaint(error).text)", .warning)
    }
  }
}

/// What is remembered of a yes for good: one agent in one folder, and exactly what was shown (docs/rules.md A1).
struct AgentWish {
  let agent: String
  /// Where the agent is: its command.
  let place: String
  /// As `/permissions` lists it.
  let name: String
  let digest: String
  /// What is said when it is not asked about.
  let words: SafeText
  /// Whether what was shown says what will happen, so that a yes can be remembered.
  let isConcrete: Bool

  init(_ activity: Activity, of agent: Server, in folder: String?) {
    let isConcrete = activity.shownInput != nil || activity.content.contains(where: \.saysWhat)
    self.init(
      agent, folder, ActivityPage.name(activity),
      [
        "kind": .string(activity.kind), "title": .string(activity.title), "input": activity.input ?? .null,
        "places": .array(activity.places.map { .string($0.path) }),
        "changes": .array(activity.content.compactMap(\.shown)),
      ], isConcrete: isConcrete)
  }

  init(_ act: AgentAct, of agent: Server, in folder: String?) {
    let isConcrete = !act.isUnusual && !act.isShellLine
    switch act {
    case .read(let path, _):
      self.init(
        agent, folder, "read " + VisibleText.oneLine(path), ["read": .string(path)], isConcrete: isConcrete)
    case .write(let change, _):
      self.init(
        agent, folder, "write " + VisibleText.oneLine(change.path), ["write": change.shown], isConcrete: isConcrete)
    case .run(let command):
      self.init(
        agent, folder, "run " + VisibleText.oneLine(command.words.joined(separator: " ")),
        [
          "run": .array(command.words.map(JSON.string)), "shell": .bool(command.isShellLine),
          "in": .string(command.folder),
          "set": .array(command.variables.map { .string("\($0.name)=\($0.value)") }),
        ], isConcrete: isConcrete)
    }
  }

  private init(_ agent: Server, _ folder: String?, _ words: SafeText, _ shown: JSON, isConcrete: Bool) {
    self.agent = agent.name
    place = agent.url
    name = words.cut(to: 80).string
    digest = ToolDigest.of(["folder": folder.map(JSON.string) ?? .null, "shown": shown])
    self.words = words
    self.isConcrete = isConcrete && folder != nil
  }
}

extension FileChange {
  /// All that a page shows of it.
  fileprivate var shown: JSON {
    [.string(path), old.map(JSON.string) ?? .null, .string(new), .bool(replacesUnseen)]
  }
}

extension Activity.Content {
  fileprivate var shown: JSON? {
    switch self {
    case .diff(let change): change.shown
    case .block(let block): ResultText.json(block)
    case .terminal, .plan: nil
    }
  }

  /// Whether it is a change or text: what can be read tells one act from another.
  fileprivate var saysWhat: Bool {
    switch self {
    case .diff: true
    case .block(.text(let text)): !text.allSatisfy(\.isWhitespace)
    case .block, .terminal, .plan: false
    }
  }
}

extension AgentAct {
  /// Whether it is asked about whatever was said before (docs/rules.md A3).
  fileprivate var isUnusual: Bool {
    switch self {
    case .read: true
    case .write(_, let why): why != nil
    case .run: false
    }
  }

  /// A shell reads it: what it does depends on more than its words.
  fileprivate var isShellLine: Bool {
    if case .run(let command) = self { command.isShellLine } else { false }
  }
}

extension ToolServer {
  /// An agent, as forms name who asks.
  fileprivate init(_ agent: Server) {
    self.init(id: agent.url, name: agent.name, address: .command([agent.url], passing: []))
  }
}

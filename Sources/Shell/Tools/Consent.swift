import Chat
import Store
import Text

/// Whether a call may run.
enum Consent: Sendable, Equatable {
  /// `isAsked` when the person has just said so.
  case allowed(isAsked: Bool)
  /// - Parameter words: what the model is told.
  case refused(String)
  /// Nobody was asked, as it cannot be done.
  case impossible(ToolResult)
}

/// What a call of a tool meets before anybody is asked.
enum Standing: Sendable, Equatable {
  /// No tool runs.
  case never
  /// Every tool runs.
  case always
  /// The command line names it and says yes.
  case named
  /// The person allowed it until the session ends.
  case granted
  /// The person allowed it for good.
  case kept
  /// It was allowed for good when it described itself differently.
  case changed
  case asked

  /// Whether it runs without a question.
  var mayRun: Bool {
    switch self {
    case .always, .named, .granted, .kept: true
    case .never, .changed, .asked: false
    }
  }
}

/// The person's yes before a tool runs: nothing runs without one (docs/rules.md A1).
extension Toolbox {
  /// How it stands with a tool: the one rule, for what runs, what is offered and what is shown.
  func standing(of tool: ToolIdentity, in session: SessionID, _ desk: Desk) -> Standing {
    let approval = desk.preferences.toolApproval
    if approval == .never { return .never }
    if approval == .always { return .always }
    if desk.options.answersYes, named.has(tool.name, of: tool.serverID) { return .named }
    // A yes to one is none to another, whatever was said before.
    if tool.isShellLine { return .asked }
    let isGranted = grants.allows(tool, in: session)
    return switch permissions.allows(place: tool.place, tool: tool.name, digest: tool.digest) {
    case .allowed: .kept
    case _ where isGranted: .granted
    case .changed: .changed
    case .none: .asked
    }
  }

  /// Decides on a call, with the person where they have not decided before.
  mutating func verdict(
    on call: ToolCall, _ offered: OfferedTool, in session: SessionID, _ desk: Desk
  ) async throws(ShellError) -> Consent {
    let standing = standing(of: offered.identity, in: session, desk)
    if standing == .never { return .refused("The person lets no tool run.") }
    if standing.mayRun { return .allowed(isAsked: false) }
    guard desk.options.canAsk else {
      throw .notAllowed(tool: offered.typedName, server: offered.server.name)
    }
    var preview = CallPreview()
    if case .object(let arguments) = call.arguments {
      preview = await offered.connection.preview(of: offered.ownName, arguments)
    }
    if let failure = preview.failure { return .impossible(failure) }
    let (traits, hasChanged) = (desk.world.terminal.traits, standing == .changed)
    let page = ConsentPage.text(
      call, offered, hasChanged: hasChanged, subject: preview.subject, columns: traits.columns)
    desk.present(page)
    let long = LongConsent(
      page, call, offered, hasChanged: hasChanged, columns: traits.columns, rows: traits.rows)
    return try await ask(
      offered, long, .of(call, offered, page), in: session, sessionWide: desk.preferences.toolApproval == .session, desk
    )
  }

  /// Enter is no; what is typed behind a no is a reason, and the model's to read.
  private mutating func ask(
    _ offered: OfferedTool, _ long: LongConsent?, _ alternatives: Alternatives, in session: SessionID,
    sessionWide: Bool,
    _ desk: Desk
  ) async throws(ShellError) -> Consent {
    let mayKeep = !offered.identity.isShellLine
    while true {
      if let long { desk.present(long.recap) }
      let prompt = ConsentPage.prompt(offered, canView: long != nil)
      let line = try await desk.answer(to: prompt, among: alternatives)
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch words.first?.lowercased() ?? "" {
      case "y" where words.count == 1, "yes" where words.count == 1:
        if sessionWide, mayKeep { grants.allow(offered.identity, in: session) }
        return .allowed(isAsked: true)
      case "s" where words.count == 1 && mayKeep, "session" where words.count == 1 && mayKeep:
        grants.allow(offered.identity, in: session)
        return .allowed(isAsked: true)
      case "a" where words.count == 1 && mayKeep, "always" where words.count == 1 && mayKeep:
        keep(offered, in: session, desk)
        return .allowed(isAsked: true)
      case "v" where words.count == 1 && long != nil, "view" where words.count == 1 && long != nil:
        if let long { try await desk.view(long) }
      case "", "n", "no":
        let reason = words.count > 1 ? ": \(words[1])" : "."
        return .refused("The person did not allow this call\(reason)")
      default: desk.say(ConsentPage.reminder(offered), .warning)
      }
    }
  }

  /// For good; what cannot be kept holds for this session.
  private mutating func keep(_ offered: OfferedTool, in session: SessionID, _ desk: Desk) {
    do throws(FileError) {
      try permissions.allow(
        Permissions.Entry(
          place: offered.identity.place, server: offered.identity.server, tool: offered.identity.name,
          digest: offered.identity.digest, allowedAt: desk.world.now()))
    } catch {
      grants.allow(offered.identity, in: session)
      desk.say("allowed for this session only: \(Complaint(error).text)", .warning)
    }
  }
}

extension Desk {
  /// Shows a long page from its beginning, a screen at a time.
  func view(_ long: LongConsent) async throws(ShellError) {
    for piece in long.pieces {
      world.terminal.write(piece.text, to: .notices)
      if piece.lines.upperBound == long.count { return }
      let question: SafeText =
        "lines \(piece.lines.lowerBound) to \(piece.lines.upperBound) of \(long.count); Enter goes on, q ends "
      let line = try await answer(to: .text(question, .warning))
      if !line.isEmpty { return }
    }
  }
}

extension OfferedTool {
  /// What names it on a command line: a model may know it by a name that nobody typed.
  fileprivate var typedName: String { tool.name == ownName ? ownName : "\(server.name)/\(ownName)" }
}

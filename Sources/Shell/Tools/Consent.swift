import Chat
import Store
import Text

/// Whether a call may run.
enum Consent: Sendable, Equatable {
  /// `isAsked` when the person has just said so.
  case allowed(isAsked: Bool)
  /// - Parameter words: what the model is told.
  case refused(String)
}

/// The person's yes before a tool runs: nothing runs without one (RELIABILITY A1).
extension Shell {
  /// Decides on a call, with the person where they have not decided before.
  mutating func verdict(on call: ToolCall, _ offered: OfferedTool) async throws(ShellError) -> Consent {
    let approval = preferences.toolApproval
    if approval == .never { return .refused("The person lets no tool run.") }
    if approval == .always || options.allows(offered) { return .allowed(isAsked: false) }
    let session = conversation.session.id
    if grants.allows(offered, in: session) { return .allowed(isAsked: false) }
    var hasChanged = false
    switch permissions.allows(place: offered.server.place, tool: offered.ownName, digest: offered.digest) {
    case .allowed: return .allowed(isAsked: false)
    case .changed: hasChanged = true
    case .none: break
    }
    guard options.canAsk else {
      throw .notAllowed(tool: offered.tool.name, server: offered.server.name)
    }
    let traits = world.terminal.traits
    let page = ConsentPage.text(call, offered, hasChanged: hasChanged, columns: traits.columns)
    world.terminal.write(page, to: .notices)
    let long = LongConsent(
      page, call, offered, hasChanged: hasChanged, columns: traits.columns, rows: traits.rows)
    return try await ask(offered, long, sessionWide: approval == .session)
  }

  /// Enter is no; what is typed behind a no is a reason, and the model's to read.
  private mutating func ask(
    _ offered: OfferedTool, _ long: LongConsent?, sessionWide: Bool
  ) async throws(ShellError) -> Consent {
    while true {
      if let long { world.terminal.write(long.recap, to: .notices) }
      let prompt = ConsentPage.prompt(offered, canView: long != nil)
      let line = try await answer(to: prompt, leavesTypedAhead: true)
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch words.first?.lowercased() ?? "" {
      case "y" where words.count == 1, "yes" where words.count == 1:
        if sessionWide { grants.allow(offered, in: conversation.session.id) }
        return .allowed(isAsked: true)
      case "s" where words.count == 1, "session" where words.count == 1:
        grants.allow(offered, in: conversation.session.id)
        return .allowed(isAsked: true)
      case "a" where words.count == 1, "always" where words.count == 1:
        keep(offered)
        return .allowed(isAsked: true)
      case "v" where words.count == 1 && long != nil, "view" where words.count == 1 && long != nil:
        if let long { try await view(long) }
      case "", "n", "no":
        let reason = words.count > 1 ? ": \(words[1])" : "."
        return .refused("The person did not allow this call\(reason)")
      default: say("y, s, a or n; n and a few words tell the model why", .warning)
      }
    }
  }

  /// For good; what cannot be kept holds for this session.
  private mutating func keep(_ offered: OfferedTool) {
    grants.allow(offered, in: conversation.session.id)
    do throws(FileError) {
      try permissions.allow(
        Permissions.Entry(
          place: offered.server.place, server: offered.server.name, tool: offered.ownName,
          digest: offered.digest, allowedAt: world.now()))
    } catch {
      say("allowed for this session only: \(Complaint(error).text)", .warning)
    }
  }
}

extension RunOptions {
  /// Whether the command line names a tool and says yes to it: it runs without a question.
  func allows(_ offered: OfferedTool) -> Bool {
    let server = offered.server
    let names = [
      offered.tool.name, offered.ownName, "\(server.name)/\(offered.ownName)", server.name, server.id,
    ].map { $0.lowercased() }
    return answersYes && tools.contains { names.contains($0.lowercased()) }
  }
}

import Chat
import Store
import Text

/// Which model is asked. One that the person chose is asked until the person chooses another; one that nobody chose may
/// give way to another, and that is said.
extension Links {
  /// The server in use, with the model that is asked. - Parameter session: the one that the message is of.
  @discardableResult
  mutating func connectedWithModel(
    for session: Session, _ desk: inout Desk
  ) async throws(ShellError) -> Link {
    try await connected(&desk)
    // The models of an agent are among its own settings.
    guard link.backend.abilities.contains(.models) || !link.backend.abilities.contains(.keepsConversations) else {
      return link
    }
    if let wanted = modelOfRun(desk), !link.isModelChosen {
      let name = try await model(called: wanted, &desk)
      // A part that was meant for one that is gone may be a part of another.
      if name != wanted { desk.say("model: \(name)") }
      link.model = name
      link.isModelChosen = true
    } else if !link.isModelChosen {
      try await takeStandingModel(for: session, &desk)
    }
    sayMissedModel(&desk)
    keepModels(&desk)
    return link
  }

  /// What the command line or the environment names, perhaps by a part.
  func modelOfRun(_ desk: Desk) -> String? {
    desk.options.model ?? desk.world.environment["PARLEY_MODEL"].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func model(of session: Session) -> String? {
    session.server?.url == link.server.url ? session.model : nil
  }

  /// The model that the next message most likely asks, as far as it is known without a look.
  func modelInView(of session: Session, _ desk: Desk) -> String? {
    guard front != nil else { return nil }
    if link.isModelChosen { return link.model }
    // A part that several have is complained of when it is asked.
    if let wanted = modelOfRun(desk) {
      return link.unlistedName(wanted) ?? (try? link.models.called(wanted))??.id ?? wanted
    }
    if let used = model(of: session), link.canAsk(used) { return used }
    return link.chosenModel ?? link.model
  }

  /// The model of the conversation, else the one chosen for the server, else the one it was asked last, else its first.
  private mutating func takeStandingModel(for session: Session, _ desk: inout Desk) async throws(ShellError) {
    let used = model(of: session)
    if let used, link.canAsk(used) {
      link.model = used
      return
    }
    // The model of a session that is taken up may be gone; one that changes in the middle of it was changed, or is.
    if let used, used != link.model, link.modelsFetchedAt != nil { link.missedModel = used }
    if let chosen = link.chosenModel {
      link.model = chosen
      try await meetChosenModel(chosen, &desk)
    } else if link.model == nil {
      try await takeFirstModel(for: session, &desk)
    }
  }

  private mutating func takeFirstModel(for session: Session, _ desk: inout Desk) async throws(ShellError) {
    guard link.hasModelList else { throw .noModelChosen(server: link.server.name) }
    let before = session.model
    do throws(ShellError) { try await refreshModels(unlessKnown: before == nil, &desk) } catch {
      if case .noModelList(let server) = error { throw .noModelChosen(server: server) }
      throw error
    }
    guard !link.models.isEmpty, let first = link.models.first(of: before) else {
      throw .noModels(server: link.server.name, kind: link.server.kind)
    }
    link.model = first
    if before != nil, before != first, link.missedModel == nil { desk.say("model: \(first)") }
  }

  /// A list that does not have the chosen model may be old: the server is asked before anything is made of it.
  private mutating func meetChosenModel(_ name: String, _ desk: inout Desk) async throws(ShellError) {
    guard link.modelsFetchedAt != nil, !link.canAsk(name) else { return }
    try await refreshModels(&desk)
    if !link.canAsk(name) { try await chooseInstead(of: name, &desk) }
  }

  private mutating func sayMissedModel(_ desk: inout Desk) {
    guard let missed = link.missedModel else { return }
    link.missedModel = nil
    guard !link.isModelChosen, let now = link.model, now != missed else { return }
    desk.say("model '\(missed)' is not running any more: \(now) is asked", .warning)
  }

  /// The person chooses another model when the chosen one is gone; without somebody to ask nothing is asked of any.
  private mutating func chooseInstead(of gone: String, _ desk: inout Desk) async throws(ShellError) {
    keepModels(&desk)
    let ready = link.models.filter(\.isReady).map(\.id)
    let near = Nearest.words(to: gone, among: ready)
    guard !link.models.isEmpty else {
      throw .noModels(server: link.server.name, kind: link.server.kind)
    }
    let refusal = ShellError.chosenModelGone(
      model: gone, server: link.server, others: near.isEmpty ? ready : near)
    guard desk.options.canType, !ready.isEmpty else { throw refusal }
    desk.say("model '\(gone)', which you chose, is not running on \(link.server.name) any more", .warning)
    desk.say(link.listing(now: desk.world.now()))
    let next = try await askForModel(else: refusal, &desk)
    if link.chosenModel == gone { return try choose(next, &desk) }
    // What was asked for by -m holds for the run, and so does what takes its place.
    link.model = next
  }

  /// A name that is mistyped may be typed again, twice.
  private mutating func askForModel(
    else refusal: ShellError, _ desk: inout Desk
  ) async throws(ShellError) -> String {
    var tries = 1
    while true {
      let word = try await desk.answer(
        to: .text("which model instead? (Enter: none) ", .warning))
      guard !word.isEmpty else { throw refusal }
      do throws(ShellError) {
        return try await model(called: word, &desk)
      } catch {
        guard case .usage = Complaint(error).status, tries < 3 else { throw error }
        tries += 1
        desk.say(Complaint(error).text, .error)
      }
    }
  }

  /// Takes a model that the person chose for this run.
  mutating func chooseForNow(_ name: String) {
    link.model = name
    link.isModelChosen = true
    link.missedModel = nil
  }

  /// Takes the model that the person chose, and keeps the choice for the server.
  mutating func choose(_ name: String, _ desk: inout Desk) throws(ShellError) {
    chooseForNow(name)
    link.chosenModel = name
    keepModels(&desk)
    guard link.isKept else { return }
    do throws(Servers.Failure) {
      try kept.choose(model: name, of: link.server.name, isUnlisted: link.unlisted.contains(name))
    } catch {
      throw .servers(error)
    }
  }

  /// Keeps which model a server was asked last.
  mutating func noteAsked() throws(ShellError) {
    let name = link.server.name
    guard link.isKept, let entry = kept.named(name), !entry.isModelChosen, entry.model != link.model
    else { return }
    do throws(Servers.Failure) {
      try kept.note(asked: link.model, of: name)
    } catch {
      throw .servers(error)
    }
  }

  /// A model by its name, or by a part of it that only it has; the server is asked when the list does not know it. A
  /// server without a list is asked for any name, and so is each server for a name with `!` behind it: routers have
  /// models that they do not list.
  /// - Parameter offersUnlisted: whether the user is asked about a name that the list does not have.
  mutating func model(
    called word: String, offersUnlisted: Bool = false, _ desk: inout Desk
  ) async throws(ShellError) -> String {
    if let name = link.unlistedName(word) {
      link.unlisted.insert(name)
      return name
    }
    var isFresh = false
    while link.hasModelList {
      let found = try link.models.called(word)
      if let found, found.isReady || isFresh {
        guard found.isReady else {
          throw .notReady(
            model: found.id, state: found.state, note: found.note,
            others: link.models.filter { $0.isReady && $0.isForChat }.map(\.id))
        }
        return found.id
      }
      if isFresh { return try await unlisted(word, offers: offersUnlisted, desk) }
      do throws(ShellError) { try await refreshModels(&desk) } catch {
        switch error {
        case .noModelList:
          desk.say("server '\(link.server.name)' does not list its models: '\(word)' is asked for as it is written")
        // A key may be good for answers and not for the list.
        case .backend(.refused(_, 403, _), _, _) where link.server.kind == "openai":
          desk.say("\(Complaint(error).text): '\(word)' is asked for as it is written", .warning)
          link.unlisted.insert(word)
          return word
        default: throw error
        }
      }
      isFresh = true
    }
    return word
  }

  private mutating func unlisted(_ name: String, offers: Bool, _ desk: Desk) async throws(ShellError) -> String {
    // An empty list says nothing of a name.
    if link.models.isEmpty, link.server.kind == "openai" {
      link.unlisted.insert(name)
      return name
    }
    let refusal = ShellError.unknown(
      .model, name, nearest: Nearest.words(to: name, among: link.models.map(\.id)))
    guard offers, desk.options.canAsk else { throw refusal }
    let question: SafeText = "server '\(link.server.name)' does not list a model '\(name)'. Ask for it all the same?"
    guard try await desk.agrees(question) else { throw refusal }
    link.unlisted.insert(name)
    return name
  }

  /// Asks the server for its models and remembers them. Throws `noModelList` when it has no list.
  mutating func refreshModels(unlessKnown: Bool = false, _ desk: inout Desk) async throws(ShellError) {
    if unlessKnown, link.models.contains(where: \.isReady) { return }
    do throws(ShellError) {
      link.models = try await asking(&desk) { backend throws(BackendError) in try await backend.models() }
    } catch {
      guard case .backend(let reason, _, _) = error, link.server.kind == "openai", reason.saysRouteIsMissing else {
        throw error
      }
      noteMissingList(&desk)
      throw .noModelList(server: link.server.name)
    }
    link.hasModelList = true
    link.modelsFetchedAt = desk.world.now()
  }

  /// Remembers that the server in use does not list its models.
  mutating func noteMissingList(_ desk: inout Desk) {
    (link.models, link.modelsFetchedAt, link.hasModelList) = ([], nil, false)
    guard link.isKept else { return }
    do throws(Servers.Failure) { try kept.noteMissingList(of: link.server.name) } catch {
      desk.say("not kept: \(Complaint(.servers(error)).text)", .warning)
    }
  }

  /// After a sign-in: the models that it shows, and the one to ask.
  mutating func takeModels(_ desk: inout Desk) async throws(ShellError) {
    guard link.hasModelList else { return }
    try await refreshModels(&desk)
    if !link.isModelChosen {
      let last = kept.named(link.server.name)?.model
      link.model = link.chosenModel ?? link.models.first(of: last)
      link.missedModel = link.model == last ? nil : last
    }
    keepModels(&desk)
  }
}

/// When the server says that the model is gone.
extension Links {
  /// Whether another is to be asked. A new conversation whose model nobody chose begins with another one
  /// (docs/kamiwaza.md 4.5); one that has begun is the person's to decide on, and so is a chosen model.
  /// - Parameter isNew: whether the conversation has nothing in it yet.
  mutating func switchModel(
    isNew: Bool, _ settled: inout Settled, _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    guard let gone = link.model, !settled.hasSwitchedModel, link.hasModelList else { return false }
    settled.hasSwitchedModel = true
    let isChosen = link.isModelChosen || link.chosenModel == gone
    guard isChosen || isNew else { return false }
    try await refreshModels(&desk)
    guard !link.canAsk(gone) else { return false }
    if isChosen {
      try await chooseInstead(of: gone, &desk)
      return true
    }
    guard let next = link.models.first(of: nil) else { return false }
    link.model = next
    keepModels(&desk)
    desk.say("model '\(gone)' is not running any more: \(next) is asked", .warning)
    return true
  }

  /// The models to choose from, when the one that was asked is gone and nobody had chosen it.
  mutating func offerModels(after error: BackendError?, _ desk: inout Desk) async {
    guard let error, error.isAboutModel, desk.options.isInteractive, front?.hasModelList == true,
      !link.isModelChosen,
      link.chosenModel == nil
    else { return }
    do throws(ShellError) {
      try await refreshModels(&desk)
      link.model = nil
      keepModels(&desk)
      try await desk.show(link.listing(now: desk.world.now()), asJSON: false)
    } catch {
      desk.complain(Complaint(error))
    }
  }
}

extension BackendError {
  /// Whether the server says that it has no such model, or not any more.
  var isAboutModel: Bool {
    switch self {
    case .modelGone, .modelNotFound: true
    default: false
    }
  }
}

extension Link {
  /// The model named by `NAME!`, which need not be listed; nil for a name without the mark, and for a listed name that ends
  /// with it.
  fileprivate func unlistedName(_ word: String) -> String? {
    guard word.hasSuffix("!"), word.count > 1, !models.contains(where: { $0.id == word }) else { return nil }
    return String(word.dropLast())
  }
}

extension [Model] {
  /// Whether one of this name can be asked now.
  func canAsk(_ name: String) -> Bool { contains { $0.id == name && $0.isReady } }

  /// The one to ask: the last used while it can be asked, else the first that can chat (docs/kamiwaza.md 4.5).
  func first(of lastUsed: String?) -> String? {
    if let lastUsed, canAsk(lastUsed) || isEmpty { return lastUsed }
    return (first { $0.isReady && $0.isForChat } ?? first(where: \.isReady))?.id
  }

  /// The one of this name, or of a part of it that only it has, those that can be asked before the others.
  func called(_ word: String) throws(ShellError) -> Model? {
    if let exact = first(where: { $0.id == word }) { return exact }
    let matches = filter { $0.id.lowercased().contains(word.lowercased()) }
    let ready = matches.filter(\.isReady)
    if ready.count > 1 { throw .ambiguous(.model, word, matches: ready.map(\.id)) }
    return ready.first ?? matches.first
  }
}

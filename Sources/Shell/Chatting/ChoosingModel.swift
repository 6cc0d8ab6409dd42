import Chat
import Store
import Text

/// Which model is asked. One that the person chose is asked until the person chooses another; one that nobody chose may
/// give way to another, and that is said.
extension Shell {
  /// The server in use, with the model that is asked.
  mutating func connectedWithModel() async throws(ShellError) -> Connection {
    var connection = try await connected()
    if let wanted = modelOfRun, !connection.isModelChosen {
      let name = try await model(called: wanted, of: &connection)
      // A part that was meant for one that is gone may be a part of another.
      if name != wanted { desk.say("model: \(name)") }
      connection.model = name
      connection.isModelChosen = true
    } else if !connection.isModelChosen {
      try await takeStandingModel(of: &connection)
    }
    sayMissedModel(of: &connection)
    self.connection = connection
    remember(connection)
    return connection
  }

  /// What the command line or the environment names, perhaps by a part.
  private var modelOfRun: String? {
    desk.options.model ?? desk.world.environment["PARLEY_MODEL"].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func modelOfSession(at connection: Connection) -> String? {
    conversation.session.server?.url == connection.server.url ? conversation.session.model : nil
  }

  /// The model that the next message most likely asks, as far as it is known without a look.
  func modelInView(of connection: Connection) -> String? {
    if connection.isModelChosen { return connection.model }
    if let wanted = modelOfRun { return wanted }
    if let used = modelOfSession(at: connection), connection.models.canAsk(used) { return used }
    return connection.chosenModel ?? connection.model
  }

  /// The model of the conversation, else the one chosen for the server, else the one it was asked last, else its first.
  private mutating func takeStandingModel(of connection: inout Connection) async throws(ShellError) {
    let used = modelOfSession(at: connection)
    if let used, connection.models.canAsk(used) {
      connection.model = used
      return
    }
    // The model of a session that is taken up may be gone; one that changes in the middle of it was changed, or is.
    if let used, used != connection.model, connection.modelsFetchedAt != nil { connection.missedModel = used }
    if let chosen = connection.chosenModel {
      connection.model = chosen
      try await meetChosenModel(chosen, of: &connection)
    } else if connection.model == nil {
      try await takeFirstModel(of: &connection)
    }
  }

  private mutating func takeFirstModel(of connection: inout Connection) async throws(ShellError) {
    let before = conversation.session.model
    try await refreshModels(of: &connection, unlessKnown: before == nil)
    guard !connection.models.isEmpty, let first = connection.models.first(of: before) else {
      throw .noModels(server: connection.server.name, kind: connection.server.kind)
    }
    connection.model = first
    if before != nil, before != first, connection.missedModel == nil { desk.say("model: \(first)") }
  }

  /// A list that does not have the chosen model may be old: the server is asked before anything is made of it.
  private mutating func meetChosenModel(_ name: String, of connection: inout Connection) async throws(ShellError) {
    guard connection.modelsFetchedAt != nil, !connection.models.canAsk(name) else { return }
    try await refreshModels(of: &connection)
    if !connection.models.canAsk(name) { try await chooseInstead(of: name, &connection) }
  }

  private mutating func sayMissedModel(of connection: inout Connection) {
    guard let missed = connection.missedModel else { return }
    connection.missedModel = nil
    guard !connection.isModelChosen, let now = connection.model, now != missed else { return }
    desk.say("model '\(missed)' is not running any more: \(now) is asked", .warning)
  }

  /// The person chooses another model when the chosen one is gone; without somebody to ask nothing is asked of any.
  private mutating func chooseInstead(of gone: String, _ connection: inout Connection) async throws(ShellError) {
    self.connection = connection
    remember(connection)
    let ready = connection.models.filter(\.isReady).map(\.id)
    let near = Nearest.words(to: gone, among: ready)
    guard !connection.models.isEmpty else {
      throw .noModels(server: connection.server.name, kind: connection.server.kind)
    }
    let refusal = ShellError.chosenModelGone(
      model: gone, server: connection.server, others: near.isEmpty ? ready : near)
    guard desk.options.canAsk, !ready.isEmpty else { throw refusal }
    desk.say("model '\(gone)', which you chose, is not running on \(connection.server.name) any more", .warning)
    desk.say(Commands.listing(of: connection, now: desk.world.now()))
    let next = try await askForModel(else: refusal, &connection)
    if connection.chosenModel == gone { return try choose(next, of: &connection) }
    // What was asked for by -m holds for the run, and so does what takes its place.
    connection.model = next
  }

  /// A name that is mistyped may be typed again, twice.
  private mutating func askForModel(
    else refusal: ShellError, _ connection: inout Connection
  ) async throws(ShellError) -> String {
    var tries = 1
    while true {
      let word = try await desk.answer(
        to: .text("which model instead? (Enter: none) ", .warning), leavesTypedAhead: true)
      guard !word.isEmpty else { throw refusal }
      do throws(ShellError) {
        return try await model(called: word, of: &connection)
      } catch {
        guard case .usage = Complaint(error).status, tries < 3 else { throw error }
        tries += 1
        desk.say(Complaint(error).text, .error)
      }
    }
  }

  /// Takes the model that the person chose, and keeps the choice for the server.
  mutating func choose(_ name: String, of connection: inout Connection) throws(ShellError) {
    connection.model = name
    connection.isModelChosen = true
    connection.chosenModel = name
    connection.missedModel = nil
    remember(connection)
    guard connection.isKept else { return }
    do throws(Servers.Failure) {
      try servers.choose(model: name, of: connection.server.name)
    } catch {
      throw .servers(error)
    }
  }

  /// Keeps which model a server was asked last.
  mutating func note(askedBy connection: Connection) throws(ShellError) {
    let name = connection.server.name
    guard connection.isKept, let entry = servers.named(name), !entry.isModelChosen, entry.model != connection.model
    else { return }
    do throws(Servers.Failure) {
      try servers.note(asked: connection.model, of: name)
    } catch {
      throw .servers(error)
    }
  }

  /// A model by its name, or by a part of it that only it has; the server is asked when the list does not know it.
  mutating func model(called word: String, of connection: inout Connection) async throws(ShellError) -> String {
    var isFresh = false
    while true {
      let found = try connection.models.called(word)
      if let found, found.isReady || isFresh {
        guard found.isReady else { throw .notReady(model: found.id, state: found.state, note: found.note) }
        return found.id
      }
      if isFresh {
        throw .unknown(.model, word, nearest: Nearest.words(to: word, among: connection.models.map(\.id)))
      }
      try await refreshModels(of: &connection)
      isFresh = true
    }
  }

  /// Asks the server for its models and remembers them.
  mutating func refreshModels(of connection: inout Connection, unlessKnown: Bool = false) async throws(ShellError) {
    if unlessKnown, connection.models.contains(where: \.isReady) { return }
    connection.models = try await asking(&connection) { backend throws(BackendError) in try await backend.models() }
    connection.modelsFetchedAt = desk.world.now()
  }

  /// After a sign-in: the models that it shows, and the one to ask.
  mutating func takeModels(_ connection: inout Connection) async throws(ShellError) {
    try await refreshModels(of: &connection)
    if !connection.isModelChosen {
      let last = servers.named(connection.server.name)?.model
      connection.model = connection.chosenModel ?? connection.models.first(of: last)
      connection.missedModel = connection.model == last ? nil : last
    }
    self.connection = connection
    remember(connection)
  }
}

/// When the server says that the model is gone.
extension Shell {
  /// Whether another is to be asked. A new conversation whose model nobody chose begins with another one (Kamiwaza
  /// document, 4.2); one that has begun is the person's to decide on, and so is a chosen model.
  mutating func switchModel(_ connection: inout Connection, _ settled: inout Settled) async throws(ShellError) -> Bool {
    guard let gone = connection.model, !settled.hasSwitchedModel else { return false }
    settled.hasSwitchedModel = true
    let isChosen = connection.isModelChosen || connection.chosenModel == gone
    guard isChosen || conversation.path.isEmpty else { return false }
    try await refreshModels(of: &connection)
    guard !connection.models.canAsk(gone) else { return false }
    if isChosen {
      try await chooseInstead(of: gone, &connection)
      await keepModel(connection.model)
      return true
    }
    guard let next = connection.models.first(of: nil) else { return false }
    connection.model = next
    await keepModel(next)
    remember(connection)
    desk.say("model '\(gone)' is not running any more: \(next) is asked", .warning)
    return true
  }

  /// The question is in the history with the model that is gone.
  private mutating func keepModel(_ model: String?) async {
    conversation.session.model = model
    guard let model, conversation.isStored, let openedHistory else { return }
    // The answer has its model by itself; what lists show of the session is not worth a failure.
    try? await openedHistory.setModel(model, of: conversation.session.id)
  }

  /// The models to choose from, when the one that was asked is gone and nobody had chosen it.
  mutating func offerModels(after outcome: Outcome) async {
    guard let error = outcome.error, error.isAboutModel, desk.options.isInteractive, var connection,
      !connection.isModelChosen,
      connection.chosenModel == nil
    else { return }
    do throws(ShellError) {
      try await refreshModels(of: &connection)
      connection.model = nil
      self.connection = connection
      remember(connection)
      desk.show(Commands.listing(of: connection, now: desk.world.now()), asJSON: false)
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

extension [Model] {
  /// Whether one of this name can be asked now.
  func canAsk(_ name: String) -> Bool { contains { $0.id == name && $0.isReady } }

  /// The one to ask: the last used while it can be asked, else the first that can (Kamiwaza document, 4.2).
  func first(of lastUsed: String?) -> String? {
    if let lastUsed, canAsk(lastUsed) || isEmpty { return lastUsed }
    return first(where: \.isReady)?.id
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

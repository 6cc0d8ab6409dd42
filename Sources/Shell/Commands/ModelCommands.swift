import Chat
import Store
import Text
import Wire

extension Commands {
  static let models = [model, modelList]

  private static let model = Command(
    "model", .models, summary: "show or switch the model",
    forms: [Form(.optional(.model)).switching(orShowing: true)],
    examples: ["/model smol", "/model qwen2.5-coder", "/model openai/gpt-oss-20b!"],
    details: """
      A part of the name is enough when only one model has it. The choice is kept for the server until you make \
      another: when the model is gone you are asked, and a script ends with status 2. A model that the server does not \
      list is asked for after a question, and without one when ! follows its name.
      """
  ) { shell, match throws(ShellError) in
    if let option = try await modelOption(&shell) {
      guard let word = match.values.first else {
        shell.desk.show(.text("\(option.value) on \(shell.links.link.server.name)\n"))
        return .prompt
      }
      try await choose(model: word, of: option, &shell)
      return .prompt
    }
    guard let word = match.values.first else {
      let link = try await shell.links.connectedWithModel(for: shell.talk.conversation.session, &shell.desk)
      shell.desk.show(.text("\(link.model ?? "none") on \(link.server.name)\n"))
      if shell.desk.world.terminal.traits.outputIsTerminal, link.models.count > 1 {
        try await shell.desk.show(link.listing(now: shell.desk.world.now()), asJSON: false)
      }
      return .prompt
    }
    try await shell.links.connected(&shell.desk)
    let name = try await shell.links.model(called: word, offersUnlisted: true, &shell.desk)
    try shell.links.choose(name, &shell.desk)
    shell.desk.say("model: \(name)")
    return .prompt
  }

  private static let modelList = Command(
    "models", .models, summary: "list the server's models",
    forms: [Form(), Form(.required(.model), summary: "list models whose name contains this")],
    examples: ["/models", "/models qwen", "parley /models --json"],
    details: "The server is asked each time; when it cannot be reached, the last list is shown with its age."
  ) { shell, match throws(ShellError) in
    if let option = try await modelOption(&shell) {
      let choices = try AgentPage.choices(of: option).matching(match.values.first)
      try await shell.desk.show(choices, asJSON: match.asJSON)
      return .prompt
    }
    try await shell.links.require(.models, &shell.desk)
    do throws(ShellError) {
      try await shell.links.refreshModels(&shell.desk)
      shell.links.keepModels(&shell.desk)
    } catch {
      guard case .backend(let reason, _, _) = error, reason.isAboutReaching,
        let fetched = shell.links.link.modelsFetchedAt,
        !shell.links.link.models.isEmpty
      else {
        throw error
      }
      shell.desk.complain(Complaint(error))
      let age = age(of: fetched, at: shell.desk.world.now())
      shell.desk.say(age == "now" ? "the list of a moment ago:" : "the list of \(age) ago:", .warning)
    }
    let listing = try shell.links.link.listing(now: shell.desk.world.now()).matching(match.values.first)
    try await shell.desk.show(listing, asJSON: match.asJSON)
    return .prompt
  }
}

extension Listing {
  /// The rows whose `name` contains a text, in any case; all of them for nil. Throws `noModelMatches` if there are none.
  fileprivate func matching(_ part: String?) throws(ShellError) -> Listing {
    guard let part else { return self }
    var found = self
    found.rows.removeAll { $0["name"]?.string?.lowercased().contains(part.lowercased()) != true }
    if found.rows.isEmpty { throw .noModelMatches(part) }
    return found
  }
}

extension BackendError {
  /// Whether a list from before may stand in: the server could not be asked, and not: it did not want to answer.
  var isAboutReaching: Bool {
    switch self {
    case .unauthorized, .signInRefused, .untrusted, .withheld, .credentials, .cancelled: false
    default: true
    }
  }
}

import Chat
import Store
import Text
import Wire

extension Commands {
  static let models = [model, modelList]

  private static let model = Command(
    "model", .models, summary: "show or switch the model", forms: [Form(.optional(.model))],
    examples: ["/model smol", "/model qwen2.5-coder"],
    details: """
      A part of the name is enough when only one model has it. The choice is kept for the server until you make \
      another: when the model is gone you are asked, and a script ends with status 2.
      """
  ) { shell, arguments throws(ShellError) in
    guard let word = arguments.words.first else {
      let connection = try await shell.connectedWithModel()
      shell.desk.show(.text("\(connection.model ?? "none") on \(connection.server.name)\n"))
      if shell.desk.world.terminal.traits.outputIsTerminal, connection.models.count > 1 {
        shell.desk.show(listing(of: connection, now: shell.desk.world.now()), asJSON: false)
      }
      return .prompt
    }
    var connection = try await shell.connected()
    let name = try await shell.model(called: word, of: &connection)
    try shell.choose(name, of: &connection)
    shell.connection = connection
    shell.desk.say("model: \(name)")
    return .prompt
  }

  private static let modelList = Command(
    "models", .models, summary: "list the server's models", examples: ["/models", "parley /models --json"],
    details: "The server is asked each time; when it cannot be reached, the last list is shown with its age."
  ) { shell, arguments throws(ShellError) in
    var arguments = arguments
    let asJSON = arguments.takeJSONFlag()
    try await shell.require(.models)
    var connection = try await shell.connected()
    do throws(ShellError) {
      try await shell.refreshModels(of: &connection)
      shell.connection = connection
      shell.remember(connection)
    } catch {
      guard case .backend(let reason, _, _) = error, reason.isAboutReaching, let fetched = connection.modelsFetchedAt,
        !connection.models.isEmpty
      else {
        throw error
      }
      shell.desk.complain(Complaint(error))
      let age = age(of: fetched, at: shell.desk.world.now())
      shell.desk.say(age == "now" ? "the list of a moment ago:" : "the list of \(age) ago:", .warning)
    }
    shell.desk.show(listing(of: connection, now: shell.desk.world.now()), asJSON: asJSON)
    return .prompt
  }

  /// The state, and why it is so.
  private static func state(_ row: JSON) -> SafeText {
    "\([row["state"]?.string, row["note"]?.string].compactMap { $0 }.joined(separator: ": "))"
  }

  static func listing(of connection: Connection, now: Int) -> Listing {
    Listing(
      columns: [
        Listing.Column("MODEL", "name"), Listing.Column("STATE", state), Listing.Column("CONTEXT", "contextWindow"),
        Listing.Column("SERVER", "server"), Listing.Column("") { $0["current"] == true ? "current" : "" },
      ],
      rows: connection.models.map { model in
        [
          "name": .string(model.id), "state": model.state.map(JSON.string) ?? .null,
          "contextWindow": model.contextWindow.map(JSON.int) ?? .null, "server": .string(connection.server.name),
          "current": .bool(model.id == connection.model), "isReady": .bool(model.isReady),
          "note": model.note.map(JSON.string) ?? .null,
          "ageSeconds": connection.modelsFetchedAt.map { .int((now - $0) / 1000) } ?? .null,
        ]
      },
      whenEmpty: "server '\(connection.server.name)' has no models")
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

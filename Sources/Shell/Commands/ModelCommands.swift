import Chat
import Store
import Text
import Wire

extension Commands {
  static let models = [model, modelList]

  private static let model = Command(
    "model", .models, summary: "show or switch the model", forms: [Form(.optional(.model))],
    examples: ["/model smol", "/model qwen2.5-coder"],
    details: "A part of the name is enough when only one model has it. The choice is kept for the server."
  ) { shell, arguments throws(ShellError) in
    guard let word = arguments.words.first else {
      let connection = try await shell.connectedWithModel()
      shell.show(.text("\(connection.model ?? "none") on \(connection.server.name)\n"))
      return .prompt
    }
    var connection = try await shell.connected()
    connection.model = try await shell.model(called: word, of: &connection)
    connection.isModelChosen = true
    shell.connection = connection
    shell.remember(connection)
    if connection.isKept {
      do throws(Servers.Failure) {
        try shell.servers.choose(model: connection.model, of: connection.server.name)
      } catch {
        throw .servers(error)
      }
    }
    shell.say("model: \(connection.model ?? word)")
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
      guard case .backend = error, let fetched = connection.modelsFetchedAt, !connection.models.isEmpty else {
        throw error
      }
      shell.complain(Complaint(error))
      let age = age(of: fetched, at: shell.world.now())
      shell.say(age == "now" ? "the list of a moment ago:" : "the list of \(age) ago:", .warning)
    }
    shell.show(listing(of: connection, now: shell.world.now()), asJSON: asJSON)
    return .prompt
  }

  private static func listing(of connection: Connection, now: Int) -> Listing {
    Listing(
      columns: [
        Listing.Column("MODEL", "name"), Listing.Column("STATE", "state"), Listing.Column("CONTEXT", "contextWindow"),
        Listing.Column("SERVER", "server"), Listing.Column("") { $0["current"] == true ? "current" : "" },
      ],
      rows: connection.models.map { model in
        [
          "name": .string(model.id), "state": model.state.map(JSON.string) ?? .null,
          "contextWindow": model.contextWindow.map(JSON.int) ?? .null, "server": .string(connection.server.name),
          "current": .bool(model.id == connection.model),
          "ageSeconds": connection.modelsFetchedAt.map { .int((now - $0) / 1000) } ?? .null,
        ]
      },
      whenEmpty: "server '\(connection.server.name)' has no models")
  }
}

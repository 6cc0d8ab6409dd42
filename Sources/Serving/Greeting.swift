import Chat
import Wire

/// What the editor can do, as it says at the beginning (docs/acp.md 2).
struct Client: Sendable {
  /// Reads files for us, also what is not saved yet.
  let readsFiles: Bool
  /// Runs our own command in a terminal, for the person to sign in.
  let signsInOnTerminal: Bool

  init(_ params: JSON) {
    let capabilities = params["clientCapabilities"]
    readsFiles = capabilities?["fs"]?["readTextFile"] == true
    signsInOnTerminal = capabilities?["auth"]?["terminal"] == true
  }

  /// The answer to `initialize` (docs/acp.md 11).
  func greeting(version: String) -> JSON {
    [
      "protocolVersion": 1,
      "agentCapabilities": [
        "loadSession": true, "promptCapabilities": ["image": false, "audio": false, "embeddedContext": true],
        "mcpCapabilities": ["http": false, "sse": false],
        "sessionCapabilities": ["list": [:], "resume": [:], "close": [:], "delete": [:]],
      ],
      "authMethods": .array(signsInOnTerminal ? [Client.login] : []),
      "agentInfo": ["name": .string(Program.name), "title": .string(Program.name), "version": .string(version)],
    ]
  }

  private static let login: JSON = [
    "id": "terminal", "name": "Sign in on a terminal", "type": "terminal", "args": ["/login"],
    "description": "Signs in to the server in use",
  ]
}

import ArgumentParser

/// What the command line asks for.
struct Options: ParsableArguments, Sendable {
  @Option(help: "The port on 127.0.0.1; 0 lets the system pick one.")
  var port = 0

  @Flag(help: "Speak TLS, with a self-signed certificate that is kept in the state folder.")
  var tls = false

  @Flag(help: "Be the server of the app's first specification: no /api, active_deployments, snake_case.")
  var seedShape = false

  @Option(help: "Be this release of the platform: 1.2, or 0.9 with fewer routes and fields.")
  var release = Release.current

  @Option(help: ArgumentHelp("Serve everything below this path.", valueName: "/path"))
  var prefix = ""

  @Flag(help: "Ask for no sign-in.")
  var noAuth = false

  @Option(help: ArgumentHelp("Know this user too.", valueName: "name:password"))
  var user: String?

  @Flag(help: "Show a consent text and banners.")
  var consent = false

  @Option(help: ArgumentHelp("Keep certificate, tokens and sessions here.", valueName: "folder"))
  var state: String?

  @Option(help: ArgumentHelp("The OpenAI base address of the model that answers.", valueName: "url"))
  var model: String?

  @Option(
    help: ArgumentHelp("The address of scripts/playground_tools.py, for the tools that are deployed.", valueName: "url")
  )
  var tools: String?

  @Option(
    help: ArgumentHelp("Deploy this MCP server too; its /mcp or /sse is below the address.", valueName: "name=url"))
  var tool: [NamedAddress] = []

  @Option(help: ArgumentHelp("List this MCP server too, with its own address.", valueName: "name=url"))
  var toolElsewhere: [NamedAddress] = []

  @Option(help: ArgumentHelp("How long an access token lives; 300, and 3600 with --seed-shape.", valueName: "seconds"))
  var tokenLife: Int?

  @Flag(help: "Be an identity provider too, for a sign-in with a browser.")
  var oidc = false

  @Flag(help: "Serve one deployment on a port of its own, as old installations do.")
  var lanPort = false

  @Flag(help: "Stop when standard input ends.")
  var whileStdinOpen = false

  mutating func validate() throws {
    guard !seedShape || release == .current else {
      throw ValidationError("--seed-shape and --release exclude each other")
    }
    guard (0...65535).contains(port) else { throw ValidationError("--port: 0 to 65535") }
    guard prefix.isEmpty || (prefix.hasPrefix("/") && !prefix.hasSuffix("/")) else {
      throw ValidationError("--prefix: a path such as /kz")
    }
    guard user.map({ User($0) != nil }) ?? true else { throw ValidationError("--user: NAME:PASSWORD") }
    guard tokenLife.map({ $0 > 0 }) ?? true else { throw ValidationError("--token-life: seconds, at least 1") }
  }

  /// The path in front of every route of the API (docs/kamiwaza.md 2).
  var apiRoot: String { seedShape ? prefix : prefix + "/api" }

  var accessLife: Int { tokenLife ?? (seedShape ? 3600 : 300) }
}

/// `name=url`.
struct NamedAddress: ExpressibleByArgument, Sendable {
  var name: String
  var address: String

  init?(argument: String) {
    let halves = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard halves.count == 2 else { return nil }
    (name, address) = (halves[0], halves[1])
  }
}

package import Wire

/// A server of tools: data, not code.
package struct ToolServer: Sendable, Equatable {
  /// What a selection is kept by: the deployment's id at a platform, the name of one that the person added.
  package var id: String
  package var name: String
  package var address: Address
  /// What it is known to offer, such as a platform says; nil when the server itself must be asked.
  package var tools: [Tool]?
  /// The name of the platform that has it, and whose sign-in it takes; nil for one that the person added.
  package var platform: String?
  /// What else decides what its program does, such as a folder and variables that somebody lends it: a digest, which a yes
  /// for good is bound to. Empty for those of the person and of a platform.
  package var setting = ""

  package enum Address: Sendable, Equatable {
    case http(url: String)
    /// A program of this machine; `passing` names variables of our environment that it is given besides the usual ones.
    case command([String], passing: [String])
    /// The terminals that this program knows of: its own server, which no file keeps (docs/terminals.md 11).
    case terminals
  }

  package init(id: String, name: String, address: Address, tools: [Tool]? = nil, platform: String? = nil) {
    self.id = id
    self.name = name
    self.address = address
    self.tools = tools
    self.platform = platform
  }
}

/// The tools that a server of models has around it.
package protocol Tooling: Sendable {
  /// Those that run now.
  func servers() async throws(BackendError) -> [ToolServer]

  /// A connection signed with the platform's own sign-in, which goes nowhere else.
  func connect(_ server: ToolServer) -> any ToolConnection
}

/// Speaks with one server of tools; connects when first needed, and again when the connection was lost.
package protocol ToolConnection: Sendable {
  var server: ToolServer { get }

  func about() async throws(ToolError) -> ToolServerFacts

  /// All of them, every page. What is known is kept until the server says that its list has changed.
  func tools() async throws(ToolError) -> [Tool]

  /// What a call would act on, looked at before somebody is asked about it.
  func preview(of tool: String, _ arguments: JSON) async -> CallPreview

  /// Begins a call, and returns at once: the request leaves when the run is first read.
  /// - Parameter arguments: a JSON object.
  func call(_ tool: String, _ arguments: JSON) -> ToolRun

  func prompts() async throws(ToolError) -> [ToolPrompt]
  func prompt(_ name: String, _ arguments: [String: String]) async throws(ToolError) -> [PromptMessage]

  /// Templates too.
  func resources() async throws(ToolError) -> [ToolResource]
  func read(_ uri: String) async throws(ToolError) -> [ResourceContent]

  /// Signing in to it; nil for a program, and for a platform's own, which are signed in to with the platform.
  var account: (any ToolAccount)? { get }

  /// Ends the session and the program behind it.
  func close() async
}

extension ToolConnection {
  /// Of a server that somebody else runs nothing is known but what the arguments say.
  package func preview(of tool: String, _ arguments: JSON) async -> CallPreview { CallPreview() }
}

/// What is known of a call besides its arguments, before it is made.
package struct CallPreview: Sendable, Equatable {
  /// What it would act on, for the person; parts that are not to be trusted.
  package var subject: [String]
  /// Why it cannot be made, so that nobody needs to be asked.
  package var failure: ToolResult?

  package init(subject: [String] = [], failure: ToolResult? = nil) {
    self.subject = subject
    self.failure = failure
  }
}

/// What a server says of itself.
package struct ToolServerFacts: Sendable, Equatable {
  package var name: String
  package var title: String?
  package var version: String?
  package var instructions: String?
  /// Such as `2025-11-25`; empty where no protocol is spoken.
  package var protocolVersion: String
  /// Such as `streamable HTTP`.
  package var transport: String
  package var offersTools: Bool
  package var offersPrompts: Bool
  package var offersResources: Bool

  package init(
    name: String, title: String? = nil, version: String? = nil, instructions: String? = nil, protocolVersion: String,
    transport: String, offersTools: Bool, offersPrompts: Bool, offersResources: Bool
  ) {
    self.name = name
    self.title = title
    self.version = version
    self.instructions = instructions
    self.protocolVersion = protocolVersion
    self.transport = transport
    self.offersTools = offersTools
    self.offersPrompts = offersPrompts
    self.offersResources = offersResources
  }
}

/// Signing in to a server of tools. It goes to that server only.
package protocol ToolAccount: Sendable {
  /// Keeps a token that the person brought, after it was tried.
  func signIn(token: Secret) async throws(ToolError) -> SignedIn

  /// Begins a sign-in that the person finishes in a browser (docs/mcp.md 7).
  /// - Parameter clientID: what the person registered us as; nil lets the server be asked.
  func signIn(clientID: String?) async throws(ToolError) -> BrowserSignIn

  /// Asks no server.
  func hasSignIn() async -> Bool

  /// Nothing is kept here afterwards.
  func signOut() async throws(CredentialError)
}

package struct ToolPrompt: Sendable, Equatable {
  package var name: String
  package var title: String?
  package var summary: String?
  package var arguments: [Argument]

  package struct Argument: Sendable, Equatable {
    package var name: String
    package var summary: String?
    package var isRequired: Bool

    package init(name: String, summary: String? = nil, isRequired: Bool = false) {
      self.name = name
      self.summary = summary
      self.isRequired = isRequired
    }
  }

  package init(name: String, title: String? = nil, summary: String? = nil, arguments: [Argument] = []) {
    self.name = name
    self.title = title
    self.summary = summary
    self.arguments = arguments
  }
}

package struct PromptMessage: Sendable, Equatable {
  package var role: Role
  package var content: ToolContent

  package init(_ role: Role, _ content: ToolContent) {
    self.role = role
    self.content = content
  }
}

/// Why a server of tools did not do what was asked. Cases carry facts; sentences are the shell's.
package enum ToolError: Error, Sendable, Equatable {
  /// The connection, the certificate, the sign-in, the status: as with any server.
  case server(BackendError)
  /// It wants to know who asks, and what there was to say so was not enough.
  case signInNeeded(url: String)
  /// A token would go there without encryption, beyond this machine: it does not.
  case inTheClear(origin: String)
  case notStarted(program: String, reason: String)
  /// The program ended while it was waited for; its last words are from its standard error.
  case exited(program: String, status: Int32, lastWords: String)
  /// An error of its protocol, in its words.
  case refused(code: Int, message: String)
  /// No result in so many seconds; the call was cancelled.
  case timedOut(Wait, seconds: Double)
  /// It speaks no version of the protocol that we do.
  case noSharedVersion(theirs: [String])
  /// It does not offer that: prompts, resources.
  case notOffered(String)
  /// What came cannot be read.
  case malformed(String)
  /// The connection ended during a call that may have been carried out: it is not made again by itself.
  case lost
  /// The person stopped it.
  case cancelled

  /// Which time was over.
  package enum Wait: Sendable, Equatable {
    /// That of a call without a sign of progress.
    case silence
    /// That of a call in all.
    case whole
    /// That of a server to start.
    case start
    /// That of any other request, such as a list or a prompt.
    case request
  }
}

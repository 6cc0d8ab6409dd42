package import Chat
package import Store

/// Everything outside the shell that the shell may touch. Nothing is optional, so a test cannot escape its world.
package struct World: Sendable {
  package var terminal: any Terminal
  package var environment: [String: String]
  package var paths: Paths
  /// Milliseconds since 1970.
  package var now: @Sendable () -> Int
  /// Seconds of a clock that only goes forward.
  package var uptime: @Sendable () -> Double
  /// Whether a path names something on disk.
  package var fileExists: @Sendable (String) -> Bool
  /// The whole of a file.
  package var readFile: @Sendable (String) throws(FileProblem) -> String
  /// A path that says where it is from anywhere.
  package var absolutePath: @Sendable (String) -> String
  /// The names in a folder, folders with a `/` at the end.
  package var listFolder: @Sendable (String) -> [String]
  /// Who speaks to a server; nil when its kind is unknown.
  package var backend: @Sendable (Server) -> (any Backend)?
  /// What a server's kind can be.
  package var kinds: [String]
  /// Finds out what an address is; of one kind when that is given.
  package var probe: @Sendable (_ address: String, _ kind: String?, Timeouts) async throws(BackendError) -> FoundServer
  /// Whom to trust.
  package var knownServers: KnownServers
  /// Looks at a server without saying anything to it.
  package var inspect: @Sendable (_ url: String, Timeouts) async -> Inspection
  /// Closes connections that stand, so that a change of trust holds from the next request on (RELIABILITY T6).
  package var forgetConnections: @Sendable () -> Void
  /// Shows a page in the person's browser; false when there is none to start.
  package var openBrowser: @Sendable (_ url: String) -> Bool
  /// What this machine calls itself.
  package var hostName: String
  /// The program's own version, such as `0.1.0`.
  package var version: String

  package init(
    terminal: any Terminal, environment: [String: String], paths: Paths, now: @escaping @Sendable () -> Int,
    uptime: @escaping @Sendable () -> Double, fileExists: @escaping @Sendable (String) -> Bool,
    readFile: @escaping @Sendable (String) throws(FileProblem) -> String,
    absolutePath: @escaping @Sendable (String) -> String,
    listFolder: @escaping @Sendable (String) -> [String], backend: @escaping @Sendable (Server) -> (any Backend)?,
    kinds: [String],
    probe: @escaping @Sendable (_ address: String, _ kind: String?, Timeouts) async throws(BackendError) -> FoundServer,
    knownServers: KnownServers, inspect: @escaping @Sendable (_ url: String, Timeouts) async -> Inspection,
    forgetConnections: @escaping @Sendable () -> Void,
    openBrowser: @escaping @Sendable (_ url: String) -> Bool, hostName: String, version: String
  ) {
    self.terminal = terminal
    self.environment = environment
    self.paths = paths
    self.now = now
    self.uptime = uptime
    self.fileExists = fileExists
    self.readFile = readFile
    self.absolutePath = absolutePath
    self.listFolder = listFolder
    self.backend = backend
    self.kinds = kinds
    self.probe = probe
    self.knownServers = knownServers
    self.inspect = inspect
    self.forgetConnections = forgetConnections
    self.openBrowser = openBrowser
    self.hostName = hostName
    self.version = version
  }
}

/// Why a file could not be read.
package struct FileProblem: Error, Sendable, Equatable {
  package var path: String
  package var reason: String

  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}

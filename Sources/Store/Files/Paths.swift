/// Where this program keeps its files (docs/shell.md 6). Pure: it looks at nothing but what it is given.
package struct Paths: Sendable, Equatable {
  package let configDirectory: String
  package let dataDirectory: String
  package let stateDirectory: String
  /// What can be fetched again.
  package let cache: String

  package enum Failure: Error, Sendable, Equatable {
    /// Neither `PARLEY_HOME` nor a home directory is known.
    case noHome
  }

  /// - Parameters:
  ///   - accountHome: the home directory of the account, looked up only when `HOME` is not set: the directory of
  ///     accounts may be on the network.
  ///   - workingDirectory: what a relative `PARLEY_HOME` is relative to.
  package init(
    environment: [String: String], accountHome: @autoclosure () -> String? = nil, workingDirectory: String = "/"
  ) throws(Failure) {
    if let folder = environment["PARLEY_HOME"], !folder.isEmpty {
      let absolute = folder.hasPrefix("/") ? folder : Paths.join(workingDirectory, folder)
      configDirectory = absolute
      dataDirectory = absolute
      stateDirectory = absolute
      cache = Paths.join(absolute, "cache")
      return
    }
    let home = Paths.absolute(environment["HOME"]) ?? Paths.absolute(accountHome())
    // The XDG base directory specification: a path that is not absolute is to be ignored.
    func directory(_ variable: String, _ fallback: String) throws(Failure) -> String {
      if let named = Paths.absolute(environment[variable]) { return Paths.join(named, "parley") }
      guard let home else { throw .noHome }
      return Paths.join(home, fallback + "/parley")
    }
    configDirectory = try directory("XDG_CONFIG_HOME", ".config")
    dataDirectory = try directory("XDG_DATA_HOME", ".local/share")
    stateDirectory = try directory("XDG_STATE_HOME", ".local/state")
    let cacheHome = Paths.absolute(environment["XDG_CACHE_HOME"]) ?? home.map { Paths.join($0, ".cache") }
    cache = cacheHome.map { Paths.join($0, "parley") } ?? Paths.join(dataDirectory, "cache")
  }

  package var preferences: String { Paths.join(configDirectory, "preferences.json") }
  /// Lines that are run at the start of an interactive shell.
  package var startUpCommands: String { Paths.join(configDirectory, "parleyrc") }
  package var history: String { Paths.join(dataDirectory, "history.sqlite") }
  package var knownServers: String { Paths.join(dataDirectory, "known_servers") }
  package var credentials: String { Paths.join(dataDirectory, "credentials.json") }
  package var servers: String { Paths.join(dataDirectory, "servers.json") }
  package var toolServers: String { Paths.join(dataDirectory, "tools.json") }
  package var permissions: String { Paths.join(dataDirectory, "permissions.json") }
  package var snippets: String { Paths.join(dataDirectory, "snippets.json") }
  /// What bridges know this installation by.
  package var deviceName: String { Paths.join(dataDirectory, "device-name") }
  /// How servers of tools speak.
  package var wireNotes: String { Paths.join(cache, "tools") }
  /// Lines that were being typed when their terminal went away.
  package var drafts: String { Paths.join(stateDirectory, "drafts") }

  private static func absolute(_ path: String?) -> String? {
    guard let path, path.hasPrefix("/") else { return nil }
    return path
  }

  private static func join(_ directory: String, _ name: String) -> String {
    var directory = directory[...]
    while directory.hasSuffix("/") { directory.removeLast() }
    return directory + "/" + name
  }
}

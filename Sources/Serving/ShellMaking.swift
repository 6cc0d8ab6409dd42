package import Chat
package import Shell

/// Makes the shell of a session: what of it is the program's.
package struct ShellMaking: Sendable {
  package var terminal: any Terminal
  package var version: String
  package var make: @Sendable (SessionPlace, any Terminal, any LineSource, any TurnObserver) -> Shell
  /// Whether a path is a folder.
  package var isFolder: @Sendable (String) -> Bool
  /// Milliseconds since 1970.
  package var now: @Sendable () -> Int

  package init(
    terminal: any Terminal, version: String, isFolder: @escaping @Sendable (String) -> Bool,
    now: @escaping @Sendable () -> Int,
    make: @escaping @Sendable (SessionPlace, any Terminal, any LineSource, any TurnObserver) -> Shell
  ) {
    self.terminal = terminal
    self.version = version
    self.isFolder = isFolder
    self.now = now
    self.make = make
  }
}

/// Where a session is, and what the editor gives it.
package struct SessionPlace: Sendable {
  /// An absolute path; nil is where the program was started.
  package var folder: String?
  /// Servers of tools that the editor adds.
  package var toolServers: [ToolServer] = []
  /// The variables that the program of each is given, by its name.
  package var variables: [String: [String: String]] = [:]

  /// Where the program was started, with nothing added.
  package init() {}
}

import Chat
import Programs
package import Transport

/// What of this machine a backend may use.
package struct Surroundings: Sendable {
  /// The process's variables.
  package var environment: [String: String]
  /// Where programs are started.
  package var children: Children
  /// Where we are: an absolute path.
  package var folder: String
  /// Folders that are nobody's but ours (docs/rules.md A3).
  package var ownFolders: [String]
  /// What bridges are reached by.
  package var sockets: any WebSockets
  /// What this installation is called by bridges, which tell devices apart by it.
  package var deviceName: @Sendable () -> String
  var timeouts = Timeouts()
  /// What the process was started with: for files that are not ours.
  package var umask: UInt32
  package var version: String
  var clock = TimeSource.system

  /// Whether there is a program of this name that can be started as it is.
  func isFile(_ path: String) -> Bool { (try? Programs.find(path, along: environment["PATH"])) != nil }

  package init(
    environment: [String: String] = [:], children: Children = Children(), folder: String = "/",
    ownFolders: [String] = [], umask: UInt32 = 0o022, version: String = "0",
    sockets: any WebSockets = NoWebSockets(), deviceName: @escaping @Sendable () -> String = { "parley" }
  ) {
    self.sockets = sockets
    self.deviceName = deviceName
    self.environment = environment
    self.children = children
    self.folder = folder
    self.ownFolders = ownFolders
    self.umask = umask
    self.version = version
  }
}

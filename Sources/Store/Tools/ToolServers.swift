package import Chat
package import Wire

/// The servers of tools that the person added, and what was last learnt about each.
package struct ToolServers: Sendable {
  package struct Entry: Sendable, Equatable {
    package var server: ToolServer
    /// As the server last listed them: for Tab, and for lists when it cannot be reached.
    package var tools: [Tool]

    package init(server: ToolServer, tools: [Tool] = []) {
      self.server = server
      self.tools = tools
    }
  }

  package enum Failure: Error, Sendable, Equatable {
    case noServer(String)
    case nameTaken(String)
    case file(FileError)
  }

  package private(set) var entries: [Entry] = []

  /// - Parameters:
  ///   - path: nil begins empty and keeps everything in memory.
  ///   - writes: false reads the file this once and keeps changes in memory.
  package init(_ path: String?, writes: Bool = true) {}

  package mutating func add(_ server: ToolServer) throws(Failure) {
    guard !entries.contains(where: { $0.server.name == server.name }) else { throw .nameTaken(server.name) }
    entries.append(Entry(server: server))
  }

  package mutating func remove(_ name: String) throws(Failure) {
    guard entries.contains(where: { $0.server.name == name }) else { throw .noServer(name) }
    entries.removeAll { $0.server.name == name }
  }

  /// Keeps what a server listed.
  package mutating func keep(_ tools: [Tool], of name: String) throws(Failure) {
    guard let index = entries.firstIndex(where: { $0.server.name == name }) else { throw .noServer(name) }
    entries[index].tools = tools
  }
}

import Chat
import Store
import Text

/// A prompt or a thing to read, as it is typed: its server's name, a colon, its own.
struct OfServer: Sendable, Equatable {
  var server: String
  var name: String

  init?(_ word: String) {
    guard let colon = word.firstIndex(of: ":"), colon > word.startIndex else { return nil }
    server = String(word[..<colon])
    name = String(word[word.index(after: colon)...])
    if name.isEmpty { return nil }
  }
}

extension Toolbox {
  /// A server of tools by its name, or the beginning of it.
  mutating func toolServer(
    called word: String, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) -> ToolServer {
    if let own = toolServers.named(word) { return own.server }
    let servers = try await findToolServers(isFresh: false, &links, &desk)
    if let only = try servers.one(called: word) { return only }
    throw .unknown(.toolServer, word, nearest: Nearest.words(to: word, among: servers.map(\.name)))
  }

  /// What one server has besides tools, or all of them. Those that offer none of it are passed over, and of all those
  /// that fail are said.
  /// - Parameter word: the name of one; nil asks all.
  mutating func gathered<T: Sendable>(
    from word: String?,
    _ links: inout Links, _ desk: inout Desk,
    _ ask: @escaping @Sendable (any ToolConnection) async throws(ToolError) -> [T]
  ) async throws(ShellError) -> [(server: ToolServer, found: [T])] {
    if let word {
      let server = try await toolServer(called: word, &links, &desk)
      return [(server, try await asking(server, &links, &desk, ask))]
    }
    var gathered: [(server: ToolServer, found: [T])] = []
    for server in try await findToolServers(isFresh: true, &links, &desk) {
      do throws(ShellError) {
        gathered.append((server, try await asking(server, &links, &desk, ask)))
      } catch {
        guard case .tool(let reason, _) = error else { throw error }
        if case .notOffered = reason { continue }
        desk.say(Complaint(error).text, .warning)
      }
    }
    return gathered
  }
}

extension [ToolServer] {
  /// The one that a word names: its name or id, or the beginning of its name; nil when there is none.
  func one(called word: String) throws(ShellError) -> ToolServer? {
    let exact = filter { $0.name == word || $0.id == word }
    let matches = exact.isEmpty ? filter { $0.name.hasPrefix(word) } : exact
    guard matches.count <= 1 else { throw .ambiguous(.toolServer, word, matches: matches.map(\.id)) }
    return matches.first
  }
}

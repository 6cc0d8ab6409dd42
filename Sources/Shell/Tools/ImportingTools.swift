import Chat
import Store
import Text
import Wire

/// Servers of tools as other programs keep them: `{"mcpServers": {NAME: {"command", "args", "env"} or {"url"}}}`
/// (docs/mcp.md 6).
struct ForeignToolServers: Sendable, Equatable {
  var entries: [Entry] = []

  struct Entry: Sendable, Equatable {
    var name: String
    /// nil when it cannot be used here, with why.
    var address: ToolServer.Address?
    var problem: String?
    /// Whether the file has secrets for it, which are not taken over.
    var hasHeaders = false
  }

  /// Reads the forms of Claude Desktop and others, of VS Code, and of Zed, all of which may have comments. nil when it
  /// is no such file.
  init?(_ text: String) throws(CommentedJSONProblem) {
    let json = try JSON(commented: text)
    let places = [json["mcpServers"], json["servers"], json["mcp"]?["servers"], json["context_servers"]]
    guard let servers = places.lazy.compactMap({ $0?.object }).first else { return nil }
    entries = servers.map { member in
      let value = member.value
      var entry = Entry(name: member.key)
      if let url = value["url"]?.string ?? value["serverUrl"]?.string {
        entry.address = .http(url: url)
        entry.hasHeaders = value["headers"]?.object?.isEmpty == false
      } else if let program = value["command"]?.string, !program.isEmpty {
        let arguments = value["args"]?.array ?? []
        if arguments.allSatisfy({ $0.string != nil }) {
          // Their values are the file's business: we keep none.
          let names = value["env"]?.object?.map(\.key) ?? []
          entry.address = .command([program] + arguments.compactMap(\.string), passing: names)
        } else {
          entry.problem = "its arguments are not words"
        }
      } else {
        entry.problem = "it has neither a command nor an address"
      }
      return entry
    }
  }
}

extension Toolbox {
  /// Adds what another program's file has, each after a yes.
  mutating func importToolServers(_ path: String, _ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    let text = try await desk.readText(path)
    let found: ForeignToolServers?
    do throws(CommentedJSONProblem) { found = try ForeignToolServers(text) } catch {
      throw .badToolServer(.notJSON(path, line: error.line, reason: error.reason))
    }
    guard let foreign = found else { throw .badToolServer(.noServersIn(path)) }
    guard !foreign.entries.isEmpty else { return desk.say("\(path) has no tool servers") }
    for entry in foreign.entries {
      do throws(ShellError) { try await add(entry, &links, &desk) } catch {
        if case .interrupted = error { throw error }
        // The next one may be fine.
        desk.complain(Complaint(error))
      }
    }
  }

  private mutating func add(_ entry: ForeignToolServers.Entry, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    guard let address = entry.address else {
      throw .badToolServer(.foreign(entry.name, problem: entry.problem ?? ""))
    }
    let name = try toolServerName(entry.name)
    let checked: ToolServer.Address
    switch address {
    case .http(let url): checked = try httpAddress(url, desk)
    // No file names it.
    case .terminals: return
    case .command(let command, let passing):
      let unset = passing.filter { desk.world.environment[$0] == nil }
      checked = try programAddress(command, passing: passing.filter { !unset.contains($0) }, desk)
      if !unset.isEmpty {
        desk.say("\(name) wants \(unset.joined(separator: ", ")): not set here, so not passed", .warning)
      }
    }
    if entry.hasHeaders { desk.say("\(name): its headers are not taken over; /tools login \(name) signs in", .warning) }
    try await add(ToolServer(id: name, name: name, address: checked), isForeign: true, &links, &desk)
  }
}

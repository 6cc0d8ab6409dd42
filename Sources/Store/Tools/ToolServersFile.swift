import Chat
import Wire

/// The file of `ToolServers`.
enum ToolServersFile {
  /// nil when it is no list of servers.
  static func entries(_ json: JSON) -> [ToolServers.Entry]? {
    guard let servers = json["servers"]?.array else { return nil }
    var entries: [ToolServers.Entry] = []
    var names: Set<String> = []
    for server in servers {
      guard let entry = ToolServers.Entry(server), names.insert(entry.server.name).inserted else { return nil }
      entries.append(entry)
    }
    return entries
  }

  /// Keys that this version does not know stay: of the list, and of each server that has the same name.
  static func json(_ entries: [ToolServers.Entry], keepingUnknownOf older: JSON?) -> JSON {
    let servers = entries.filter { $0.server.address != .terminals }.map { entry in
      let same = older?["servers"]?.array?.first { $0["name"]?.string == entry.server.name }
      return same.map { entry.json.adding($0, except: keys) } ?? entry.json
    }
    let list: JSON = ["version": .int(max(1, older?["version"]?.int ?? 1)), "servers": .array(servers)]
    return older.map { list.adding($0, except: []) } ?? list
  }

  private static let keys: Set<String> = ["name", "url", "command", "passing", "tools"]
}

extension ToolServers.Entry {
  fileprivate init?(_ json: JSON) {
    guard let name = json["name"]?.string, ToolServers.isName(name), let address = ToolServer.Address(json) else {
      return nil
    }
    self.init(
      server: ToolServer(id: name, name: name, address: address),
      // A tool that cannot be read is listed again when its server is asked.
      tools: (json["tools"]?.array ?? []).compactMap(Tool.init(kept:)))
  }

  fileprivate var json: JSON {
    var json: JSON = ["name": .string(server.name)]
    switch server.address {
    case .http(let url): json["url"] = .string(url)
    case .command(let words, let passing):
      json["command"] = .array(words.map(JSON.string))
      if !passing.isEmpty { json["passing"] = .array(passing.map(JSON.string)) }
    // The program's own are kept by nobody.
    case .terminals: break
    }
    // Within the file, its list, the server and its list. One that is nested deeper is listed again when it is asked.
    let kept = tools.map(\.kept).filter { $0.isReadable(within: 4) }
    if !kept.isEmpty { json["tools"] = .array(kept) }
    return json
  }
}

extension ToolServer.Address {
  fileprivate init?(_ json: JSON) {
    if let url = json["url"] {
      guard let url = url.string, ["http://", "https://"].contains(where: url.lowercased().hasPrefix) else {
        return nil
      }
      self = .http(url: url)
    } else if let words = json["command"]?.strings, words.first?.isEmpty == false,
      let passing = (json["passing"] ?? []).strings
    {
      self = .command(words, passing: passing)
    } else {
      return nil
    }
  }
}

extension JSON {
  /// nil when anything else is among them: a program that is started with a part of its words is another one.
  fileprivate var strings: [String]? {
    guard let elements = array else { return nil }
    let strings = elements.compactMap(\.string)
    return strings.count == elements.count ? strings : nil
  }
}

extension Tool {
  fileprivate init?(kept json: JSON) {
    guard let name = json["name"]?.string else { return nil }
    let hints = json["hints"]
    self.init(
      name: name, title: json["title"]?.string, summary: json["summary"]?.string ?? "",
      parameters: json["parameters"] ?? ["type": "object"],
      hints: ToolHints(
        isReadOnly: hints?["readOnly"]?.bool, isDestructive: hints?["destructive"]?.bool,
        isIdempotent: hints?["idempotent"]?.bool, isOpenWorld: hints?["openWorld"]?.bool),
      rest: json["rest"])
  }

  /// As it is kept, and as its digest is taken of.
  var kept: JSON {
    var json: JSON = ["name": .string(name), "summary": .string(summary), "parameters": parameters]
    if let title { json["title"] = .string(title) }
    let hints = [
      ("readOnly", hints.isReadOnly), ("destructive", hints.isDestructive), ("idempotent", hints.isIdempotent),
      ("openWorld", hints.isOpenWorld),
    ].compactMap { key, hint in hint.map { JSON.Member(key, .bool($0)) } }
    if !hints.isEmpty { json["hints"] = .object(hints) }
    // Only where there is something: what was allowed before these counted stays allowed.
    if let rest { json["rest"] = rest }
    return json
  }
}

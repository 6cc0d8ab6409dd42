import Chat
import Wire

/// What is asked of a server, before an era's wire has put it in its words.
struct MCPRequest: Sendable {
  var method: String
  var params: [JSON.Member]
  /// What the modern wire names in a header: the tool, the prompt, or the resource.
  var name: String?
  /// Arguments that the modern wire mirrors in headers.
  var mirrored: [HeaderMark.Mirrored] = []
  var wantsProgress = false
  /// Whether lines of the server's log about it are welcome; older servers send them unasked.
  var wantsLog = false
  /// Whether it may be sent again when nobody knows whether it was carried out.
  var isSafe = true

  init(_ method: String, _ params: [JSON.Member] = [], name: String? = nil) {
    self.method = method
    self.params = params
    self.name = name
  }

  /// Whether the request only lists tools, prompts or resources.
  var isList: Bool { method.hasSuffix("/list") }

  /// A page of a list.
  static func list(_ method: String, cursor: String?) -> MCPRequest {
    MCPRequest(method, cursor.map { [JSON.Member("cursor", .string($0))] } ?? [])
  }

  static func call(_ tool: String, _ arguments: JSON) -> MCPRequest {
    var request = MCPRequest(
      "tools/call", [JSON.Member("name", .string(tool)), JSON.Member("arguments", arguments)], name: tool)
    request.wantsProgress = true
    request.isSafe = false
    return request
  }

  /// Sets a parameter; nil removes it.
  mutating func set(_ key: String, _ value: JSON?) {
    params.removeAll { $0.key == key }
    if let value { params.append(JSON.Member(key, value)) }
  }
}

/// Who we say we are, and what a server may ask of us (docs/mcp.md 5).
enum MCPClient {
  static let info: JSON = ["name": .string(Program.name), "version": .string(Program.version)]
  static let capabilities: JSON = ["elicitation": ["form": [:], "url": [:]]]
}

import Chat
import Wire

// Results as servers send them: nulls and missing fields anywhere (docs/mcp.md 4, 5 and 9).

extension ToolResult {
  /// nil for what is no object.
  init?(_ json: JSON) {
    guard json.object != nil else { return nil }
    var structured = json["structuredContent"]
    if structured?.isNull == true { structured = nil }
    self.init(
      content: (json["content"]?.array ?? []).map { ToolContent($0) }, structured: structured,
      isError: json["isError"]?.bool ?? false)
  }
}

extension ToolContent {
  init(_ block: JSON) {
    let type = block["type"]?.string ?? ""
    switch type {
    case "text": self = .text(block["text"]?.string ?? "")
    case "image":
      self = .image(base64: block["data"]?.string ?? "", mimeType: block.text("mimeType") ?? "")
    case "audio":
      self = .audio(base64: block["data"]?.string ?? "", mimeType: block.text("mimeType") ?? "")
    case "resource_link":
      guard let resource = ToolResource(block, uri: "uri", isTemplate: false) else { fallthrough }
      self = .link(resource)
    case "resource":
      guard let content = block["resource"].flatMap({ ResourceContent($0) }) else { fallthrough }
      self = .resource(content)
    default: self = .other(type.isEmpty ? "unknown" : type)
    }
  }
}

extension ToolResource {
  /// nil without an address.
  init?(_ json: JSON, uri key: String, isTemplate: Bool) {
    guard let uri = json.text(key) else { return nil }
    self.init(
      uri: uri, name: json.text("name") ?? uri, title: json.text("title"), summary: json.text("description"),
      mimeType: json.text("mimeType"), size: json["size"]?.int, isTemplate: isTemplate)
  }
}

extension ResourceContent {
  init?(_ json: JSON) {
    let body: Body
    if let text = json["text"]?.string {
      body = .text(text)
    } else if let blob = json["blob"]?.string {
      body = .blob(blob)
    } else {
      return nil
    }
    self.init(uri: json["uri"]?.string ?? "", mimeType: json.text("mimeType"), body: body)
  }
}

extension ToolPrompt {
  init?(_ json: JSON) {
    guard let name = json.text("name") else { return nil }
    let arguments = (json["arguments"]?.array ?? []).compactMap { argument -> Argument? in
      guard let name = argument.text("name") else { return nil }
      return Argument(
        name: name, summary: argument.text("description"), isRequired: argument["required"]?.bool ?? false)
    }
    self.init(name: name, title: json.text("title"), summary: json.text("description"), arguments: arguments)
  }
}

extension PromptMessage {
  /// A message has one block; some servers send a list of them.
  static func all(in json: JSON) -> [PromptMessage] {
    let role: Role = json["role"]?.string == "assistant" ? .assistant : .user
    switch json["content"] {
    case .array(let blocks): return blocks.map { PromptMessage(role, ToolContent($0)) }
    case .string(let text): return [PromptMessage(role, .text(text))]
    case let block?: return [PromptMessage(role, ToolContent(block))]
    case nil: return []
    }
  }
}

extension ToolProgress {
  init(_ params: JSON) {
    self.init(
      done: params["progress"]?.double ?? 0, total: params["total"]?.double, message: params.text("message"))
  }
}

/// What a server says of itself when it is first spoken with.
struct MCPHello: Sendable, Equatable {
  var version: String
  var server: JSON
  var capabilities: JSON
  var instructions: String?

  /// Of `initialize`.
  init(legacy result: JSON, version: String) {
    self.version = version
    server = result["serverInfo"] ?? .null
    capabilities = result["capabilities"] ?? .null
    instructions = result.text("instructions")
  }

  /// Of `server/discover`.
  init(modern result: JSON) {
    version = MCPVersion.modern
    server = result["_meta"]?["io.modelcontextprotocol/serverInfo"] ?? .null
    capabilities = result["capabilities"] ?? .null
    instructions = result.text("instructions")
  }

  func offers(_ capability: String) -> Bool {
    guard let value = capabilities[capability] else { return false }
    return !value.isNull && value != .bool(false)
  }

  func facts(_ transport: MCPVerdict.Transport, named name: String) -> ToolServerFacts {
    ToolServerFacts(
      name: server.text("name") ?? name, title: server.text("title"), version: server.text("version"),
      instructions: instructions, protocolVersion: version, transport: transport.words,
      offersTools: offers("tools"), offersPrompts: offers("prompts"), offersResources: offers("resources"))
  }
}

extension MCPVerdict.Transport {
  var words: String {
    switch self {
    case .streamable: "streamable HTTP"
    case .sse: "HTTP+SSE"
    case .stdio: "stdio"
    }
  }
}

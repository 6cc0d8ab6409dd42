import Chat
import Wire

/// The tool servers of a platform (docs/kamiwaza.md 6).
struct KamiwazaTooling: Tooling {
  let api: KamiwazaAPI
  let address: KamiwazaAddress

  func servers() async throws(BackendError) -> [ToolServer] {
    let discovered = try await optional { () async throws(BackendError) in
      try await api.one("/tool/discover", as: Kamiwaza.ToolDiscovery.self).servers
    }
    let running = discovered.filter { $0.status.map(Kamiwaza.isRunning) ?? true }
    if !running.isEmpty { return running.map(server) }
    // Newer platforms have extensions in the place of tool deployments (docs/kamiwaza.md 6.1).
    let extensions = try await optional { () async throws(BackendError) in
      try await api.list("/extensions", of: Kamiwaza.Extension.self)
    }
    return extensions.filter { $0.type?.lowercased() == "tool" && $0.phase.map(Kamiwaza.isRunning) ?? true }
      .compactMap(server)
  }

  func connect(_ server: ToolServer) -> any ToolConnection {
    MCPConnection(
      server, http: api.endpoint.http, timeouts: api.endpoint.timeouts, signer: PlatformSigner(endpoint: api.endpoint),
      memory: api.endpoint.wires)
  }

  /// Nothing where a platform is too old or too new to have the route.
  private func optional<T>(_ list: () async throws(BackendError) -> [T]) async throws(BackendError) -> [T] {
    do throws(BackendError) { return try await list() } catch {
      guard error.isMissing else { throw error }
      return []
    }
  }

  private func server(_ found: Kamiwaza.ToolServer) -> ToolServer {
    let tools = (found.capabilities ?? []).map(Tool.init)
    return ToolServer(
      id: found.deploymentID, name: found.name,
      address: .http(url: url(found.url ?? "/runtime/tools/\(found.deploymentID.percentEncoded)")),
      // A platform that knows of none did not ask.
      tools: tools.isEmpty ? nil : tools, platform: api.endpoint.server.name)
  }

  /// nil for one that is not reached from outside.
  private func server(_ found: Kamiwaza.Extension) -> ToolServer? {
    guard let place = found.externalURL ?? found.runtimePath else { return nil }
    return ToolServer(
      id: found.name, name: found.name, address: .http(url: url(place)), platform: api.endpoint.server.name)
  }

  /// Joined to the platform's origin. Without a slash at the end: a server answers that with a redirect that loses the
  /// scheme and the prefix (docs/kamiwaza.md 6.2).
  private func url(_ place: String) -> String {
    var url = address.absolute(place)[...]
    while url.hasSuffix("/") { url.removeLast() }
    return String(url)
  }
}

extension Tool {
  /// A capability as the platform tells it.
  init(_ capability: Kamiwaza.ToolCapability) {
    self.init(name: capability.name, summary: capability.summary ?? "", parameters: capability.schema)
  }
}

extension Kamiwaza.ToolCapability {
  /// What it takes, as a JSON Schema of an object. A flat map does not tell what is required, so nothing is, unless a
  /// parameter itself says so.
  var schema: JSON {
    guard let parameters, !parameters.isSchema else { return parameters ?? ["type": "object"] }
    var properties: JSON = [:]
    var required: [JSON] = []
    for member in parameters.object ?? [] {
      var property = member.value.asProperty
      // Inside a property a flag of that name is not a schema's word.
      if let flag = property["required"]?.bool {
        property["required"] = nil
        if flag { required.append(.string(member.key)) }
      }
      properties[member.key] = property
    }
    var schema: JSON = ["type": "object", "properties": properties]
    if !required.isEmpty { schema["required"] = .array(required) }
    return schema
  }
}

extension JSON {
  /// Whether an object describes what is taken, and is no mere map of names: in such a map, every value describes one
  /// parameter.
  fileprivate var isSchema: Bool {
    if self["type"]?.string == "object" || self["$schema"]?.string != nil || self["$ref"]?.string != nil { return true }
    if ["anyOf", "allOf", "oneOf"].contains(where: { self[$0]?.array != nil }) { return true }
    return self["properties"]?.object?.allSatisfy { $0.value.object != nil } ?? false
  }

  /// What a flat map says of a parameter: an object, the name of a type, or a description.
  fileprivate var asProperty: JSON {
    switch self {
    case .object: self
    case .string(let word): JSON.types.contains(word) ? ["type": self] : ["description": self]
    default: [:]
    }
  }

  private static let types: Set = ["string", "number", "integer", "boolean", "array", "object", "null"]
}

import Wire

extension Kamiwaza {
  /// A tool server that was deployed (docs/kamiwaza.md 6.1).
  struct ToolDeployment: KamiwazaDocument, Equatable {
    var id: String
    var name: String
    var templateID: String?
    var requestedAt: Int?
    var deployedAt: Int?
    var createdAt: Int?
    var status: String?
    var url: String?
    var kind: String?
    var minCopies: Int?
    var maxCopies: Int?
    /// Names only: the values may be secrets.
    var variables: [String]

    init(_ fields: Fields) throws(Fields.Misread) {
      id = try fields.required("id")
      name = try fields.required("name")
      templateID = fields.text("template_id")
      requestedAt = fields.moment("requested_at")
      deployedAt = fields.moment("deployed_at")
      createdAt = fields.moment("created_at")
      status = fields.text("status", "phase")
      url = fields.text("url")
      kind = fields.text("deployment_type")
      minCopies = fields.int("min_copies")
      maxCopies = fields.int("max_copies")
      variables = fields.object("env_vars")?.map(\.key) ?? []
    }
  }

  /// The tool servers that can be used now, and what they offer.
  struct ToolDiscovery: KamiwazaDocument, Equatable {
    var servers: [ToolServer]

    init(_ fields: Fields) throws(Fields.Misread) {
      servers = try fields.list("servers") ?? []
    }
  }

  struct ToolServer: KamiwazaDocument, Equatable {
    var deploymentID: String
    var name: String
    var url: String?
    var status: String?
    var createdAt: Int?
    /// nil when the platform does not know: then the server itself must be asked.
    var capabilities: [ToolCapability]?

    init(_ fields: Fields) throws(Fields.Misread) {
      deploymentID = try fields.required("deployment_id")
      name = try fields.required("name")
      url = fields.text("url")
      status = fields.text("status", "phase")
      createdAt = fields.moment("created_at")
      capabilities = try fields.list("capabilities")
    }
  }

  struct ToolCapability: KamiwazaDocument, Equatable {
    var name: String
    var summary: String?
    /// A JSON Schema, or a flat map of names to types and descriptions.
    var parameters: JSON?

    init(_ fields: Fields) throws(Fields.Misread) {
      name = try fields.required("name")
      summary = fields.text("description")
      parameters = fields.object("parameters").map { .object($0) }
    }

    /// The names of what it takes.
    var parameterNames: [String] { schema["properties"]?.object?.map(\.key) ?? [] }
  }

  /// An app, tool or service of newer platforms, which takes the place of app and tool deployments.
  struct Extension: KamiwazaDocument, Equatable {
    var name: String
    /// `app`, `tool`, `service`.
    var type: String?
    var version: String?
    var phase: String?
    var template: String?
    var externalURL: String?
    var internalURL: String?
    var runtimePath: String?
    var services: [String]
    var ownerID: String?
    var workroomID: String?
    var createdAt: Int?

    init(_ fields: Fields) throws(Fields.Misread) {
      name = try fields.required("name")
      type = fields.text("type")
      version = fields.text("version")
      phase = fields.text("phase", "status")
      template = fields.text("template_name")
      let endpoints = fields.json["endpoints"]
      externalURL = endpoints?["external"]?.word
      internalURL = endpoints?["internal"]?.word
      runtimePath = endpoints?["runtime_path"]?.word
      services = (fields.json["services"]?.array ?? []).compactMap { $0["name"]?.word }
      ownerID = fields.text("owner_user_id")
      workroomID = fields.text("workroom_id")
      createdAt = fields.moment("created_at")
    }
  }
}

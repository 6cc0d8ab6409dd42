import Wire

/// What the Kamiwaza platform sends and how it is spoken to (docs/kamiwaza.md).
enum Kamiwaza {}

extension Kamiwaza {
  /// A model that is or was served (docs/kamiwaza.md 4.2): `UIModelDeployment`, and the other shapes seen for it.
  struct Deployment: KamiwazaDocument, Equatable {
    var id: String
    var modelID: String?
    /// For display only.
    var name: String?
    /// What the engine takes as `model`.
    var canonicalModelID: String?
    /// The server's word; nil when it sends none.
    var status: String?
    /// nil when the server sends none, which is not the same as an empty list.
    var instances: [Instance]?
    var requestedAt: Int?
    var deployedAt: Int?
    var createdAt: Int?
    var accessPath: String?
    var port: Int
    /// Ready-made, from servers that send one.
    var endpoint: String?
    var engine: String?
    var container: String?
    var features: [String]
    var capabilities: [String]
    /// How it takes tools, such as `native_only`; nil when the server does not say.
    var toolMode: String?
    var contextWindow: Int?
    var errorCode: String?
    var errorMessage: String?
    var ownerID: String?
    var workroomID: String?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = try fields.required("id")
      modelID = fields.text("m_id", "model_id")
      name = fields.text("m_name", "model_name", "name")
      canonicalModelID = fields.text("canonical_model_id")
      status = fields.text("status", "phase")
      instances = try fields.list("instances")
      requestedAt = fields.moment("requested_at")
      deployedAt = fields.moment("deployed_at")
      createdAt = fields.moment("created_at")
      accessPath = fields.text("access_path")
      port = fields.int("lb_port") ?? 0
      endpoint = fields.text("endpoint")
      engine = fields.text("engine_name", "engine")
      container = fields.text("container")
      features = fields.texts("features") ?? []
      capabilities = fields.texts("capabilities") ?? []
      toolMode = fields.json["tool_calling"]?["mode"]?.word
      contextWindow = (fields.json["context_window"]?.tokenCount ?? fields.int("context_window")).flatMap {
        $0 > 0 ? $0 : nil
      }
      errorCode = fields.text("last_error_code")
      errorMessage = fields.text("last_error_message")
      ownerID = fields.text("owner_user_id")
      workroomID = fields.text("workroom_id")
    }
  }

  /// One running copy of a model or an app.
  struct Instance: KamiwazaDocument, Equatable {
    var id: String
    var deploymentID: String?
    var deployedAt: Int?
    var containerID: String?
    var nodeID: String?
    var hostName: String?
    var port: Int?
    var status: String?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = try fields.required("id")
      deploymentID = fields.text("deployment_id")
      deployedAt = fields.moment("deployed_at")
      containerID = fields.text("container_id")
      nodeID = fields.text("node_id")
      hostName = fields.text("host_name")
      port = fields.int("listen_port")
      status = fields.text("status")
    }
  }

  /// The prefixes of a site (docs/kamiwaza.md 4.4).
  struct RoutingConfig: KamiwazaDocument, Equatable {
    var mode: String?
    var baseHost: String?
    var servicePrefixes: [String: String]
    var enabledServices: [String: Bool]
    var updatedAt: Int?

    init(_ fields: Fields) {
      mode = fields.text("mode")
      baseHost = fields.text("base_host")
      let prefixes = (fields.object("service_prefixes") ?? []).compactMap { member in
        member.value.string.map { (member.key, $0) }
      }
      servicePrefixes = Dictionary(prefixes) { $1 }
      let enabled = (fields.object("enabled_services") ?? []).compactMap { member in
        member.value.bool.map { (member.key, $0) }
      }
      enabledServices = Dictionary(enabled) { $1 }
      updatedAt = fields.moment("updated_at")
    }
  }
}

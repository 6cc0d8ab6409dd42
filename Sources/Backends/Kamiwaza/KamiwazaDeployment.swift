import Wire

/// What the Kamiwaza platform sends and how it is spoken to (contract: kamiwaza).
enum Kamiwaza {}

extension Kamiwaza {
  /// A model that is or was served (contract, section 4.2): `UIModelDeployment`, and the other shapes seen for it.
  struct Deployment: KamiwazaDocument, Equatable {
    var id: String
    var modelID: String?
    var configID: String?
    var configName: String?
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
    var accessPathPrefix: String?
    var servePath: String?
    var port: Int
    /// Ready-made, from servers that send one.
    var endpoint: String?
    var engine: String?
    var container: String?
    var features: [String]
    var capabilities: [String]
    var contextWindow: Int?
    /// Such as `native_only`.
    var toolCallingMode: String?
    var errorCode: String?
    var errorMessage: String?
    var errorAt: Int?
    var successAt: Int?
    var ownerID: String?
    var workroomID: String?
    var hostAddress: String?
    var routing: Routing?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = try fields.required("id")
      modelID = fields.text("m_id", "model_id")
      configID = fields.text("m_config_id")
      configName = fields.text("m_config_name")
      name = fields.text("m_name", "model_name", "name")
      canonicalModelID = fields.text("canonical_model_id")
      status = fields.text("status", "phase")
      instances = try fields.list("instances")
      requestedAt = fields.moment("requested_at")
      deployedAt = fields.moment("deployed_at")
      createdAt = fields.moment("created_at")
      accessPath = fields.text("access_path")
      accessPathPrefix = fields.text("access_path_prefix")
      servePath = fields.text("serve_path")
      port = fields.int("lb_port") ?? 0
      endpoint = fields.text("endpoint")
      engine = fields.text("engine_name", "engine")
      container = fields.text("container")
      features = fields.texts("features") ?? []
      capabilities = fields.texts("capabilities") ?? []
      contextWindow = (fields.json["context_window"]?.tokenCount ?? fields.int("context_window")).flatMap {
        $0 > 0 ? $0 : nil
      }
      toolCallingMode = fields.json["tool_calling"]?["mode"]?.string
      errorCode = fields.text("last_error_code")
      errorMessage = fields.text("last_error_message")
      errorAt = fields.moment("last_error_at")
      successAt = fields.moment("last_success_at")
      ownerID = fields.text("owner_user_id")
      workroomID = fields.text("workroom_id")
      hostAddress = fields.text("host_ip")
      routing = try fields.one("routing_details")
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
    var hasFiles: Bool?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = try fields.required("id")
      deploymentID = fields.text("deployment_id")
      deployedAt = fields.moment("deployed_at")
      containerID = fields.text("container_id")
      nodeID = fields.text("node_id")
      hostName = fields.text("host_name")
      port = fields.int("listen_port")
      status = fields.text("status")
      hasFiles = fields.flag("files_synced")
    }
  }

  /// How the platform leads a request to a model.
  struct Routing: KamiwazaDocument, Equatable {
    var mode: String?
    var targetKind: String?
    var target: String?

    init(_ fields: Fields) {
      mode = fields.text("route_mode")
      targetKind = fields.text("target_kind")
      target = fields.text("target_ref")
    }
  }

  /// The prefixes of a site (contract, section 4.4).
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

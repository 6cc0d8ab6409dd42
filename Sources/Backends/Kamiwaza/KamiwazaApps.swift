import Wire

extension Kamiwaza {
  /// An app that was deployed (docs/kamiwaza.md 7).
  struct AppDeployment: KamiwazaDocument, Equatable {
    var id: String
    var name: String
    var templateID: String?
    var templateName: String?
    var status: String?
    var requestedAt: Int?
    var deployedAt: Int?
    var createdAt: Int?
    var seenAt: Int?
    var accessPath: String?
    var servePath: String?
    var port: Int?
    var minCopies: Int?
    var maxCopies: Int?
    var isEphemeral: Bool?
    var preferredModel: String?
    var preferredModelType: String?
    /// Names only: the values may be secrets.
    var variables: [String]
    var instances: [Instance]
    var ownerID: String?
    var workroomID: String?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = try fields.required("id")
      name = try fields.required("name")
      templateID = fields.text("template_id")
      templateName = fields.text("template_name")
      status = fields.text("status", "phase")
      requestedAt = fields.moment("requested_at")
      deployedAt = fields.moment("deployed_at")
      createdAt = fields.moment("created_at")
      seenAt = fields.moment("last_seen_at")
      accessPath = fields.text("access_path")
      servePath = fields.text("serve_path")
      port = fields.int("lb_port").flatMap { $0 == 0 ? nil : $0 }
      minCopies = fields.int("min_copies")
      maxCopies = fields.int("max_copies")
      isEphemeral = fields.flag("is_ephemeral_session")
      preferredModel = fields.text("preferred_model_name")
      preferredModelType = fields.text("preferred_model_type")
      variables = fields.object("env_vars")?.map(\.key) ?? []
      instances = try fields.list("instances") ?? []
      ownerID = fields.text("owner_user_id")
      workroomID = fields.text("workroom_id")
    }
  }

  /// What an app or a tool is deployed from. Those of tools come untyped and may lack everything but a name.
  struct Template: KamiwazaDocument, Equatable {
    var id: String?
    var name: String
    var displayName: String?
    var version: String?
    /// `app`, `tool` or `service`, where the server says so.
    var type: String?
    var source: String?
    var visibility: String?
    var summary: String?
    var category: String?
    var tags: [String]
    var author: String?
    var license: String?
    var homepage: String?
    var image: String?
    var capabilities: [String]
    var requiredVariables: [String]
    /// Names only: the values may be secrets.
    var defaultVariables: [String]
    var riskTier: Int?
    var isVerified: Bool?
    var preferredModel: String?
    var preferredModelType: String?
    var platformVersion: String?
    var createdAt: Int?
    var updatedAt: Int?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = fields.text("id", "template_id")
      name = try fields.required("name")
      displayName = fields.text("display_name")
      version = fields.text("version")
      type = fields.text("template_type")
      source = fields.text("source_type")
      visibility = fields.text("visibility")
      summary = fields.text("description")
      category = fields.text("category")
      tags = fields.texts("tags") ?? []
      author = fields.text("author")
      license = fields.text("license")
      homepage = fields.text("homepage")
      image = fields.text("image")
      capabilities = fields.texts("capabilities") ?? []
      requiredVariables = fields.texts("required_env_vars") ?? []
      defaultVariables = fields.object("env_defaults")?.map(\.key) ?? []
      riskTier = fields.int("risk_tier")
      isVerified = fields.flag("verified")
      preferredModel = fields.text("preferred_model_name")
      preferredModelType = fields.text("preferred_model_type")
      platformVersion = fields.text("kamiwaza_version")
      createdAt = fields.moment("created_at")
      updatedAt = fields.moment("updated_at")
    }
  }
}

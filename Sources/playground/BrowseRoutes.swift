import Wire

/// What can be looked at and not changed: models, tools, apps, extensions, data (docs/kamiwaza.md 6.1, 7).
enum BrowseRoutes {
  static let all: [Route] = [
    Route("GET", "/models/") { (call, playground, _) async throws(Refusal) in
      let hasFiles = playground.options.seedShape || ["true", "1"].contains(call.query["load_files"] ?? "")
      return .json(.array(Models.all.map { $0.json(withFiles: hasFiles, inSeedShape: playground.options.seedShape) }))
    },
    Route("GET", "/models/{model_id}") { (call, playground, _) async throws(Refusal) in
      guard let model = Models.all.first(where: { $0.id == call.parameters["model_id"] }) else {
        throw Refusal(404, "Model not found")
      }
      return .json(model.json(withFiles: true, inSeedShape: playground.options.seedShape))
    },
    Route("GET", "/models/{model_id}/configs") { (call, _, _) async throws(Refusal) in
      guard let model = Models.all.first(where: { $0.id == call.parameters["model_id"] }) else {
        throw Refusal(404, "Model not found")
      }
      let id = Sample.id("config", model.id)
      return .json([
        ["id": .string(id), "m_id": .string(model.id), "name": "default", "default": true, "config": ["n_ctx": 8192]]
      ])
    },
    Route("GET", "/tool/discover") { (call, playground, _) async throws(Refusal) in
      let servers = Tools.all(playground.options).map { $0.discovered(at: playground.address(of: "", for: call)) }
      return .json(["servers": .array(servers), "total": .int(servers.count)])
    },
    Route("GET", "/tool/deployments") { (call, playground, _) async throws(Refusal) in
      .json(.array(Tools.all(playground.options).map { $0.deployment(at: playground.address(of: "", for: call)) }))
    },
    Route("GET", "/tool/deployment/{deployment_id}/health") { (call, playground, _) async throws(Refusal) in
      guard Tools.all(playground.options).contains(where: { $0.id == call.parameters["deployment_id"] }) else {
        throw Refusal(404, "Tool deployment not found")
      }
      return .json(["status": "unknown", "last_checked": .string(Timestamps.naive())])
    },
    Route("GET", "/tool/templates") { (_, _, _) async throws(Refusal) in .json(Tools.templates) },
    Route("GET", "/tool/templates/available") { (_, _, _) async throws(Refusal) in .json(Tools.templates) },
    Route("GET", "/apps/deployments") { (_, _, _) async throws(Refusal) in .json(Apps.deployments) },
    Route("GET", "/apps/app_templates") { (_, _, _) async throws(Refusal) in .json(Apps.templates) },
    Route("GET", "/extensions") { (_, playground, _) async throws(Refusal) in
      let tools = Tools.all(playground.options).map { $0.extension() }
      return .json(.array(tools + [Apps.extension]))
    },
    Route("GET", "/catalog/datasets/") { (call, _, _) async throws(Refusal) in
      let word = call.query["query"]?.lowercased() ?? ""
      let found = Datasets.all.filter { word.isEmpty || $0.name.contains(word) || $0.about.lowercased().contains(word) }
      return .json(.array(found.map(\.json)))
    },
    Route("GET", "/catalog/datasets/by-urn") { (call, _, _) async throws(Refusal) in .json(try dataset(call).json) },
    Route("GET", "/catalog/datasets/by-urn/schema") { (call, _, _) async throws(Refusal) in
      let dataset = try dataset(call)
      guard let schema = dataset.schema else { throw Refusal(404, "Schema not found") }
      return .json(schema)
    },
    Route("GET", "/config/routing") { (call, _, _) async throws(Refusal) in
      return .json([
        "mode": "path", "base_host": .string(call.host),
        "service_prefixes": ["models": "/runtime/models", "tools": "/runtime/tools", "apps": "/runtime/apps"],
        "enabled_services": ["models": true, "tools": true, "apps": true],
        "updated_at": "2026-02-01T00:00:00.000000",
      ])
    },
    Route("GET", "/workrooms/") { (_, _, _) async throws(Refusal) in .json(["items": []]) },
  ]

  private static func dataset(_ call: Call) throws(Refusal) -> Datasets.Dataset {
    guard let urn = call.query["urn"] else { throw .missing("query", "urn") }
    guard let found = Datasets.all.first(where: { $0.urn == urn }) else { throw Refusal(404, "Dataset not found") }
    return found
  }
}

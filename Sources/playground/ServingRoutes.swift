import Wire

/// `/serving`: what is deployed (docs/kamiwaza.md 4).
enum ServingRoutes {
  private static let capabilities: Set = [
    "chat", "completion", "embedding", "reranking", "transcribe", "vision", "image_generation", "tools",
    "structured_output", "reasoning",
  ]

  static let all: [Route] = [
    Route("GET", "/serving/deployments", signedIn: list),
    Route("GET", "/serving/deployment/{deployment_id}") { (call, playground) async throws(Refusal) in
      _ = try await playground.identity(of: call)
      return .json(json(try await find(call, playground), playground))
    },
    Route("GET", "/serving/deployment/{deployment_id}/status") { (call, playground) async throws(Refusal) in
      _ = try await playground.identity(of: call)
      return .json(.string(try await find(call, playground).status))
    },
    Route("GET", "/serving/deployment/{deployment_id}/logs", signedIn: logs),
    Route("GET", "/serving/health") { (call, playground) async throws(Refusal) in
      _ = try await playground.identity(of: call)
      return .json([["service": "serving", "status": "healthy"]])
    },
  ]

  /// The route of the first specification that the platform does not have (docs/kamiwaza.md 9).
  static let active = Route("GET", "/serving/active_deployments") { (call, playground) async throws(Refusal) in
    _ = try await playground.identity(of: call)
    let base = playground.address(of: RuntimeRoutes.base(playground.options), for: call)
    return .json(
      .array(
        await playground.deployments.all.filter { $0.capabilities.contains("chat") }.compactMap { $0.active(at: base) })
    )
  }

  @Sendable private static func list(_ call: Call, _ playground: Playground, _: Identity) async throws(Refusal) -> Reply
  {
    // The first specification knows of no capabilities, and of models to chat with only; 0.9 passes over the question.
    let options = playground.options
    let wanted = options.seedShape ? ["chat"] : options.release == .old ? [] : call.query.all("capability")
    for word in wanted where !capabilities.contains(word) {
      throw .invalid("query", "capability", "Unknown capability '\(word)'", type: "value_error", input: word)
    }
    let model = call.query["model_id"]
    let found = await playground.deployments.all.filter { deployment in
      (wanted.isEmpty || wanted.contains { deployment.capabilities.contains($0) })
        && (model ?? deployment.modelID) == deployment.modelID
    }
    return .json(.array(found.map { json($0, playground) }))
  }

  private static func json(_ deployment: Deployment, _ playground: Playground) -> JSON {
    playground.options.seedShape ? deployment.seedJSON : deployment.json(below: RuntimeRoutes.base(playground.options))
  }

  @Sendable private static func logs(_ call: Call, _ playground: Playground, _: Identity) async throws(Refusal) -> Reply
  {
    let deployment = try await find(call, playground)
    let lines =
      ["starting \(deployment.canonicalID) on \(deployment.engine)"] + [deployment.errorMessage].compactMap { $0 }
    return .json([
      "deployment_id": .string(deployment.id), "engine_type": .string(deployment.engine),
      "log_file_path": .string("/var/log/kamiwaza/\(deployment.id).log"), "logs": .array(lines.map(JSON.string)),
      "total_lines_seen": .int(lines.count), "current_lines_stored": .int(lines.count), "compressed": false,
      "capture_active": .bool(deployment.isRunning),
    ])
  }

  private static func find(_ call: Call, _ playground: Playground) async throws(Refusal) -> Deployment {
    guard let deployment = await playground.deployments[call.parameters["deployment_id"] ?? ""] else {
      throw Refusal(404, "Deployment not found")
    }
    return deployment
  }
}

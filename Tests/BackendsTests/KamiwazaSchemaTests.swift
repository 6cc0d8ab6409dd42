import TestSupport
import Testing
import Wire

@testable import Backends

/// Documents of the platform's own schemas, in all the ways they can come, are read.
@Suite struct KamiwazaSchemaTests {
  /// Reads 50 documents in each style and checks what was read against what was sent.
  private func check<T: KamiwazaDocument>(
    _ name: String, as: T.Type, _ isSame: (T, JSON) -> Bool
  ) throws {
    for style in SchemaSamples.Style.allCases {
      var samples = try SchemaSamples(style)
      for number in 0..<50 {
        // Through bytes, as it comes.
        let sent = try JSON(parsing: samples.sample(of: name).bytes())
        let told: Comment = "SCHEMA_SEED=\(SeededNumbers.seed), \(style) \(number): \(sent.serialized())"
        do {
          let read = try T(sent)
          #expect(isSame(read, sent), told)
        } catch {
          Issue.record(error, told)
        }
      }
    }
  }

  @Test func `deployments of models`() throws {
    try check("UIModelDeployment", as: Kamiwaza.Deployment.self) { read, sent in
      read.id == sent["id"]?.string && read.modelID == sent["m_id"]?.string && read.name == sent["m_name"]?.string
        && read.canonicalModelID == sent["canonical_model_id"]?.string && read.status == sent["status"]?.string
        && read.instances?.count == sent["instances"]?.array?.count && read.port == sent["lb_port"]?.int ?? 0
        && read.accessPath == sent["access_path"]?.string && read.errorCode == sent["last_error_code"]?.string
        && (read.deployedAt != nil) == (sent["deployed_at"]?.string != nil) && read.createdAt != nil
        && read.features == (sent["features"]?.array ?? []).compactMap(\.string)
        && read.instances?.allSatisfy { $0.deployedAt != nil } ?? true
        && read.toolMode == sent["tool_calling"]?["mode"]?.word
    }
  }

  @Test func `instances, routing and validation errors`() throws {
    try check("ModelInstance", as: Kamiwaza.Instance.self) { read, sent in
      read.id == sent["id"]?.string && read.status == sent["status"]?.string && read.port == sent["listen_port"]?.int
        && read.deployedAt != nil
    }
    try check("AppInstance", as: Kamiwaza.Instance.self) { read, sent in
      read.id == sent["id"]?.string && read.hostName == sent["host_name"]?.string
    }
    try check("RoutingConfigResponse", as: Kamiwaza.RoutingConfig.self) { read, sent in
      read.mode == sent["mode"]?.string && read.baseHost == sent["base_host"]?.string
        && read.servicePrefixes.count == sent["service_prefixes"]?.object?.count
    }
    for style in SchemaSamples.Style.allCases where style != .minimal {
      var samples = try SchemaSamples(style)
      let sent = samples.sample(of: "HTTPValidationError")
      let words = sent["detail"]?[0]?["msg"]?.string ?? "-"
      #expect(ErrorBody(sent.bytes()).message.contains(words), "SCHEMA_SEED=\(SeededNumbers.seed)")
      let busy = samples.sample(of: "ServiceUnavailable503Detail")
      #expect(ServiceUnavailable(busy.bytes()).retryAfter == busy["retry_after_seconds"]?.int)
      #expect(ErrorBody(busy.bytes()).message == busy["message"]?.string)
    }
  }

  @Test func `models and their files`() throws {
    try check("Model", as: Kamiwaza.CatalogModel.self) { read, sent in
      read.name == sent["name"]?.string && read.id == sent["id"]?.string
        && read.repository == sent["repo_modelId"]?.string && read.family == sent["modelfamily"]?.string
        && read.files.count == sent["m_files"]?.array?.count ?? 0 && read.hosted == sent["hosted"]?.string
        && read.files.first?.name == sent["m_files"]?[0]?["name"]?.string
    }
    try check("ModelFile", as: Kamiwaza.ModelFile.self) { read, sent in
      read.name == sent["name"]?.string && read.size == sent["size"]?.int
        && read.storage == sent["storage_type"]?.string && read.isDownloading == sent["is_downloading"]?.bool
        && read.percentage == sent["download_percentage"]?.int
    }
  }

  @Test func `datasets and their schemas`() throws {
    try check("Dataset", as: Kamiwaza.Dataset.self) { read, sent in
      read.urn == sent["urn"]?.string && read.name == sent["name"]?.string
        && read.environment == sent["environment"]?.string && read.summary == sent["description"]?.string
        && read.tags == (sent["tags"]?.array ?? []).compactMap(\.string)
        && read.schema?.columns.count == sent["dataset_schema"]?["fields"]?.array?.count
    }
    try check("Schema", as: Kamiwaza.DatasetSchema.self) { read, sent in
      read.name == sent["name"]?.string
        && read.columns.map(\.name) == (sent["fields"]?.array ?? []).compactMap { $0["name"]?.string }
    }
  }

  @Test func `apps and templates`() throws {
    try check("AppDeployment", as: Kamiwaza.AppDeployment.self) { read, sent in
      read.id == sent["id"]?.string && read.name == sent["name"]?.string && read.status == sent["status"]?.string
        && read.templateID == sent["template_id"]?.string && read.createdAt != nil
        && read.instances.count == sent["instances"]?.array?.count ?? 0
    }
    try check("AppTemplate", as: Kamiwaza.Template.self) { read, sent in
      read.id == sent["id"]?.string && read.name == sent["name"]?.string && read.version == sent["version"]?.string
        && read.riskTier == sent["risk_tier"]?.int && read.isVerified == sent["verified"]?.bool
        && read.type == sent["template_type"]?.string
    }
  }

  @Test func `tools and extensions`() throws {
    try check("ToolDeployment", as: Kamiwaza.ToolDeployment.self) { read, sent in
      read.id == sent["id"]?.string && read.name == sent["name"]?.string && read.url == sent["url"]?.string
        && read.status == sent["status"]?.string
    }
    try check("ToolDiscovery", as: Kamiwaza.ToolDiscovery.self) { read, sent in
      read.servers.map(\.url) == (sent["servers"]?.array ?? []).map { $0["url"]?.string }
        && read.servers.first?.capabilities?.count == sent["servers"]?[0]?["capabilities"]?.array?.count
    }
    try check("Extension", as: Kamiwaza.Extension.self) { read, sent in
      read.name == sent["name"]?.string && read.type == sent["type"]?.string && read.phase == sent["phase"]?.string
        && read.runtimePath == sent["endpoints"]?["runtime_path"]?.string
    }
  }

  @Test func `what is missing is named with its place`() {
    #expect(throws: Fields.Misread(path: "[1].instances[0].id", what: "missing")) {
      try Kamiwaza.Deployment.list([["id": "a"], ["id": "b", "instances": [["status": "DEPLOYED"]]]])
    }
    #expect(throws: Fields.Misread(path: "name", what: "not a text")) {
      try Kamiwaza.Template(["name": ["a"]])
    }
    #expect(throws: Fields.Misread(path: "", what: "not a list")) { try Kamiwaza.Dataset.list(["items": []]) }
  }
}

@Suite struct KamiwazaShapeTests {
  @Test func `a deployment as the seed document has it`() throws {
    let read = try Kamiwaza.Deployment(
      JSON(
        parsing: """
          {"id":"d1","m_id":"m1","m_name":"Llama","status":"DEPLOYED","lb_port":"61105","context_window":"8192",
           "instances":[{"id":"i1","deployment_id":"d1","deployed_at":"2026-02-12T00:26:43","status":"DEPLOYED"}],
           "endpoint":"https://kz.lan/runtime/models/d1/v1"}
          """))
    #expect(read.isActive && read.port == 61105 && read.contextWindow == 8192)
    #expect(read.endpoint == "https://kz.lan/runtime/models/d1/v1")
  }

  @Test func `a deployment in other programs' words`() throws {
    let read = try Kamiwaza.Deployment(["id": 7, "name": "Qwen", "phase": "running"])
    #expect(read.id == "7" && read.name == "Qwen" && read.isActive)
    #expect(try Kamiwaza.Deployment(["id": "a", "model_name": "Qwen", "m_name": .null]).name == "Qwen")
  }

  @Test(
    arguments: [
      (["tool_calling": ["mode": "native_only"]], true), (["features": ["vision", "tools"]], true),
      (["features": ["vision"]], false), (["features": [], "tool_calling": .null], nil), ([:], nil),
      (["tool_calling": ["mode": "native_only"], "features": ["vision"]], true),
    ] as [(JSON, Bool?)])
  func `whether an engine takes tools by itself is read where the platform says so`(told: JSON, expected: Bool?) throws
  {
    var deployment = told
    deployment["id"] = "d1"
    #expect(try Kamiwaza.Deployment(deployment).takesNativeTools == expected)
  }

  @Test func `a model as the seed document has it`() throws {
    let read = try Kamiwaza.CatalogModel(
      ["name": "Qwen", "repo_model_id": "Qwen/Qwen3", "available_quantizations": ["Q4_K_M", "Q8_0"], "m_files": .null])
    #expect(read.repository == "Qwen/Qwen3")
    #expect(Quantization.all(of: read) == ["Q4_K_M", "Q8_0"])
  }

  @Test func `what a tool takes, as a schema or as a flat map`() throws {
    let schema: JSON = ["type": "object", "properties": ["query": ["type": "string"], "limit": ["type": "integer"]]]
    #expect(try Kamiwaza.ToolCapability(["name": "a", "parameters": schema]).parameterNames == ["query", "limit"])
    let flat: JSON = ["query": ["type": "string", "description": "what"]]
    #expect(try Kamiwaza.ToolCapability(["name": "a", "parameters": flat]).parameterNames == ["query"])
    #expect(try Kamiwaza.ToolCapability(["name": "a", "parameters": ["type": "object"]]).parameterNames == [])
  }

  @Test(
    arguments: [
      ("2026-02-12T00:26:43.123456", 1_770_856_003_123), ("2026-02-12T00:26:43", 1_770_856_003_000),
      ("2026-02-12T00:26:43Z", 1_770_856_003_000), ("2026-02-12 02:26:43.5+02:00", 1_770_856_003_500),
      ("2026-02-11T19:26:43-0500", 1_770_856_003_000), ("1970-01-01", 0), ("2026-02-12T00:26", 1_770_855_960_000),
      ("yesterday", nil), ("", nil), ("2026-13-01", nil), ("2026-02-12T00:26:43 and more", nil),
    ] as [(String, Int?)])
  func `a moment without a zone is UTC`(text: String, expected: Int?) {
    #expect(Moment.milliseconds(text) == expected)
  }

  @Test(arguments: [
    ("Llama-3.1-8B-Instruct-Q4_K_M.gguf", ["Q4_K_M"]), ("model.IQ2_XXS-00001-of-00002.gguf", ["IQ2_XXS"]),
    ("llama_q5_0.gguf", ["Q5_0"]), ("Qwen3-32B-AWQ", ["AWQ"]), ("mlx-community/Llama-3-4bit", ["4bit"]),
    ("mlx/Llama-4-bit", ["4bit"]), ("x-bf16.safetensors", ["BF16"]), ("gpt-oss-20b-MXFP4.gguf", ["MXFP4"]),
    ("model-00001-of-00004.safetensors", []), ("Q.txt", []), ("UD-Q4_K_XL.gguf", ["Q4_K_XL"]),
  ])
  func `how a file is packed is read from its name`(name: String, expected: [String]) {
    #expect(Quantization.named(in: name) == expected)
  }
}
